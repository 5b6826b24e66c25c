/* SPDX-License-Identifier: MIT */
/* Requests by libcurl, see http.h. */
#include "analyzer/push/http.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/plain_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET_MOST 4096u
#define URL_MOST 2000u

bool http_check_url(const char *url, struct strbuf *error)
{
	const char *host = strstr(url, "://");
	size_t size = strlen(url), length;
	uint32_t character;

	host = host ? host + 3 : url;
	if (host == url || !*host || strchr("/:?#", *host) || size > URL_MOST)
		strbuf_printf(error,
			      "'%s' is not the URL of a server, such as http://host:9091",
			      url);
	else if (memchr(host, '@', strcspn(host, "/")))
		strbuf_puts(error,
			    "a URL with a password is seen by everybody on the machine; "
			    "put USER:PASSWORD into a file for --credentials, or into "
			    "PROFSHIM_CREDENTIALS");
	else if (strpbrk(host, "?# "))
		strbuf_printf(error, "'%s' has more than a server and a path", url);
	for (size_t i = 0; i < size && !error->size; i += length) {
		length = plain_text_next(url + i, size - i, &character);
		if (plain_text_is_hidden(character))
			strbuf_puts(error, "the URL has characters that cannot be shown");
	}
	return !error->size;
}

void http_escape(struct strbuf *url, const char *text)
{
	for (; *text; text++)
		if ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
		    (*text >= '0' && *text <= '9') || strchr("-_.", *text))
			strbuf_putc(url, *text);
		else
			strbuf_printf(url, "%%%02X", (unsigned char)*text);
}

/* The first line of a file that nobody else can read; NULL with a sentence. */
static char *read_secret(const char *path, struct strbuf *error)
{
	char text[SECRET_MOST + 1];
	struct stat status;
	ssize_t size = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && fstat(fd, &status) == 0) {
		if (!S_ISREG(status.st_mode))
			strbuf_printf(error, "%s: is not a file", path);
		else if (status.st_mode & 077)
			strbuf_printf(error, "%s: others can read it: chmod 600 it",
				      path);
		else
			size = read(fd, text, SECRET_MOST);
	}
	if (size < 0 && !error->size)
		strbuf_printf(error, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (size < 0)
		return NULL;
	text[size] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	return xstrdup(text);
}

#ifndef HAVE_LIBCURL

struct http *http_open(const char *credentials, struct strbuf *error)
{
	(void)credentials;
	(void)read_secret;
	strbuf_puts(error, "this prof-analyze was built without libcurl and cannot push: "
			   "install libcurl4-openssl-dev and build it again");
	return NULL;
}

void http_close(struct http *http)
{
	(void)http;
}

bool http_send(struct http *http, const char *method, const char *url, const char *type,
	       const struct strbuf *body, struct http_reply *reply, struct strbuf *error)
{
	(void)http, (void)method, (void)url, (void)type, (void)body, (void)reply,
		(void)error;
	return false;
}

#else

#include <curl/curl.h>
#include <dlfcn.h>

#define LIBRARY "libcurl.so.4"
#define CONNECT_S 5L
#define SILENCE_S 30L /* of a server, which may be merging */
#define REQUEST_S 120L
#define REPLY_MOST (256u << 10)
#define HEADERS_MOST (64u << 10)
#define TOLD_BYTES 300 /* of an error reply */

static struct {
	typeof(curl_easy_init) *init;
	typeof(curl_easy_setopt) *set;
	typeof(curl_easy_perform) *perform;
	typeof(curl_easy_getinfo) *info;
	typeof(curl_easy_cleanup) *cleanup;
	typeof(curl_slist_append) *append;
	typeof(curl_slist_free_all) *free_all;
} libcurl;

struct http {
	CURL *curl;
	char *user, *token; /* one of them, or none */
	char message[CURL_ERROR_SIZE];
	struct http_reply *reply; /* of the request under way */
	size_t header_bytes;
};

static bool load_library(struct strbuf *error)
{
	static const char *const names[] = {"curl_easy_init",	  "curl_easy_setopt",
					    "curl_easy_perform",  "curl_easy_getinfo",
					    "curl_easy_cleanup",  "curl_slist_append",
					    "curl_slist_free_all"};
	void **functions = (void **)&libcurl;
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	_Static_assert(sizeof(libcurl) ==
			       sizeof(names) / sizeof(names[0]) * sizeof(void *),
		       "a name for each function");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		functions[i] = library ? dlsym(library, names[i]) : NULL;
		if (!functions[i]) {
			strbuf_puts(error, "cannot push without " LIBRARY
					   ": install the package libcurl4");
			return false;
		}
	}
	return true;
}

/* More than a reply may have ends the request. */
static size_t take_body(char *data, size_t size, size_t count, void *context)
{
	struct http *http = context;

	if (http->reply->text.size + size * count > REPLY_MOST)
		return 0;
	strbuf_add(&http->reply->text, data, size * count);
	return size * count;
}

static size_t take_header(char *data, size_t size, size_t count, void *context)
{
	struct http *http = context;

	(void)data;
	http->header_bytes += size * count;
	return http->header_bytes > HEADERS_MOST ? 0 : size * count;
}

static void set_limits(struct http *http)
{
	CURL *curl = http->curl;

	libcurl.set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	libcurl.set(curl, CURLOPT_FOLLOWLOCATION, 0L);
	libcurl.set(curl, CURLOPT_NOSIGNAL, 1L);
	libcurl.set(curl, CURLOPT_PATH_AS_IS, 1L);
	libcurl.set(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	libcurl.set(curl, CURLOPT_TIMEOUT, REQUEST_S);
	libcurl.set(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	libcurl.set(curl, CURLOPT_LOW_SPEED_TIME, SILENCE_S);
	libcurl.set(curl, CURLOPT_ERRORBUFFER, http->message);
	libcurl.set(curl, CURLOPT_WRITEFUNCTION, take_body);
	libcurl.set(curl, CURLOPT_WRITEDATA, http);
	libcurl.set(curl, CURLOPT_HEADERFUNCTION, take_header);
	libcurl.set(curl, CURLOPT_HEADERDATA, http);
}

struct http *http_open(const char *credentials, struct strbuf *error)
{
	const char *given = getenv("PROFSHIM_CREDENTIALS");
	char *secret = NULL;
	struct http *http;

	if (!load_library(error))
		return NULL;
	if (credentials)
		secret = read_secret(credentials, error);
	else if (given && *given)
		secret = xstrdup(given);
	if (error->size)
		return NULL;
	http = xcalloc(1, sizeof(*http));
	http->curl = libcurl.init();
	if (!http->curl)
		abort(); /* no memory */
	set_limits(http);
	if (secret && strchr(secret, ':'))
		http->user = secret;
	else
		http->token = secret;
	return http;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	libcurl.cleanup(http->curl);
	free(http->user);
	free(http->token);
	free(http);
}

static void give_credentials(struct http *http)
{
	if (http->user) {
		libcurl.set(http->curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		libcurl.set(http->curl, CURLOPT_USERPWD, http->user);
	} else if (http->token) {
		libcurl.set(http->curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
		libcurl.set(http->curl, CURLOPT_XOAUTH2_BEARER, http->token);
	}
}

/* A query is no place. */
static int shown(const char *url)
{
	return (int)strcspn(url, "?");
}

static void tell_status(const char *url, const struct http_reply *reply,
			struct strbuf *error)
{
	auto_free char *begin = xstrndup(strbuf_text(&reply->text), TOLD_BYTES);

	strbuf_printf(error, "%.*s: the server answers %ld", shown(url), url,
		      reply->status);
	if (reply->status >= 300 && reply->status < 400)
		strbuf_puts(error, ", a redirect, which is not followed");
	else if (reply->status == 401 || reply->status == 403)
		strbuf_puts(error, ": it wants other credentials, see --credentials");
	else if (*begin) {
		strbuf_puts(error, ": ");
		begin[strcspn(begin, "\r\n")] = '\0';
		utf8_clean(error, begin);
	}
}

static void tell_failure(const struct http *http, const char *url, CURLcode code,
			 struct strbuf *error)
{
	if (code == CURLE_WRITE_ERROR) {
		strbuf_printf(error, "%.*s: the server's reply is too long", shown(url),
			      url);
		return;
	}
	strbuf_printf(error, "%.*s: cannot be reached: ", shown(url), url);
	utf8_clean(error, *http->message ? http->message : "no reason is known");
}

bool http_send(struct http *http, const char *method, const char *url, const char *type,
	       const struct strbuf *body, struct http_reply *reply, struct strbuf *error)
{
	char *type_header = xasprintf("Content-Type: %s", type);
	/* an empty one: the body is sent without asking first */
	struct curl_slist *headers =
		libcurl.append(libcurl.append(NULL, "Expect:"), type_header);
	CURLcode code;

	strbuf_reset(&reply->text);
	reply->status = 0;
	http->reply = reply;
	http->header_bytes = 0;
	http->message[0] = '\0';
	libcurl.set(http->curl, CURLOPT_URL, url);
	libcurl.set(http->curl, CURLOPT_HTTPHEADER, headers);
	libcurl.set(http->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
	libcurl.set(http->curl, CURLOPT_POSTFIELDS, strbuf_text(body));
	libcurl.set(http->curl, CURLOPT_CUSTOMREQUEST, method);
	give_credentials(http);
	code = libcurl.perform(http->curl);
	libcurl.info(http->curl, CURLINFO_RESPONSE_CODE, &reply->status);
	libcurl.free_all(headers);
	free(type_header);
	if (code)
		tell_failure(http, url, code, error);
	else if (reply->status < 200 || reply->status > 299)
		tell_status(url, reply, error);
	return !error->size;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Requests by libcurl, see http.h. */
#include "analyzer/push/http.h"

#include "common/base/command.h"
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

static void check_url(const char *url)
{
	const char *host = strstr(url, "://");
	size_t size = strlen(url), length;
	uint32_t character;

	host = host ? host + 3 : url;
	if (host == url || !*host || strchr("/:?#", *host) || size > URL_MOST)
		command_fail(STATUS_USAGE,
			     "'%s' is not the URL of a server, such as http://host:9091",
			     url);
	if (memchr(host, '@', strcspn(host, "/")))
		command_fail(STATUS_USAGE,
			     "a URL with a password is seen by everybody on the machine; "
			     "put USER:PASSWORD into a file for --credentials, or into "
			     "PROFSHIM_CREDENTIALS");
	if (strpbrk(host, "?# "))
		command_fail(STATUS_USAGE, "'%s' has more than a server and a path", url);
	for (size_t i = 0; i < size; i += length) {
		length = plain_text_next(url + i, size - i, &character);
		if (plain_text_is_hidden(character))
			command_fail(STATUS_USAGE,
				     "the URL has characters that cannot be shown");
	}
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

/* The first line of a file that nobody else can read. */
static char *read_secret(const char *path)
{
	char text[SECRET_MOST + 1];
	struct stat status;
	ssize_t size = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && fstat(fd, &status) == 0) {
		if (!S_ISREG(status.st_mode))
			command_fail(STATUS_FAILED, "%s: is not a file", path);
		if (status.st_mode & 077)
			command_fail(STATUS_FAILED,
				     "%s: others can read it: chmod 600 it", path);
		size = read(fd, text, SECRET_MOST);
	}
	if (size < 0)
		command_fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
	close(fd);
	text[size] = '\0';
	text[strcspn(text, "\r\n")] = '\0';
	return xstrdup(text);
}

#ifndef HAVE_LIBCURL

void http_open(const char *url, const char *credentials)
{
	check_url(url);
	(void)credentials, (void)read_secret;
	command_fail(STATUS_FAILED,
		     "this prof-analyze was built without libcurl and cannot push: "
		     "install libcurl4-openssl-dev and build it again");
}

const char *http_send(const char *method, const char *url, const char *type,
		      const struct strbuf *body)
{
	(void)method, (void)url, (void)type, (void)body;
	return NULL;
}

const char *http_error(const char **ret_reply)
{
	(void)ret_reply;
	return "";
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
	typeof(curl_slist_append) *append;
	typeof(curl_slist_free_all) *free_all;
} libcurl;

static struct {
	CURL *curl;
	char message[CURL_ERROR_SIZE];
	struct strbuf reply, error; /* of the last request */
	size_t header_bytes;
} http;

static void load_library(void)
{
	static const char *const names[] = {"curl_easy_init",	 "curl_easy_setopt",
					    "curl_easy_perform", "curl_easy_getinfo",
					    "curl_slist_append", "curl_slist_free_all"};
	void **functions = (void **)&libcurl;
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	_Static_assert(sizeof(libcurl) ==
			       sizeof(names) / sizeof(names[0]) * sizeof(void *),
		       "a name for each function");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		functions[i] = library ? dlsym(library, names[i]) : NULL;
		if (!functions[i])
			command_fail(STATUS_FAILED, "cannot push without " LIBRARY
						    ": install the package libcurl4");
	}
}

/* More than a reply may have ends the request. */
static size_t take_body(char *data, size_t size, size_t count, void *context)
{
	(void)context;
	if (http.reply.size + size * count > REPLY_MOST)
		return 0;
	strbuf_add(&http.reply, data, size * count);
	return size * count;
}

static size_t take_header(char *data, size_t size, size_t count, void *context)
{
	(void)data, (void)context;
	http.header_bytes += size * count;
	return http.header_bytes > HEADERS_MOST ? 0 : size * count;
}

static void set_limits(CURL *curl)
{
	libcurl.set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	libcurl.set(curl, CURLOPT_FOLLOWLOCATION, 0L);
	libcurl.set(curl, CURLOPT_NOSIGNAL, 1L);
	libcurl.set(curl, CURLOPT_PATH_AS_IS, 1L);
	libcurl.set(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	libcurl.set(curl, CURLOPT_TIMEOUT, REQUEST_S);
	libcurl.set(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	libcurl.set(curl, CURLOPT_LOW_SPEED_TIME, SILENCE_S);
	libcurl.set(curl, CURLOPT_ERRORBUFFER, http.message);
	libcurl.set(curl, CURLOPT_WRITEFUNCTION, take_body);
	libcurl.set(curl, CURLOPT_HEADERFUNCTION, take_header);
}

static void set_credentials(CURL *curl, const char *secret)
{
	bool is_user = strchr(secret, ':') != NULL;

	libcurl.set(curl, CURLOPT_HTTPAUTH, is_user ? CURLAUTH_BASIC : CURLAUTH_BEARER);
	libcurl.set(curl, is_user ? CURLOPT_USERPWD : CURLOPT_XOAUTH2_BEARER, secret);
}

void http_open(const char *url, const char *credentials)
{
	const char *secret = getenv("PROFSHIM_CREDENTIALS");

	check_url(url);
	load_library();
	if (credentials)
		secret = read_secret(credentials);
	http.curl = libcurl.init();
	if (!http.curl)
		abort(); /* no memory */
	set_limits(http.curl);
	if (secret && (credentials || *secret))
		set_credentials(http.curl, secret);
}

static void tell_status(const char *url, long status)
{
	auto_free char *begin = xstrndup(strbuf_text(&http.reply), TOLD_BYTES);

	strbuf_printf(&http.error, "%s: the server answers %ld", url, status);
	if (status >= 300 && status < 400)
		strbuf_puts(&http.error, ", a redirect, which is not followed");
	else if (status == 401 || status == 403)
		strbuf_puts(&http.error,
			    ": it wants other credentials, see --credentials");
	else if (*begin) {
		begin[strcspn(begin, "\r\n")] = '\0';
		strbuf_printf(&http.error, ": %s", begin);
	}
}

const char *http_send(const char *method, const char *url, const char *type,
		      const struct strbuf *body)
{
	auto_free char *type_header = xasprintf("Content-Type: %s", type);
	/* a query is no place */
	auto_free char *shown = xstrndup(url, strcspn(url, "?"));
	/* an empty one: the body is sent without asking first */
	struct curl_slist *headers =
		libcurl.append(libcurl.append(NULL, "Expect:"), type_header);
	long status = 0;
	CURLcode code;

	strbuf_reset(&http.reply);
	strbuf_reset(&http.error);
	http.header_bytes = 0;
	http.message[0] = '\0';
	libcurl.set(http.curl, CURLOPT_URL, url);
	libcurl.set(http.curl, CURLOPT_HTTPHEADER, headers);
	libcurl.set(http.curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
	libcurl.set(http.curl, CURLOPT_POSTFIELDS, strbuf_text(body));
	libcurl.set(http.curl, CURLOPT_CUSTOMREQUEST, method);
	code = libcurl.perform(http.curl);
	libcurl.info(http.curl, CURLINFO_RESPONSE_CODE, &status);
	libcurl.free_all(headers);
	if (code == CURLE_WRITE_ERROR)
		strbuf_printf(&http.error, "%s: the server's reply is too long", shown);
	else if (code)
		strbuf_printf(&http.error, "%s: cannot be reached: %s", shown,
			      *http.message ? http.message : "no reason is known");
	else if (status < 200 || status > 299)
		tell_status(shown, status);
	return http.error.size ? NULL : strbuf_text(&http.reply);
}

const char *http_error(const char **ret_reply)
{
	if (ret_reply)
		*ret_reply = strbuf_text(&http.reply);
	return strbuf_text(&http.error);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Requests to a server that a run is pushed to. libcurl is loaded when the first one is
 * wanted: with it in every start of prof-analyze, each start would take as long as a
 * small report.
 *
 * The server is not trusted: redirects are not followed, replies and headers are bounded,
 * and each request ends in time. Must not show credentials, or take them from a URL.
 */
#pragma once

#include "common/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* What people may name a server by; with a port, a path, and no credentials. */
struct http_reply {
	long status;	    /* of HTTP */
	struct strbuf text; /* the body; of an error its beginning */
};

struct http;

/* Checks that a URL begins with one of our schemes and has no credentials, query or
 * character that would not be shown. error: one sentence. */
bool http_check_url(const char *url, struct strbuf *error);
/* credentials: a file, or NULL: PROFSHIM_CREDENTIALS, if that is set. NULL with a
 * sentence in error when libcurl is missing or the file is not fit for secrets. */
struct http *http_open(const char *credentials, struct strbuf *error);
void http_close(struct http *http);
/* Sends a body and reads the reply, whose text is emptied first. False: there was no
 * reply, or one with an error status; error has a sentence. */
bool http_send(struct http *http, const char *method, const char *url, const char *type,
	       const struct strbuf *body, struct http_reply *reply, struct strbuf *error);
/* Appends text as part of a URL. */
void http_escape(struct strbuf *url, const char *text);

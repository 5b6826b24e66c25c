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

/* Gets ready for requests. Ends the command if a URL that the user gave has credentials,
 * a query or a character that would not be shown, without libcurl, or if the file is not
 * fit for secrets. credentials: a file, or NULL: PROFSHIM_CREDENTIALS, if that is set. */
void http_open(const char *url, const char *credentials);
/* Sends a body. Returns the body of the reply, valid until the next call; NULL: there was
 * no reply, or one with an error status, and http_error() tells. */
const char *http_send(const char *method, const char *url, const char *type,
		      const struct strbuf *body);
/* One sentence; *ret_reply (may be NULL): the reply with it. */
const char *http_error(const char **ret_reply);
/* Appends text as part of a URL. */
void http_escape(struct strbuf *url, const char *text);

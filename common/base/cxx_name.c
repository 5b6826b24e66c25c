/* SPDX-License-Identifier: MIT */
/* Taking demangled names apart, as libiberty writes them. */
#include "common/base/cxx_name.h"

#include <ctype.h>
#include <string.h>

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

const char *cxx_name_skip_operator(const char *at)
{
	at += strlen("operator");
	if (starts_with(at, "()"))
		return at + 2;
	if (*at == ' ' || is_word(*at))
		return at + strcspn(at, "(<");
	at += strspn(at, "<>=!+-*/%^&|~,[]");
	/* "operator< <int>" is spaced to be read */
	return starts_with(at, " <") ? at + 1 : at;
}

bool cxx_name_is_operator(const char *name, const char *at)
{
	return starts_with(at, "operator") && (at == name || !is_word(at[-1])) &&
	       !is_word(at[8]);
}

const char *cxx_name_closing(const char *text)
{
	size_t depth = 0;

	for (; *text; text++) {
		if (strchr("(<[{", *text))
			depth++;
		/* not the arrow of a trailing return type */
		else if (strchr(")>]}", *text) && !(*text == '>' && text[-1] == '-') &&
			 --depth == 0)
			return text;
	}
	return text;
}

struct cxx_name cxx_name_parts(const char *name)
{
	struct cxx_name parts = {name, name, name + strlen(name)};

	for (const char *at = name; *at;) {
		if (cxx_name_is_operator(name, at)) {
			at = cxx_name_skip_operator(at);
		} else if (starts_with(at, " [")) {
			parts.parameters = at;
			break;
		} else if (*at == ' ') {
			parts.name = parts.last = ++at;
		} else if (starts_with(at, "::")) {
			at += 2;
			parts.last = at;
		} else if (*at == '(' && at > name && at[-1] != ' ' &&
			   !starts_with(cxx_name_closing(at), ")::")) {
			parts.parameters = at;
			break;
		} else if (strchr("(<[{", *at)) {
			at = cxx_name_closing(at);
			at += *at != '\0';
		} else {
			at++;
		}
	}
	return parts;
}

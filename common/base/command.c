/* SPDX-License-Identifier: MIT */
/* How a command ends. */
#include "common/base/command.h"

#include "common/base/xalloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of LeakSanitizer; there only in a build with it. */
__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);

struct strbuf command_failure_end;
void (*command_failed)(int status, const char *text);

/* The text in one line. Owned by caller. */
static char *one_line(const char *format, va_list arguments)
{
	struct strbuf clean = {0};
	auto_free char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		text = xstrdup("out of memory");
	utf8_clean(&clean, text);
	return clean.size ? clean.data : xstrdup("");
}

void command_say(const char *format, ...)
{
	auto_free char *line = NULL;
	va_list arguments;

	va_start(arguments, format);
	line = one_line(format, arguments);
	va_end(arguments);
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
}

void command_fail_lines(int status, const char *text)
{
	auto_free char *all = xasprintf("%s%s", text, strbuf_text(&command_failure_end));
	const char *separator = ": ";

	if (command_failed)
		command_failed(status, all);
	fputs(program_invocation_short_name, stderr);
	for (char *rest = all, *line; (line = strsep(&rest, "\n")); separator = "\n") {
		ended_by(strbuf_free) struct strbuf clean = {0};

		utf8_clean(&clean, line);
		fprintf(stderr, "%s%s", separator, strbuf_text(&clean));
	}
	fputc('\n', stderr);
	exit(status);
}

void command_fail(int status, const char *format, ...)
{
	va_list arguments;
	char *line;

	va_start(arguments, format);
	line = one_line(format, arguments);
	va_end(arguments);
	command_fail_lines(status, line);
}

void command_keep_memory(void)
{
	if (__lsan_disable)
		__lsan_disable();
}

void command_free_memory(void)
{
	if (__lsan_enable)
		__lsan_enable();
}

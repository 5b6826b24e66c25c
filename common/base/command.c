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

struct strbuf command_failure_end;
void (*command_failed)(enum exit_status status, const char *text);

void command_say(const char *sentence)
{
	ended_by(strbuf_free) struct strbuf clean = {0};

	while (*sentence) {
		auto_free char *line = xstrndup(sentence, strcspn(sentence, "\n"));

		utf8_clean(&clean, line);
		sentence += strlen(line);
		if (*sentence == '\n') {
			strbuf_putc(&clean, '\n');
			sentence++;
		}
	}
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, strbuf_text(&clean));
}

void command_fail_lines(enum exit_status status, const char *text)
{
	auto_free char *all = xasprintf("%s%s", text, strbuf_text(&command_failure_end));

	if (command_failed)
		command_failed(status, all);
	command_say(all);
	exit(status);
}

void command_fail(enum exit_status status, const char *format, ...)
{
	struct strbuf clean = {0};
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = xstrdup("out of memory");
	va_end(arguments);
	utf8_clean(&clean, text);
	command_fail_lines(status, strbuf_text(&clean));
}

void command_keep_memory(void)
{
	if (__lsan_disable)
		__lsan_disable();
}

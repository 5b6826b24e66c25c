/* SPDX-License-Identifier: MIT */
/* The texts of a run's row: when, what, on which machine. Must not know a table. */
#include "collector/store/text.h"
#include "common/base/xalloc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void store_utc(uint64_t realtime_ns, char *text, size_t size)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000u);
	char date[64];
	struct tm utc;

	if (!gmtime_r(&seconds, &utc) ||
	    !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc))
		date[0] = 0;
	snprintf(text, size, "%s.%03uZ", date,
		 (unsigned)(realtime_ns / 1000000u % 1000u));
}

static int is_plain(const char *argument)
{
	for (const char *at = argument; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("_-./=:,+@%", *at))
			return 0;
	}
	return *argument != 0;
}

char *store_command(const struct read_process *process)
{
	const char *end = process->command + process->command_size, *at;
	/* a quote becomes four characters; quotes and a space around */
	char *text = xmalloc((size_t)process->command_size * 4 + 8), *out = text;

	for (at = process->command; at < end; at += strlen(at) + 1) {
		if (out != text)
			*out++ = ' ';
		if (is_plain(at)) {
			out = stpcpy(out, at);
			continue;
		}
		*out++ = '\'';
		for (const char *c = at; *c; c++) {
			if (*c == '\'')
				out = stpcpy(out, "'\\''");
			else
				*out++ = *c;
		}
		*out++ = '\'';
	}
	*out = 0;
	return text;
}

void store_cpu_model(char *text, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512];

	*text = 0;
	while (file && !*text && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (!value || strncmp(line, "model name", 10) != 0)
			continue;
		value[strcspn(value, "\n")] = 0;
		snprintf(text, size, "%s", value + 1 + (value[1] == ' '));
	}
	if (file)
		fclose(file);
}

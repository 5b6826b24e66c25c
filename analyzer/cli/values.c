/* SPDX-License-Identifier: MIT */
/* Values of options, read or refused. */
#include "analyzer/cli/values.h"

#include "common/base/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_LEAST 300
#define WIDTH_MOST 100000
#define EVERY_LEAST_MS 10
#define EVERY_MOST_MS 86400000

const struct renderer *cli_parse_format(const char *text, const struct argp_state *state)
{
	struct strbuf names = {0};

	strbuf_puts(&names, "; there are ");
	for (size_t i = 0; i < renderer_registry_count; i++) {
		if (strcmp(renderer_registry[i]->name, text) == 0) {
			strbuf_free(&names);
			return renderer_registry[i];
		}
		strbuf_printf(&names, "%s%s", i ? ", " : "", renderer_registry[i]->name);
	}
	options_refuse(state, "--format: there is no format '%s'%s", text,
		       strbuf_text(&names));
	strbuf_free(&names);
	return NULL;
}

long cli_parse_limit(const char *text, const struct argp_state *state)
{
	long limit;

	if (!options_number(text, 0, LONG_MAX, &limit))
		options_refuse(state, "--limit: '%s' is not a number of rows%s", text,
			       strchr(text, '=') ? "; limits of a comparison are --gate"
						 : "");
	return limit;
}

double cli_parse_share(const char *text, const struct argp_state *state)
{
	char *end;
	double share = strtod(text, &end);

	if (*text && strcmp(end, "%") == 0)
		end++;
	if (!*text || *end || !(share >= 0 && share <= 100))
		options_refuse(state, "--min-share: '%s' is not a percentage", text);
	return share;
}

unsigned cli_parse_width(const char *text, const struct argp_state *state)
{
	long width;

	if (!options_number(text, WIDTH_LEAST, WIDTH_MOST, &width))
		options_refuse(state,
			       "--width: '%s' is not a number of pixels from %d to %d",
			       text, WIDTH_LEAST, WIDTH_MOST);
	return (unsigned)width;
}

long cli_parse_count(const char *option, const char *text, const struct argp_state *state)
{
	long count;

	if (!options_number(text, 1, 1000000000, &count))
		options_refuse(state, "%s: '%s' is not a number from 1 on", option, text);
	return count;
}

unsigned cli_parse_every(const char *text, const struct argp_state *state)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
	char *end;
	double value = strtod(text, &end), ms = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && end != text; i++)
		if (strcmp(end, units[i].name) == 0)
			ms = value * units[i].ms;
	if (!(ms >= EVERY_LEAST_MS && ms <= EVERY_MOST_MS))
		options_refuse(
			state,
			"--every: '%s' is not a time from 10ms to 24h, such as 30s",
			text);
	return (unsigned)ms;
}

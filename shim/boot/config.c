/* SPDX-License-Identifier: MIT */
/*
 * Parser of the PROFSHIM_* environment. Runs on: the constructor. getenv() is not usable
 * yet: libc's own constructor comes after ours (-z initfirst), so the entries are walked
 * here.
 */
#include "shim/boot/boot.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/duration.h"
#include "common/segment_samples.h"
#include "common/selection.h"
#include "shim/lane/lane.h"
#include "shim/wrap/begin.h"

void config_ignore(struct config *config, const char *name, const char *value)
{
	char *ignored = config->run->setting_ignored;

	if (!ignored[0])
		snprintf(ignored, sizeof(config->run->setting_ignored), "%s=%s", name,
			 value);
}

/* Its value; NULL: it is unset, or empty, which is the same. */
static const char *given(char **environment, const char *name)
{
	const char *value = variable_find(environment, name);

	return value && *value ? value : NULL;
}

static void set_text(char *to, size_t size, const char *value)
{
	snprintf(to, size, "%s", value ? value : "");
}

/* A whole number without a sign, up to where *ret_end is. 0: there is none. */
static int take_number(const char *text, unsigned long *ret, char **ret_end)
{
	errno = 0;
	*ret = strtoul(text, ret_end, 10);
	return !errno && *ret_end != text && *text != '-';
}

static void read_number(struct config *config, char **environment, const char *name,
			unsigned long low, unsigned long high, unsigned int *result)
{
	const char *value = given(environment, name);
	unsigned long number;
	char *end;

	if (!value)
		return;
	if (!take_number(value, &number, &end) || *end || number < low || number > high)
		config_ignore(config, name, value);
	else
		*result = (unsigned int)number;
}

/* "10", "10s" and "500ms"; at most a day. */
static void read_duration(struct config *config, char **environment, const char *name,
			  unsigned int *ret_ms)
{
	const char *value = given(environment, name);
	unsigned long number, scale = 0;
	char *end;

	if (!value)
		return;
	if (take_number(value, &number, &end))
		scale = !*end || !strcmp(end, "s") ? 1000 : !strcmp(end, "ms");
	if (!scale || number > 86400)
		config_ignore(config, name, value);
	else
		*ret_ms = (unsigned int)(number * scale);
}

/* "USR2", "SIGUSR2" and "12". */
static void read_signal(struct config *config, char **environment)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"HUP", SIGHUP}, {"USR1", SIGUSR1},   {"USR2", SIGUSR2},
		       {"URG", SIGURG}, {"WINCH", SIGWINCH}, {"IO", SIGIO},
		       {"PWR", SIGPWR}};
	const char *value = given(environment, "PROFSHIM_SNAPSHOT_SIGNAL"), *name = value;
	char *end;
	long number;

	if (!value)
		return;
	if (!strncmp(name, "SIG", 3))
		name += 3;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (!strcmp(name, signals[i].name))
			config->snapshot_signal = signals[i].number;
	}
	if (config->snapshot_signal)
		return;
	number = strtol(value, &end, 10);
	if (*end || number < 1 || number > 64 || number == SIGKILL || number == SIGSTOP ||
	    number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL)
		config_ignore(config, "PROFSHIM_SNAPSHOT_SIGNAL", value);
	else
		config->snapshot_signal = (int)number;
}

static void read_snapshots(struct config *config, char **environment)
{
	read_duration(config, environment, "PROFSHIM_SNAPSHOT_EVERY",
		      &config->run->snapshot_every_ms);
	read_signal(config, environment);
	config->snapshot_at = variable_find(environment, "PROFSHIM_SNAPSHOT_AT");
}

/* Calls as long as that are worth a line of their own; fewer, when there are many. */
#define SPANS_AUTO_NS 10000u

static void read_spans(struct config *config, char **environment)
{
	const char *value = given(environment, "PROFSHIM_SPANS");

	if (!value || !strcmp(value, "auto"))
		return;
	if (!strcmp(value, "off"))
		config->run->span_floor_ns = 0;
	else if (!duration_read(value, SEGMENT_SPAN_FLOOR_LIMIT_NS,
				&config->run->span_floor_ns))
		config_ignore(config, "PROFSHIM_SPANS", value);
}

static void read_report(struct config *config, char **environment)
{
	static const char *const words[] = {[SEGMENT_REPORT_TEXT] = "text",
					    [SEGMENT_REPORT_MD] = "md",
					    [SEGMENT_REPORT_JSON] = "json"};
	const char *value = given(environment, "PROFSHIM_REPORT");

	if (!value)
		return;
	for (int i = SEGMENT_REPORT_TEXT; i <= SEGMENT_REPORT_JSON; i++) {
		if (!strcmp(value, words[i]))
			config->run->report = (uint32_t)i;
	}
	if (!config->run->report)
		config_ignore(config, "PROFSHIM_REPORT", value);
}

/* Decided by scripts/fidelity: with a budget the corrected times are nearer to those of
 * the plain program, and it runs many times faster (docs/fidelity.md). */
#define DEFAULT_LEVEL "full"
#define DEFAULT_OVERHEAD_PERCENT 10

/* Levels are names for budgets. */
static void read_level(struct config *config, const char *level)
{
	static const struct {
		const char *name;
		double overhead_percent;
	} levels[] = {
		{"off", 0}, {"exact", 0}, {"basic", 1}, {"detailed", 5}, {"full", 10}};

	if (!level || !*level)
		return;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(level, levels[i].name) != 0)
			continue;
		config->off = i == 0;
		set_text(config->run->level, sizeof(config->run->level), levels[i].name);
		config->run->overhead_percent = levels[i].overhead_percent;
		return;
	}
	config_ignore(config, "PROFSHIM_LEVEL", level);
}

/* A budget of one's own comes before a level's. */
static void read_overhead(struct config *config, char **environment)
{
	const char *value = given(environment, "PROFSHIM_OVERHEAD");
	double percent;
	char *end;

	if (!value)
		return;
	percent = strtod(value, &end);
	if (end != value && *end == '%')
		end++;
	if (end == value || *end || !(percent >= 0.1 && percent <= 1000)) {
		config_ignore(config, "PROFSHIM_OVERHEAD", value);
		return;
	}
	config->run->overhead_percent = percent;
	set_text(config->run->level, sizeof(config->run->level), "budget");
}

/* One of two words, of which the first is said by 1. */
static int read_switch(struct config *config, char **environment, const char *name,
		       const char *word, const char *other)
{
	const char *value = given(environment, name);

	if (value && strcmp(value, word) != 0 && strcmp(value, other) != 0)
		config_ignore(config, name, value);
	return value && !strcmp(value, word);
}

static void read_words(struct config *config, char **environment)
{
	read_level(config, variable_find(environment, "PROFSHIM_LEVEL"));
	read_overhead(config, environment);
	config->run->follow = (uint32_t)!read_switch(config, environment,
						     "PROFSHIM_FOLLOW", "none", "all");
	config->keeps_code =
		read_switch(config, environment, "PROFSHIM_PATCH", "off", "on");
	config->leaves_waits =
		read_switch(config, environment, "PROFSHIM_WAITS", "off", "on");
}

/* The collector compiles it; a part of it would be another expression. */
static void read_library(struct config *config, char **environment)
{
	const char *value = variable_find(environment, "PROFSHIM_LIBRARY");

	if (value && strlen(value) >= SEGMENT_RULES_MAX)
		config_ignore(config, "PROFSHIM_LIBRARY", "(too long)");
	else
		set_text(config->run->library, SEGMENT_RULES_MAX, value);
}

/* Both or one; a list with a mistake in it selects nothing. */
static void read_selection(struct config *config, char **environment)
{
	static const char *const names[] = {"PROFSHIM_ONLY", "PROFSHIM_SKIP"};
	char *lists[] = {config->run->only, config->run->skip};
	struct selection selection;

	read_library(config, environment);
	for (int i = 0; i < 2; i++) {
		const char *value = given(environment, names[i]);

		if (!value)
			continue;
		if (selection_read(&selection, i == 0 ? value : config->run->only,
				   i == 0 ? NULL : value))
			config_ignore(config, names[i], value);
		else
			set_text(lists[i], SEGMENT_RULES_MAX, value);
	}
}

/* "Parser::next" and "Parser::next:1000". */
static void read_conditions(struct config *config, char **environment)
{
	const char *value = given(environment, "PROFSHIM_FROM"), *colon;
	char *end;

	config->until = variable_find(environment, "PROFSHIM_UNTIL");
	config->while_step = given(environment, "PROFSHIM_WHILE_STEP");
	if (!value)
		return;
	colon = strrchr(value, ':');
	config->from = value;
	config->from_length = (unsigned int)strlen(value);
	config->from_call = 1;
	if (!colon || colon == value || colon[-1] == ':')
		return;
	config->from_length = (unsigned int)(colon - value);
	if (!take_number(colon + 1, &config->from_call, &end) || *end ||
	    !config->from_call) {
		config_ignore(config, "PROFSHIM_FROM", value);
		config->from = NULL;
		config->from_call = 0;
	}
}

/* "auto", "off", "timer", or so many a second of a thread's CPU time. 0: none of them. */
static int take_samples(struct config *config, const char *text)
{
	unsigned long rate = SEGMENT_SAMPLES_AUTO;
	char *end;

	if (!strcmp(text, "off"))
		rate = SEGMENT_SAMPLES_OFF;
	else if (!strcmp(text, "timer"))
		rate = SEGMENT_SAMPLES_TIMER;
	else if (strcmp(text, "auto") != 0 && (!take_number(text, &rate, &end) || *end ||
					       !rate || rate > SEGMENT_SAMPLES_MOST_HZ))
		return 0;
	config->run->sample_hz = (unsigned int)rate;
	return 1;
}

/* Also "only", and "only:2000": nothing else. */
static void read_samples(struct config *config, char **environment)
{
	const char *value = given(environment, "PROFSHIM_SAMPLES"), *rate = value;
	int is_only = value && !strncmp(value, "only", 4) && strchr(":", value[4]);

	config->run->sample_hz = SEGMENT_SAMPLES_AUTO;
	if (is_only)
		rate += value[4] ? 5 : 4;
	if (rate && (*rate || !is_only) && !take_samples(config, rate))
		config_ignore(config, "PROFSHIM_SAMPLES", value);
	else
		config->run->samples_only = (uint32_t)is_only;
}

/* "off", and a list of functions, of which "auto" is none: those that are found. */
static void read_why(struct config *config, char **environment)
{
	const char *value = given(environment, "PROFSHIM_WHY");

	config->why = value ? value : "auto";
	if (!strcmp(config->why, "off"))
		config->why = "";
}

void config_read(struct config *config, struct segment_run *run, char **environment)
{
	const char *value;

	memset(run, 0, sizeof(*run));
	*config = (struct config){.run = run, .wait_ms = 10000};
	run->stack_depth_limit = 64;
	run->path_limit = SEGMENT_PATH_LIMIT;
	run->span_floor_ns = SPANS_AUTO_NS;
	set_text(run->level, sizeof(run->level), DEFAULT_LEVEL);
	run->overhead_percent = DEFAULT_OVERHEAD_PERCENT;
	value = given(environment, "PROFSHIM_OUTPUT");
	config->output = value ? value : "run.db";
	set_text(run->label, sizeof(run->label), given(environment, "PROFSHIM_LABEL"));
	config->collector = given(environment, "PROFSHIM_COLLECTOR");
	config->joined_run = given(environment, "PROFSHIM_RUN");
	config->joins_only = variable_find(environment, EXEC_MARK_NAME) != NULL;
	job_read(environment, &config->job);
	read_samples(config, environment);
	read_words(config, environment);
	read_selection(config, environment);
	read_conditions(config, environment);
	read_why(config, environment);
	read_report(config, environment);
	read_spans(config, environment);
	read_duration(config, environment, "PROFSHIM_WAIT", &config->wait_ms);
	read_snapshots(config, environment);
	read_number(config, environment, "PROFSHIM_STACK_DEPTH", 1, LANE_STACK_LIMIT,
		    &run->stack_depth_limit);
	read_number(config, environment, "PROFSHIM_MAX_PATHS", 1, 1ul << 30,
		    &run->path_limit);
}

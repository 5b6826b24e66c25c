/* SPDX-License-Identifier: MIT */
/* The command `watch`: judge, and react to what is new. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/live/source.h"
#include "analyzer/live/watch/judge.h"
#include "analyzer/live/watch/react.h"
#include "analyzer/rules/rule.h"
#include "collector/follow/follow.h"
#include "collector/symbols/target.h"
#include "common/base/intern.h"
#include "common/base/utf8.h"
#include "common/base/xalloc.h"

#define EVERY_MS 10000
#define EVERY_LEAST_MS 1000
#define MOST_OF_CPU 25 /* reading a run takes a part of so many */
#define END_LOOK_MS 200

struct watch {
	struct follow *follow;
	struct judge judge;
	struct react react;
	struct intern seen; /* findings, by what they are about */
	uint64_t cost_ns;   /* CPU time of judging */
};

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One and the same finding may have another score, and other evidence, later. */
static bool is_new(struct watch *watch, const struct finding *finding)
{
	struct strbuf about = {0};
	bool is_new;

	strbuf_printf(&about, "%s\1%s\1%s\1%s", finding->rule->id,
		      finding->function ? finding->function : "",
		      finding->chain ? finding->chain : "",
		      finding->step ? finding->step : "");
	intern_text(&watch->seen, strbuf_text(&about), &is_new);
	strbuf_free(&about);
	return is_new;
}

static void tell(const struct finding *finding, int result)
{
	const char *name = finding_name(finding);
	struct strbuf clean = {0};

	utf8_clean(&clean, name ? name : "the whole run");
	printf("%s %s %s: %s", finding->rule->id, finding->rule->slug,
	       severity_word(finding->severity), strbuf_text(&clean));
	if (result < 0)
		printf("; the command cannot be run: %s", strerror(-result));
	else if (result >= 128)
		printf("; the command was ended by signal %d", result - 128);
	else if (result)
		printf("; the command ended with %d", result);
	putchar('\n');
	fflush(stdout);
	strbuf_free(&clean);
}

/* What is told to people: nothing of severity info. */
static int react_to_new(struct watch *watch)
{
	const struct findings *findings = &watch->judge.found.findings;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];
		int result;

		if (finding->severity < SEVERITY_LOW || !is_new(watch, finding))
			continue;
		result = react_run(&watch->react, findings, i);
		tell(finding, result);
		if (result == -ENOENT || result == -EACCES)
			return result; /* nor will it be there the next time */
	}
	return 0;
}

static enum exit_status cannot_run(struct report_input *input, const char *command,
				   int result)
{
	strbuf_printf(&input->error, "cannot run %s: %s", command, strerror(-result));
	return STATUS_FAILED;
}

static enum exit_status look(struct watch *watch)
{
	struct report_input *input = watch->judge.input;
	uint64_t began_ns = cpu_ns();
	enum exit_status status = judge_run(&watch->judge);
	int result;

	watch->cost_ns = cpu_ns() - began_ns;
	if (status == STATUS_NOTHING) {
		strbuf_reset(&input->error);
		return STATUS_OK;
	}
	result = status == STATUS_OK ? react_to_new(watch) : 0;
	if (result == 0)
		return status;
	return cannot_run(input, watch->react.words[0], result);
}

/* Those that were known have, and nobody has come since. */
static bool has_ended(const struct watch *watch)
{
	return follow_has_ended(watch->follow) && follow_look(watch->follow) == 0 &&
	       watch->follow->is_over;
}

/* true: the program has ended meanwhile. */
static bool wait_for_next(const struct watch *watch, unsigned every_ms)
{
	struct timespec pause = {.tv_nsec = END_LOOK_MS * 1000000L};
	uint64_t least_ms = watch->cost_ns * MOST_OF_CPU / 1000000;
	uint64_t left_ms = least_ms > every_ms ? least_ms : every_ms;

	while (left_ms) {
		if (has_ended(watch))
			return true;
		nanosleep(&pause, NULL);
		left_ms -= left_ms < END_LOOK_MS ? left_ms : END_LOOK_MS;
	}
	return false;
}

/* The last look is at what was stored. */
static enum exit_status run(struct watch *watch, const struct report_options *options)
{
	unsigned every_ms = options->every_ms ? options->every_ms : EVERY_MS;
	enum exit_status status = STATUS_OK;
	bool is_last = false;

	if (every_ms < EVERY_LEAST_MS)
		every_ms = EVERY_LEAST_MS;
	for (long i = 0;
	     status == STATUS_OK && !is_last && (!options->count || i < options->count);
	     i++) {
		is_last = wait_for_next(watch, every_ms);
		status = look(watch);
	}
	return status;
}

static const char **command_of(const struct report_options *options)
{
	const char **words = xcalloc(options->word_count + 1, sizeof(*words));

	if (options->word_count)
		memcpy(words, options->words, options->word_count * sizeof(*words));
	return words;
}

/* Whether it can be run is not found out only when there is a finding. */
static int look_for_command(const struct report_options *options)
{
	struct target_report target;
	int result;

	if (!options->word_count)
		return 0;
	result = target_examine(options->words[0], &target);
	return result == -ENOENT || result == -EACCES ? result : 0;
}

static enum exit_status serve(struct report_input *input)
{
	const struct report_options *options = input->options;
	struct watch watch = {.judge = {.input = input}};
	int result = look_for_command(options);
	enum exit_status status;

	if (result < 0)
		return cannot_run(input, options->words[0], result);
	status = source_open(options->argument, &watch.follow, &input->error);
	if (status != STATUS_OK)
		return status;
	follow_look(watch.follow);
	watch.judge.output = xstrdup(watch.follow->page.output);
	watch.judge.token = xasprintf("%016" PRIx64, watch.follow->page.token);
	watch.react = (struct react){.words = command_of(options),
				     .output = watch.judge.output,
				     .pid = watch.follow->first_pid};
	status = run(&watch, options);
	judge_done(&watch.judge);
	follow_close(watch.follow);
	intern_free(&watch.seen);
	free(watch.react.words);
	return status;
}

const struct report report_watch = {
	.name = "watch",
	.argument = "PID|DB",
	.other_argument = "-- COMMAND...",
	.summary = "run a command when a finding appears",
	.description =
		"Applies the rules of 'bottlenecks' to the run of a process that is "
		"being "
		"recorded, or that is being recorded into DB, every ten seconds "
		"(--every; "
		"less often when reading the run takes long) and when it has ended. For "
		"each finding of severity low or above that was not there before, "
		"COMMAND "
		"is run, one at a time: the finding is in variables PROF_FINDING_* and, "
		"as "
		"JSON, on its standard input; docs/live.md has them. It ends with the "
		"program, or after --count looks.",
	.example = "prof-analyze watch $(pidof app) -- ./notify.sh",
	.takes = TAKES_NO_DATABASE | TAKES_ONLY_WORDS | TAKES_MORE_WORDS | TAKES_WATCH |
		 TAKES_RULES | TAKES_SUPPRESSIONS,
	.serve = serve,
};

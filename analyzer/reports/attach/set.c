/* SPDX-License-Identifier: MIT */
/*
 * `prof-analyze set`: another budget, or other rules, for a run that goes on. Runs on:
 * one thread; the processes it is about go on meanwhile. Must not stop or signal them.
 */
#include "common/base/utf8.h"
#include "common/selection.h"
#include "analyzer/reports/common.h"
#include "collector/live/attach_set.h"
#include "collector/selection/uncollected.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PERCENT 0.1
#define MOST_PERCENT 1000

/* What is to be refused, as a sentence in input->error. */
static enum exit_status refuse(struct report_input *input, const char *before,
			       const char *word, const char *after)
{
	strbuf_puts(&input->error, before);
	utf8_clean(&input->error, word);
	strbuf_puts(&input->error, after);
	return STATUS_USAGE;
}

static enum exit_status read_overhead(struct report_input *input, const char *value,
				      double *percent, struct attach_request *ret)
{
	char *end;

	ret->has_first_overhead = !strcmp(value, "default");
	ret->overhead = ret->has_first_overhead ? NULL : percent;
	*percent = 0;
	if (ret->has_first_overhead || !strcmp(value, "off"))
		return STATUS_OK;
	*percent = strtod(value, &end);
	if (end != value && *end == '%')
		end++;
	if (end != value && !*end && *percent >= LEAST_PERCENT &&
	    *percent <= MOST_PERCENT)
		return STATUS_OK;
	return refuse(input,
		      "overhead takes 0.1 to 1000 (per cent), off or default, not '",
		      value, "'");
}

static enum exit_status read_rules(struct report_input *input, const char *key,
				   const char *value)
{
	struct selection selection;
	const char *wrong = selection_read(&selection, value, NULL);

	if (!wrong)
		return STATUS_OK;
	strbuf_printf(&input->error, "%s: %s: '", key, wrong);
	return refuse(input, "", value, "'");
}

static enum exit_status read_word(struct report_input *input, const char *word,
				  double *percent, struct attach_request *ret)
{
	const char *value = strchr(word, '=');
	size_t length = value ? (size_t)(value++ - word) : 0;

	if (length == 8 && !strncmp(word, "overhead", length))
		return read_overhead(input, value, percent, ret);
	if (length == 4 && !strncmp(word, "only", length)) {
		ret->only = value;
		return read_rules(input, "only", value);
	}
	if (length == 4 && !strncmp(word, "skip", length)) {
		ret->skip = value;
		return read_rules(input, "skip", value);
	}
	return refuse(input, "'", word,
		      "' is none of overhead=PERCENT, only=RULES and skip=RULES");
}

static void put_rules(struct strbuf *text, const char *name, const char *rules)
{
	strbuf_printf(text, ", %s: ", name);
	if (*rules)
		utf8_clean(text, rules);
	else
		strbuf_puts(text, "no rules");
}

static void describe(struct doc *doc, long pid, const struct segment_setting *setting,
		     int is_taken)
{
	struct strbuf text = {0};

	strbuf_printf(&text, "The run of process %ld has now: overhead: ", pid);
	if (setting->overhead_percent > 0)
		strbuf_printf(&text, "%g %%", setting->overhead_percent);
	else
		strbuf_puts(&text, "no budget");
	put_rules(&text, "only", setting->only);
	put_rules(&text, "skip", setting->skip);
	strbuf_puts(&text, ".");
	doc_note(doc, "set", NOTE_GOOD, strbuf_text(&text), NULL);
	strbuf_reset(&text);
	if (is_taken)
		strbuf_printf(&text, "Process %ld follows.", pid);
	else
		strbuf_printf(&text,
			      "Process %ld has not followed yet: it will with its next "
			      "calls of functions that are recorded.",
			      pid);
	doc_note(doc, "taken", is_taken ? NOTE_GOOD : NOTE_WARNING, strbuf_text(&text),
		 NULL);
	strbuf_free(&text);
}

/* Rules that are new and fit nothing: mistyped ones do. */
static void tell_unfitted(struct doc *doc, long pid,
			  const struct segment_setting *setting, uint64_t fitted)
{
	struct strbuf text = {0}, rule = {0};
	struct selection selection;
	uint32_t count = 0;

	if (setting->rules_generation != setting->generation ||
	    selection_read(&selection, setting->only, setting->skip))
		return;
	fitted |= selection_sources(&selection);
	strbuf_printf(&text,
		      "No function fits, in the objects that process %ld has called "
		      "functions of so far: ",
		      pid);
	for (uint32_t i = 0; i < selection.count; i++) {
		if (fitted >> i & 1)
			continue;
		strbuf_reset(&rule);
		strbuf_printf(&rule, "%.*s", (int)selection.rules[i].length,
			      selection.rules[i].text);
		strbuf_puts(&text, count++ ? ", " : "");
		utf8_clean(&text, strbuf_text(&rule));
	}
	strbuf_puts(&text, ".");
	if (count)
		doc_note(doc, "unfitted", NOTE_WARNING, strbuf_text(&text), NULL);
	strbuf_free(&rule);
	strbuf_free(&text);
}

/* Rules about sources are applied by who collects the run, or by us. */
static void apply_rules(void *data, const struct rundir *rundir,
			const struct segment_run *page)
{
	uncollected_answer(rundir, page, data);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	const struct report_options *options = input->options;
	struct strbuf trouble = {0};
	struct attach_request request = {.published = apply_rules, .data = &trouble};
	struct segment_setting setting;
	char reason[512] = "", *end;
	enum exit_status status = STATUS_OK;
	double percent;
	struct attach_taken taken;
	long pid;

	errno = 0;
	pid = strtol(options->argument, &end, 10);
	if (errno || *end || pid <= 0 || pid > INT32_MAX)
		return refuse(input, "'", options->argument, "' is not a process number");
	for (size_t i = 0; i < options->word_count && status == STATUS_OK; i++)
		status = read_word(input, options->words[i], &percent, &request);
	if (status != STATUS_OK)
		return status;
	if (attach_set((int)pid, &request, &setting, &taken, reason, sizeof(reason)) <
	    0) {
		strbuf_free(&trouble);
		return report_fail(input, STATUS_FAILED, "%s", reason);
	}
	describe(doc, pid, &setting, taken.is_taken);
	if (taken.is_taken)
		tell_unfitted(doc, pid, &setting, taken.fitted);
	if (*strbuf_text(&trouble))
		doc_note(doc, "rules", NOTE_WARNING, strbuf_text(&trouble), NULL);
	strbuf_free(&trouble);
	return STATUS_OK;
}

const struct report report_set = {
	.name = "set",
	.argument = "PID",
	.other_argument = "KEY=VALUE...",
	.summary = "change what a running program records",
	.description =
		"Changes what the run of a process that is being recorded records, "
		"while it goes on: overhead=PERCENT, off (no budget: exact) or default "
		"(as the run began); only=RULES and skip=RULES, as in PROFSHIM_ONLY and "
		"PROFSHIM_SKIP, replace the rules there are; with nothing behind the =, "
		"there are none. It holds for all processes of the run, also later ones, "
		"until the next change. Each change is in the view settings of run.db.",
	.example = "prof-analyze set $(pidof app) overhead=5 skip=tiny_*",
	.takes = TAKES_NO_DATABASE | TAKES_ONLY_WORDS | TAKES_MORE_WORDS,
	.build = build,
};

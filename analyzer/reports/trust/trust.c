/* SPDX-License-Identifier: MIT */
/*
 * The trust line, and what stands behind each of its numbers. Must not pass over a
 * counter it does not know: it is shown by its name.
 */
#include "analyzer/reports/trust/trust.h"

#include "common/base/utf8.h"
#include "common/trust.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "trust.sql.h"

#include <math.h>
#include <signal.h>
#include <string.h>

bool trust_is_loss(const char *name)
{
	const struct trust_counter *counter = trust_counter_find(name);

	return counter && counter->weight == TRUST_LOST;
}

void trust_signal_name(struct strbuf *buffer, int signal_number)
{
	const char *name = sigabbrev_np(signal_number);

	if (name)
		strbuf_printf(buffer, "SIG%s", name);
	else
		strbuf_printf(buffer, "signal %d", signal_number);
}

void trust_describe_end(struct strbuf *buffer, const struct run_facts *facts)
{
	if (facts->is_live) {
		strbuf_puts(buffer, "still running");
	} else if (facts->has_exit_signal) {
		strbuf_puts(buffer, "killed by ");
		trust_signal_name(buffer, (int)facts->exit_signal);
	} else if (facts->has_exit_code) {
		strbuf_printf(buffer, "exit %lld", (long long)facts->exit_code);
	} else {
		strbuf_puts(buffer, "how it ended is not known");
	}
}

static bool counts(const struct trust_counter *counter, int64_t value)
{
	return value != 0 &&
	       (!counter || (counter->weight > TRUST_PLAIN && counter->many));
}

/* The line says it in its own words, by how functions were recorded. */
static bool is_said(const struct run_facts *facts, const char *name)
{
	if (strcmp(name, "sampled_functions") == 0)
		return facts->sampled_count > 0;
	if (strcmp(name, "sampling_refused") == 0)
		return facts->counted_count > 0;
	if (strcmp(name, "timer_samples") == 0)
		return facts->sampled_count > 0 && facts->timer_reason;
	return strcmp(name, "counted_functions") == 0 && facts->counted_count > 0;
}

static void add_part(struct strbuf *parts, const struct trust_counter *counter,
		     const char *name, int64_t value)
{
	strbuf_puts(parts, "; ");
	if (counter) {
		units_trust(parts, counter, value);
		return;
	}
	units_count(parts, value);
	strbuf_putc(parts, ' ');
	utf8_clean(parts, name);
}

/* What the counters say, for line and section. */
struct judgement {
	enum trust_weight worst;
	struct strbuf parts; /* each begins with "; " */
};

static enum exit_status judge(struct report_input *input, struct doc *doc,
			      const struct run_facts *facts, struct section *section,
			      struct judgement *judgement)
{
	struct cursor *cursor = report_query(input, trust_sql_counters);

	while (cursor_next(cursor) > 0) {
		const char *name = cursor_text(cursor, "name");
		int64_t value = cursor_integer(cursor, "sum");
		const struct trust_counter *counter =
			name ? trust_counter_find(name) : NULL;

		if (!name)
			continue;
		doc_add(section, doc_copy(doc, name), NULL, COLUMN_ANY,
			cell_integer(value));
		if (!counts(counter, value))
			continue;
		if (!counter || counter->weight > judgement->worst)
			judgement->worst = counter ? counter->weight : TRUST_MINOR;
		if (!is_said(facts, name))
			add_part(&judgement->parts, counter, name, value);
	}
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}

void trust_put_percent(struct strbuf *buffer, struct hooks_cost percent)
{
	units_percent(buffer, percent.ns);
	if (percent.error_ns >= 0.05)
		strbuf_printf(buffer, " +-%.2g%%", percent.error_ns);
}

/* From here on the error of the run's time is said in the first line. */
#define UNCERTAIN_LEAST 0.1
/* Of the recorded time, what the hooks took for them to be named as the reason. */
#define HOOKS_NAMED_PERCENT 30

/* On a busy machine hooks were interrupted, too: that time is in the program's. */
static double hooks_waited_ns(const struct run_facts *facts)
{
	return hooks_waits(&facts->hooks, (double)facts->wall_ns) *
	       hooks_total(&facts->hooks).ns;
}

static double error_ns(const struct run_facts *facts)
{
	return hypot((double)facts->total_error_ns, hooks_waited_ns(facts));
}

static bool is_uncertain(const struct run_facts *facts)
{
	return error_ns(facts) > UNCERTAIN_LEAST * (double)facts->self_ns;
}

static bool is_exact(const struct run_facts *facts)
{
	return run_facts_all_exact(facts) && !facts->unknown_count &&
	       !is_uncertain(facts);
}

double trust_own_ns(const struct run_facts *facts)
{
	double self_ns = (double)facts->self_ns - (double)facts->self_off_ns;

	return facts->is_split ? fmax(self_ns, (double)facts->cpu_ns -
						       hooks_total(&facts->hooks).ns)
			       : self_ns;
}

/* The program's own time may be more than is stated. */
bool trust_is_over_budget(const struct run_facts *facts, struct hooks_cost cost)
{
	double own_ns = trust_own_ns(facts) + (double)facts->total_error_ns;

	return facts->hooks.has_budget &&
	       cost.ns - cost.error_ns > facts->hooks.budget_percent / 100 * own_ns;
}

static void put_budget(struct strbuf *line, const struct run_facts *facts)
{
	struct hooks_cost counting = hooks_counting(&facts->hooks);
	struct hooks_cost all = hooks_total(&facts->hooks);
	double own_ns = trust_own_ns(facts);

	strbuf_printf(line, " (budget %g%%", facts->hooks.budget_percent);
	if (trust_is_over_budget(facts, all)) {
		strbuf_puts(line, ", exceeded: ");
		units_percent(line, units_share(all.ns, own_ns));
		if (trust_is_over_budget(facts, counting)) {
			strbuf_puts(line, ", ");
			units_percent(line, units_share(counting.ns, own_ns));
			strbuf_puts(line, " by counting alone");
		}
	}
	strbuf_putc(line, ')');
}

static void put_allowed(struct strbuf *text, const char *reason)
{
	strbuf_printf(text,
		      "%s; sysctl kernel.perf_event_paranoid=2, or --cap-add PERFMON for "
		      "a container, allows them",
		      reason);
}

void trust_put_no_samples(struct strbuf *text, const struct run_facts *facts)
{
	if (facts->samples_off) {
		strbuf_puts(text, "PROFSHIM_SAMPLES=off; without it they are timed");
	} else if (facts->samples_refused || facts->timer_reason) {
		strbuf_puts(text, "no samples: ");
		put_allowed(text, facts->samples_refused ? facts->samples_refused
							 : facts->timer_reason);
	} else {
		strbuf_puts(text, "no samples: too short for any");
	}
}

static void put_functions(struct strbuf *line, int64_t count, const char *what)
{
	strbuf_puts(line, "; ");
	units_counted(line, count, "function");
	strbuf_puts(line, what);
}

/* "; 3 functions timed by 1,200 samples; 2 functions counted and not timed (why)" */
static void put_ways(struct strbuf *line, const struct run_facts *facts)
{
	if (facts->sampled_count) {
		put_functions(line, facts->sampled_count, " timed by ");
		if (facts->cpu_sample_count)
			units_counted(line, facts->cpu_sample_count, "sample");
		else
			strbuf_puts(line, "samples");
		if (facts->timer_reason) {
			strbuf_puts(line, " of a timer (none of the kernel: ");
			put_allowed(line, facts->timer_reason);
			strbuf_putc(line, ')');
		}
	}
	if (facts->counted_count) {
		put_functions(line, facts->counted_count, " counted and not timed (");
		trust_put_no_samples(line, facts);
		strbuf_putc(line, ')');
	}
	if (facts->hooks.has_budget)
		put_budget(line, facts);
}

static void put_times(struct strbuf *line, const struct run_facts *facts)
{
	struct hooks_cost hooks = run_facts_hooks(facts);

	if (!units_is_known((double)facts->self_ns, error_ns(facts))) {
		strbuf_puts(line, "; how long the program itself took is not known");
	} else if (facts->unknown_count) {
		strbuf_puts(line, "; the times of ");
		units_count(line, facts->unknown_count);
		strbuf_puts(line, " of ");
		units_counted(line, facts->function_count, "function");
		strbuf_puts(line, " are not known");
	} else if (is_uncertain(facts)) {
		strbuf_printf(line, "; times are off by up to %.0f%%",
			      units_share(error_ns(facts), (double)facts->self_ns));
	} else {
		return;
	}
	if (hooks.ns >= HOOKS_NAMED_PERCENT) {
		strbuf_puts(line, ": ");
		trust_put_percent(line, hooks);
		strbuf_puts(line, " of the recorded time was the hooks' own");
	}
	if (hooks_waited_ns(facts) > (double)facts->total_error_ns &&
	    is_uncertain(facts)) {
		strbuf_puts(line, "; the machine was busy, and ");
		units_nsec(line, whole_number(hooks_waited_ns(facts)));
		strbuf_puts(line, " in which hooks waited for a CPU are in the times");
	}
}

static const char *verdict(const struct run_facts *facts,
			   const struct judgement *judgement)
{
	if (facts->is_live)
		return "live";
	if (run_facts_empty(facts))
		return "empty";
	if (judgement->worst == TRUST_LOST)
		return "partial";
	if (!facts->complete)
		return "incomplete";
	if (judgement->worst == TRUST_REPAIRED)
		return "repaired";
	if (!facts->calls && !facts->alloc_count)
		return "sampled";
	if (facts->counted_count)
		return "counted";
	if (facts->sampled_count)
		return "sampled";
	return is_exact(facts) ? "exact" : "uncertain";
}

/* What a verdict says, where its word says too little. */
static const char *in_words(const char *word, const struct run_facts *facts)
{
	static const struct {
		const char *word, *text;
	} all[] = {
		{"sampled", "exact counts, sampled times"},
		{"counted", "exact counts, times of timed callers"},
		{"uncertain", "exact counts, uncertain times"},
	};

	if (!facts->calls && !facts->alloc_count)
		return word;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(word, all[i].word) == 0)
			return all[i].text;
	return word;
}

static void write_line(struct strbuf *line, const struct run_facts *facts,
		       const struct judgement *judgement)
{
	strbuf_printf(line, "trust: %s: ", in_words(verdict(facts, judgement), facts));
	if (facts->calls || (!facts->alloc_count && !facts->plain_sample_count))
		units_counted(line, facts->calls, "call");
	if (facts->alloc_count && facts->calls)
		strbuf_puts(line, " and ");
	if (facts->alloc_count)
		units_counted(line, facts->alloc_count, "allocation");
	if (facts->plain_sample_count) {
		if (facts->calls || facts->sampled_count || facts->alloc_count)
			strbuf_puts(line, ", ");
		units_counted(line, facts->plain_sample_count, "sample");
		strbuf_puts(line, " of CPU time");
	}
	if (judgement->worst < TRUST_LOST && facts->complete && !run_facts_empty(facts))
		strbuf_puts(line, ", nothing lost");
	if (!facts->complete) {
		strbuf_puts(line, "; ");
		if (facts->has_exit_code && !facts->has_exit_signal && !facts->is_live)
			strbuf_puts(line, "not every process ended by itself");
		else
			trust_describe_end(line, facts);
	}
	if (facts->calls) {
		put_times(line, facts);
		put_ways(line, facts);
	}
	strbuf_puts(line, strbuf_text(&judgement->parts));
}

/* Estimates are good where they say something of every function. */
static bool is_good(const char *verdict, const struct run_facts *facts)
{
	return strcmp(verdict, "exact") == 0 ||
	       (strcmp(verdict, "sampled") == 0 && !facts->counted_count &&
		!facts->unknown_count && !is_uncertain(facts));
}

enum exit_status trust_add(struct report_input *input, struct doc *doc,
			   const struct run_facts *facts)
{
	struct section *section = doc_values(doc, "trust", NULL);
	struct judgement judgement = {0};
	struct strbuf line = {0};
	enum exit_status status = judge(input, doc, facts, section, &judgement);
	const char *word = verdict(facts, &judgement);

	if (status == STATUS_OK) {
		write_line(&line, facts, &judgement);
		section->flags = SECTION_MACHINE;
		doc_add_text(doc, section, "verdict", NULL, word);
		section = doc_note(doc, "trust_line",
				   is_good(word, facts) ? NOTE_GOOD : NOTE_WARNING,
				   strbuf_text(&line), NULL);
		section->flags = SECTION_HUMAN;
	}
	strbuf_free(&line);
	strbuf_free(&judgement.parts);
	return status;
}

/* "name (value)" above the explanation, so that it can be found in trust. */
static void explain_item(struct doc *doc, const struct trust_counter *counter,
			 int64_t value, const char *text)
{
	struct strbuf sentence = {0};

	if (counter->one) {
		units_trust(&sentence, counter, value);
		strbuf_puts(&sentence, ". ");
	}
	strbuf_puts(&sentence, counter->meaning);
	/* Only these have a text that says more than the meaning. */
	if (text && (strcmp(counter->name, "note_setting_ignored") == 0 ||
		     strcmp(counter->name, "modules_over_limit") == 0 ||
		     strcmp(counter->name, "rules_without_functions") == 0 ||
		     strcmp(counter->name, "unread_objects") == 0 ||
		     strcmp(counter->name, "lost_processes") == 0)) {
		strbuf_puts(&sentence, " (");
		utf8_clean(&sentence, text);
		strbuf_putc(&sentence, ')');
	}
	doc_note(doc, counter->name,
		 counter->weight >= TRUST_REPAIRED ? NOTE_WARNING : NOTE_PLAIN,
		 strbuf_text(&sentence), counter->advice);
	strbuf_free(&sentence);
}

void trust_explain_fact(struct doc *doc, const char *name, size_t *ret_count)
{
	explain_item(doc, trust_counter_find(name), 0, NULL);
	++*ret_count;
}

static enum exit_status explain_counters(struct report_input *input, struct doc *doc,
					 size_t *ret_count)
{
	struct cursor *cursor = report_query(input, trust_sql_counters);

	while (cursor_next(cursor) > 0) {
		const char *name = cursor_text(cursor, "name");
		int64_t value = cursor_integer(cursor, "sum");
		const struct trust_counter *counter =
			name ? trust_counter_find(name) : NULL;

		if (!value || !counter || !counter->meaning)
			continue;
		explain_item(doc, counter, value, cursor_text(cursor, "any_text"));
		++*ret_count;
	}
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}

static enum exit_status explain_ends(struct report_input *input, struct doc *doc,
				     size_t *ret_count)
{
	struct strbuf sentence = {0};
	struct cursor *cursor = report_query(input, trust_sql_ends);

	while (cursor_next(cursor) > 0) {
		const char *executable = cursor_text(cursor, "executable");
		int signal_number = (int)cursor_integer(cursor, "exit_signal");

		strbuf_reset(&sentence);
		strbuf_printf(&sentence, "Process %lld",
			      (long long)cursor_integer(cursor, "pid"));
		if (executable) {
			strbuf_puts(&sentence, " (");
			utf8_clean(&sentence, executable);
			strbuf_puts(&sentence, ")");
		}
		if (signal_number) {
			strbuf_puts(&sentence, " was killed by ");
			trust_signal_name(&sentence, signal_number);
			strbuf_putc(&sentence, '.');
		} else {
			strbuf_puts(&sentence, " did not end by itself, or its end was "
					       "not seen.");
		}
		doc_note(doc, "process_end", NOTE_WARNING, strbuf_text(&sentence),
			 "Everything up to that moment is there; calls that were open "
			 "then are closed at that time.");
		++*ret_count;
	}
	strbuf_free(&sentence);
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}

enum exit_status trust_explain(struct report_input *input, struct doc *doc,
			       const struct run_facts *facts, size_t *ret_count)
{
	enum exit_status status = explain_counters(input, doc, ret_count);

	if (status == STATUS_OK && !facts->complete && !facts->is_live)
		status = explain_ends(input, doc, ret_count);
	return status;
}

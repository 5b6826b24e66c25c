/* SPDX-License-Identifier: MIT */
/*
 * A run's key numbers: for people a few lines, for machines named values. Must not
 * query; facts.c has done it.
 */
#include "analyzer/reports/overview/summary.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/trust/trust.h"

#include <string.h>

static const char *title(struct report_input *input, struct doc *doc,
			 const struct run_facts *facts)
{
	struct strbuf text = {0};
	const char *copy;

	strbuf_printf(&text, "Run %lld", (long long)input->run_id);
	if (facts->label && *facts->label)
		strbuf_printf(&text, " '%s'", facts->label);
	copy = doc_copy(doc, strbuf_text(&text));
	strbuf_free(&text);
	return copy;
}

/* "2026-03-01T12:00:00.123Z" as people write it. */
static void add_start(struct strbuf *text, const struct run_facts *facts)
{
	const char *utc = facts->started_utc;

	if (utc && strlen(utc) >= 19 && utc[10] == 'T')
		strbuf_printf(text, "%.10s %.8s UTC", utc, utc + 11);
	else
		strbuf_puts(text, utc ? utc : "not known");
	if (facts->host && *facts->host)
		strbuf_printf(text, " on %s", facts->host);
	if (facts->cpu_count) {
		strbuf_puts(text, ", ");
		units_counted(text, facts->cpu_count, "CPU");
	}
}

static void add_wall(struct strbuf *text, const struct run_facts *facts)
{
	if (facts->has_wall)
		units_nsec(text, facts->wall_ns);
	else
		strbuf_puts(text, "not known");
	strbuf_puts(text, ", ");
	trust_describe_end(text, facts);
	if (facts->process_count > 1) {
		strbuf_puts(text, ", ");
		units_count(text, facts->process_count);
		strbuf_puts(text, " processes");
	}
	if (facts->thread_count > 1) {
		strbuf_puts(text, ", ");
		units_counted(text, facts->thread_count, "thread");
	}
}

static void add_calls(struct strbuf *text, const struct run_facts *facts)
{
	if (!facts->calls) {
		strbuf_puts(text, "none: no instrumented function was called");
		return;
	}
	units_count(text, facts->calls);
	strbuf_puts(text, " of ");
	units_counted(text, facts->function_count, "function");
	strbuf_puts(text, ", ");
	units_counted(text, facts->path_count, "call path");
}

/* " (of PID 12)": of processes that peak at different times nobody knows the sum. */
static void put_peak_process(struct strbuf *text, const struct run_facts *facts)
{
	if (facts->allocating_process_count > 1)
		strbuf_printf(text, " (PID %lld)", (long long)facts->peak_pid);
}

/* " (3 processes, 2.00MiB in PID 12)" */
static void put_live_processes(struct strbuf *text, const struct run_facts *facts)
{
	if (facts->allocating_process_count < 2)
		return;
	strbuf_puts(text, " (");
	units_counted(text, facts->allocating_process_count, "process");
	if (facts->live_bytes != facts->peak_live_bytes) {
		strbuf_puts(text, ", ");
		units_bytes(text, facts->peak_live_bytes);
		strbuf_printf(text, " in PID %lld", (long long)facts->peak_pid);
	}
	strbuf_putc(text, ')');
}

static void add_memory(struct strbuf *text, const struct run_facts *facts)
{
	if (!facts->alloc_count) {
		strbuf_puts(text, "no allocation was seen");
		return;
	}
	units_counted(text, facts->alloc_count, "allocation");
	strbuf_puts(text, ", ");
	units_bytes(text, facts->alloc_bytes);
	strbuf_puts(text, "; peak ");
	units_bytes(text, facts->peak_bytes);
	put_peak_process(text, facts);
	strbuf_puts(text, facts->is_live ? ", live now " : ", live at exit ");
	units_bytes(text, facts->live_bytes);
	put_live_processes(text, facts);
}

/* The cost of all hooks as a share of the time of all threads. */
static struct hooks_cost hook_percent(const struct run_facts *facts)
{
	return hooks_percent(
		hooks_total(&facts->hooks),
		(double)(facts->thread_ns ? facts->thread_ns : facts->wall_ns));
}

static void put_cost(struct strbuf *text, struct hooks_cost cost)
{
	strbuf_printf(text, "%.3g", cost.ns);
	if (cost.error_ns > 0)
		strbuf_printf(text, "+-%.2g", cost.error_ns);
	strbuf_puts(text, "ns");
}

/* ": by 1,200 samples, one for each 606us, which cost 2%" */
static void put_samples(struct strbuf *text, const struct run_facts *facts)
{
	double count = (double)facts->cpu_sample_count;

	strbuf_puts(text, ": by ");
	units_counted(text, facts->cpu_sample_count, "sample");
	if (!(count > 0))
		return;
	strbuf_puts(text, ", one for each ");
	units_nsec(text, whole_number((double)facts->sampled_ns / count));
	if (!facts->sample_tick_ns)
		return;
	strbuf_puts(text, " of CPU time, which cost ");
	units_percent(text, units_share(count * (double)facts->sample_tick_ns,
					(double)facts->sampled_ns));
	strbuf_puts(text, " of it");
}

static void add_hooks(struct report_input *input, struct strbuf *text,
		      const struct run_facts *facts)
{
	const struct hooks *hooks = &facts->hooks;

	trust_put_percent(text, hook_percent(facts));
	strbuf_printf(text, " of the %s, %s",
		      facts->thread_count > 1 ? "threads' time" : "wall",
		      input->options->raw ? "not subtracted below (--raw)"
					  : "subtracted below");
	if (hooks->has_samples) {
		put_samples(text, facts);
		return;
	}
	strbuf_puts(text, ": ");
	put_cost(text, hooks->pair);
	strbuf_puts(text, " per call");
	if (hooks->counted_calls > 0) {
		strbuf_puts(text, "; ");
		units_percent(text, units_share(hooks->counted_calls, hooks->calls));
		strbuf_puts(text, " of the calls were only counted, for ");
		put_cost(text, hooks->counted);
	}
}

/* What is left without the hooks, of all threads. */
static void add_time(struct strbuf *text, const struct run_facts *facts)
{
	units_nsec_error(text, facts->self_ns, facts->total_error_ns, UNITS_ERROR_SIGN);
	strbuf_puts(text, " in the program's functions, without the hooks");
}

typedef void writer(struct strbuf *text, const struct run_facts *facts);

static void add_line(struct doc *doc, struct section *section, const char *name,
		     const struct run_facts *facts, writer *write)
{
	struct strbuf text = {0};

	write(&text, facts);
	doc_add_human(doc, section, name, strbuf_text(&text));
	strbuf_free(&text);
}

void summary_add_run(struct report_input *input, struct doc *doc,
		     const struct run_facts *facts)
{
	struct section *section = doc_values(doc, "summary", title(input, doc, facts));
	struct strbuf text = {0};

	doc_add_human(doc, section, "command", facts->command ? facts->command : "?");
	add_line(doc, section, "started", facts, add_start);
	add_line(doc, section, "wall", facts, add_wall);
	add_line(doc, section, "calls", facts, add_calls);
	add_line(doc, section, "memory", facts, add_memory);
	if (facts->calls && facts->hooks.pair.ns > 0) {
		if (!input->options->raw)
			add_line(doc, section, "time", facts, add_time);
		add_hooks(input, &text, facts);
		doc_add_human(doc, section, "hooks", strbuf_text(&text));
	}
	strbuf_free(&text);
	doc_add_machine(section, "calls", COLUMN_COUNT, cell_integer(facts->calls));
	doc_add_machine(section, "function_count", COLUMN_COUNT,
			cell_integer(facts->function_count));
	doc_add_machine(section, "path_count", COLUMN_COUNT,
			cell_integer(facts->path_count));
	doc_add_machine(section, "process_count", COLUMN_COUNT,
			cell_integer(facts->process_count));
	doc_add_machine(section, "thread_count", COLUMN_COUNT,
			cell_integer(facts->thread_count));
	doc_add_machine(section, "self_ns", COLUMN_NSEC, cell_integer(facts->self_ns));
	doc_add_machine(section, "self_error_ns", COLUMN_NSEC,
			cell_integer(facts->total_error_ns));
	doc_add_machine(section, "hook_cost_percent", COLUMN_PERCENT,
			cell_real(hook_percent(facts).ns));
	doc_add_machine(section, "hook_cost_error_percent", COLUMN_PERCENT,
			cell_real(hook_percent(facts).error_ns));
}

static void add_allocated(struct strbuf *text, const struct run_facts *facts)
{
	units_bytes(text, facts->alloc_bytes);
	strbuf_puts(text, " in ");
	units_counted(text, facts->alloc_count, "allocation");
	strbuf_puts(text, ", ");
	units_counted(text, facts->free_count, "free");
}

static void add_peak(struct strbuf *text, const struct run_facts *facts)
{
	units_bytes(text, facts->peak_bytes);
	strbuf_puts(text, " live at the peak");
	put_peak_process(text, facts);
	strbuf_puts(text, ", ");
	units_bytes(text, facts->live_bytes);
	strbuf_puts(text, facts->is_live ? " now" : " at exit");
	put_live_processes(text, facts);
}

static void add_temporary(struct strbuf *text, const struct run_facts *facts)
{
	units_counted(text, facts->temporary_count, "allocation");
	strbuf_puts(text, ", ");
	units_percent(text, units_share((double)facts->temporary_count,
					(double)facts->alloc_count));
	strbuf_puts(text, " of all");
}

void summary_add_memory(struct doc *doc, const struct run_facts *facts)
{
	struct section *section = doc_values(doc, "memory", "Memory");

	add_line(doc, section, "allocated", facts, add_allocated);
	add_line(doc, section, "live", facts, add_peak);
	add_line(doc, section, "temporary", facts, add_temporary);
	doc_add_machine(section, "alloc_count", COLUMN_COUNT,
			cell_integer(facts->alloc_count));
	doc_add_machine(section, "alloc_bytes", COLUMN_BYTES,
			cell_integer(facts->alloc_bytes));
	doc_add_machine(section, "free_count", COLUMN_COUNT,
			cell_integer(facts->free_count));
	doc_add_machine(section, "peak_bytes", COLUMN_BYTES,
			cell_integer(facts->peak_bytes));
	doc_add_machine(section, "live_bytes_at_exit", COLUMN_BYTES,
			cell_integer(facts->live_bytes));
	doc_add_machine(section, "peak_pid", COLUMN_ID, cell_integer(facts->peak_pid));
	doc_add_machine(section, "peak_process_live_bytes", COLUMN_BYTES,
			cell_integer(facts->peak_live_bytes));
	doc_add_machine(section, "temporary_count", COLUMN_COUNT,
			cell_integer(facts->temporary_count));
	doc_add_machine(section, "temporary_percent", COLUMN_PERCENT,
			cell_real(units_share((double)facts->temporary_count,
					      (double)facts->alloc_count)));
}

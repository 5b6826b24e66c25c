/* SPDX-License-Identifier: MIT */
/* Reads the facts of a run. Must not judge; trust.c says how far the numbers go. */
#include "analyzer/reports/trust/facts.h"

#include "common/base/text.h"
#include "analyzer/reports/common.h"

#include "facts.sql.h"

#include <math.h>

/* The columns of the query and fields of struct run_facts. */
/* clang-format off */
#define TEXTS(X) X(label) X(command) X(started_utc) X(host) X(level) X(samples_refused) \
	X(timer_reason)
#define FLAGS(X)                                                                         \
	X(complete) X(has_exit_code) X(has_exit_signal) X(has_wall) X(is_split)          \
	X(samples_off)
#define NUMBERS(X)                                                                       \
	X(cpu_count) X(wall_ns) X(exit_code) X(exit_signal) X(alloc_count)               \
	X(alloc_bytes) X(free_count) X(peak_bytes) X(peaks_bytes) X(live_bytes)          \
	X(peak_pid) X(peak_live_bytes) X(allocating_process_count) X(temporary_count)    \
	X(calls) X(function_count) X(path_count) X(inlined_calls) X(self_ns)             \
	X(self_off_ns) X(raw_self_ns) X(recorded_ns) X(total_error_ns)                   \
	X(unknown_count) X(counted_count) X(off_count) X(sampled_count)                  \
	X(uncounted_count)                                                               \
	X(cpu_sample_count) X(sampled_ns) X(sample_tick_ns) X(process_count)             \
	X(thread_count) X(thread_ns) X(cpu_ns) X(ready_ns) X(blocked_ns)                 \
	X(sample_count) X(plain_sample_count) X(snapshot_count)
/* clang-format on */

/* Functions that may have this share of all self time count as unknown. */
#define UNKNOWN_LEAST 0.01

static int load_run(struct report_input *input, struct doc *doc, struct run_facts *facts)
{
	struct cursor *cursor = report_query(input, facts_sql_run);

	cursor_bind_real(cursor, ":least_share", UNKNOWN_LEAST);
	if (cursor_next(cursor) > 0) {
#define TEXT(name) facts->name = report_text(doc, cursor, #name);
#define FLAG(name) facts->name = cursor_integer(cursor, #name) != 0;
#define NUMBER(name) facts->name = cursor_integer(cursor, #name);
		TEXTS(TEXT)
		FLAGS(FLAG)
		NUMBERS(NUMBER)
	}
	return report_finish(input, cursor);
}

static int load_hooks(struct report_input *input, struct run_facts *facts)
{
	if (hooks_load(input->db, input->run_id, &facts->hooks) < 0) {
		report_fail_db(input);
		return -1;
	}
	facts->recorded_ns += (int64_t)facts->hooks.left_out_ns;
	return 0;
}

int run_facts_load(struct report_input *input, struct doc *doc, struct run_facts *ret)
{
	int result;

	*ret = (struct run_facts){.is_live = rundb_live(input->db)->pid != 0,
				  .is_attended = rundb_live(input->db)->is_attended};
	result = load_run(input, doc, ret);
	return result == 0 ? load_hooks(input, ret) : result;
}

struct hooks_cost run_facts_hooks(const struct run_facts *facts)
{
	return hooks_percent(hooks_total(&facts->hooks), (double)facts->recorded_ns);
}

struct hooks_cost run_facts_program(const struct run_facts *facts)
{
	struct hooks_cost program = {(double)facts->self_ns,
				     (double)facts->total_error_ns};
	double beyond_ns;

	if (!facts->is_split)
		return program;
	program.ns -= (double)facts->self_off_ns;
	beyond_ns = program.ns + hooks_total(&facts->hooks).ns - (double)facts->cpu_ns;
	program.error_ns = fmin(fmax(program.error_ns, beyond_ns), program.ns);
	return program;
}

double run_facts_hooks_waited_ns(const struct run_facts *facts)
{
	return hooks_waits(&facts->hooks, (double)facts->wall_ns) *
	       hooks_total(&facts->hooks).ns;
}

double run_facts_error_ns(const struct run_facts *facts)
{
	return hypot((double)facts->total_error_ns, run_facts_hooks_waited_ns(facts));
}

bool run_facts_empty(const struct run_facts *facts)
{
	return facts->calls == 0 && facts->alloc_count == 0 && !facts->plain_sample_count;
}

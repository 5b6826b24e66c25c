/* SPDX-License-Identifier: MIT */
/*
 * The head of the delta report: which moments, and the sums between them. Must not show
 * sums that are not known (a peak has no time).
 */
#include "analyzer/reports/delta/parts.h"

#include "analyzer/model/units.h"

static void put_moment(struct strbuf *text, const struct delta *delta,
		       const struct moment *moment)
{
	static const char *const words[] = {[MOMENT_START] = "the start",
					    [MOMENT_PEAK] = "the peak",
					    [MOMENT_EXIT] = "the exit"};

	if (moment->kind != MOMENT_SNAPSHOT) {
		strbuf_puts(text, moment->kind == MOMENT_EXIT && delta->is_live
					  ? "now"
					  : words[moment->kind]);
		return;
	}
	strbuf_printf(text, "'%s' (number %lld, at ", moment->snapshot->label,
		      (long long)moment->snapshot->number);
	units_nsec(text, moment->snapshot->time_ns);
	strbuf_putc(text, ')');
}

static void put_amount(struct strbuf *text, int64_t bytes, int64_t count)
{
	units_bytes(text, bytes);
	strbuf_puts(text, " in ");
	units_counted(text, count, "block");
}

static void add_moment(struct doc *doc, struct section *section, const char *title,
		       const struct delta *delta, const struct moment *moment,
		       const struct delta_state *state)
{
	struct strbuf text = {0};

	put_moment(&text, delta, moment);
	strbuf_puts(&text, ": ");
	put_amount(&text, state->live_bytes, state->live_count);
	strbuf_puts(&text, " live");
	doc_add_human(doc, section, title, strbuf_text(&text));
	strbuf_free(&text);
}

static void add_change(struct doc *doc, struct section *section,
		       const struct delta_result *result)
{
	struct strbuf text = {0};

	if (result->live_delta_bytes > 0)
		strbuf_putc(&text, '+');
	units_bytes(&text, result->live_delta_bytes);
	strbuf_puts(&text, result->live_delta_count > 0 ? ", +" : ", ");
	units_counted(&text, result->live_delta_count, "block");
	doc_add_human(doc, section, "change", strbuf_text(&text));
	strbuf_free(&text);
}

/* When calls were that were only counted is not known: at the exit they are all there. */
static void put_counted(struct strbuf *text, const struct delta *delta)
{
	if (!delta->counted_calls)
		return;
	strbuf_puts(text, delta->b.kind == MOMENT_EXIT ? ", with " : ", without ");
	units_counted(text, delta->counted_calls, "call");
	strbuf_puts(text, " of the whole run that were only counted");
}

/* What they did of it, when it was not only computing. */
static void put_split(struct strbuf *text, int64_t ready_ns, int64_t blocked_ns)
{
	if (ready_ns <= 0 && blocked_ns <= 0)
		return;
	strbuf_puts(text, ", of which ");
	units_nsec(text, ready_ns);
	strbuf_puts(text, " ready, ");
	units_nsec(text, blocked_ns);
	strbuf_puts(text, " blocked");
}

static void add_between(struct doc *doc, struct section *section,
			const struct delta *delta, const struct delta_result *result)
{
	int64_t calls = 0, self_ns = 0, error_ns = 0, all_error_ns = 0;
	int64_t ready_ns = 0, blocked_ns = 0;
	struct strbuf text = {0};

	for (size_t i = 0; i < delta->tree->node_count; i++) {
		const struct calltree_node *node = &delta->tree->nodes[i];

		calls = delta_plus(calls, delta->passes[i] ? node->calls : 0);
		self_ns = delta_plus(self_ns, delta->passes[i] ? node->self_ns : 0);
		ready_ns =
			delta_plus(ready_ns, delta->passes[i] ? node->self_ready_ns : 0);
		blocked_ns = delta_plus(blocked_ns,
					delta->passes[i] ? node->self_blocked_ns : 0);
		error_ns =
			delta_plus(error_ns, delta->passes[i] ? node->self_error_ns : 0);
		if (node->parent == CALLTREE_NONE)
			all_error_ns = delta_plus(all_error_ns, node->total_error_ns);
	}
	/* what is wrong with one path is mostly right for the next */
	error_ns = error_ns < all_error_ns ? error_ns : all_error_ns;
	put_amount(&text, result->alloc_bytes, result->alloc_count);
	strbuf_puts(&text, " allocated, ");
	put_amount(&text, result->free_bytes, result->free_count);
	strbuf_puts(&text, " freed");
	doc_add_human(doc, section, "between", strbuf_text(&text));
	strbuf_reset(&text);
	put_amount(&text, result->survived_bytes, result->survived_count);
	strbuf_puts(&text, " of the allocated ones still live ");
	if (delta->c.kind != MOMENT_EXIT || !delta->is_live)
		strbuf_puts(&text, "at ");
	put_moment(&text, delta, &delta->c);
	doc_add_human(doc, section, "survived", strbuf_text(&text));
	strbuf_reset(&text);
	if (calls || self_ns || delta->counted_calls) {
		units_counted(&text, calls, "call");
		strbuf_puts(&text, ", ");
		units_nsec_error(&text, self_ns, error_ns, UNITS_ERROR_SIGN);
		strbuf_puts(&text, " in instrumented functions");
		put_split(&text, ready_ns, blocked_ns);
		put_counted(&text, delta);
		doc_add_human(doc, section, "calls", strbuf_text(&text));
	}
	doc_add_machine(section, "calls", COLUMN_COUNT, cell_integer(calls));
	doc_add_machine(section, "counted_calls", COLUMN_COUNT,
			cell_integer(delta->counted_calls));
	doc_add_machine(section, "self_ns", COLUMN_NSEC, cell_integer(self_ns));
	doc_add_machine(section, "self_error_ns", COLUMN_NSEC, cell_integer(error_ns));
	doc_add_machine(section, "self_cpu_ns", COLUMN_NSEC,
			cell_integer(self_ns - ready_ns - blocked_ns));
	doc_add_machine(section, "self_ready_ns", COLUMN_NSEC, cell_integer(ready_ns));
	doc_add_machine(section, "self_blocked_ns", COLUMN_NSEC,
			cell_integer(blocked_ns));
	strbuf_free(&text);
}

static struct cell known(bool is_known, int64_t value)
{
	return is_known ? cell_integer(value) : (struct cell){.kind = CELL_NULL};
}

static struct cell moment_cell(struct doc *doc, const struct delta *delta,
			       const struct moment *moment)
{
	static const char *const words[] = {
		[MOMENT_START] = "start", [MOMENT_PEAK] = "peak", [MOMENT_EXIT] = "exit"};
	const char *text = moment->kind == MOMENT_SNAPSHOT ? moment->snapshot->label
							   : words[moment->kind];

	if (moment->kind == MOMENT_EXIT && delta->is_live)
		text = "now";
	return (struct cell){.kind = CELL_TEXT, .text = doc_copy(doc, text)};
}

static void add_machine_moment(struct doc *doc, struct section *section,
			       const struct delta *delta, const char *label,
			       const char *id, const struct moment *moment)
{
	bool is_snapshot = moment->kind == MOMENT_SNAPSHOT;

	doc_add_machine(section, label, COLUMN_TEXT, moment_cell(doc, delta, moment));
	doc_add_machine(section, id, COLUMN_ID,
			known(is_snapshot, is_snapshot ? moment_id(moment) : 0));
}

static void add_machine(struct doc *doc, struct section *section,
			const struct delta *delta, const struct delta_entry *total,
			const struct delta_result *result)
{
	const struct {
		const char *name;
		enum column_type type;
		struct cell cell;
	} values[] = {
		{"pid", COLUMN_ID, cell_integer(delta->process->pid)},
		{"process_id", COLUMN_ID, cell_integer(delta->process->process_id)},
		{"live_a_bytes", COLUMN_BYTES, cell_integer(total->a.live_bytes)},
		{"live_a_count", COLUMN_COUNT, cell_integer(total->a.live_count)},
		{"live_bytes", COLUMN_BYTES, cell_integer(total->b.live_bytes)},
		{"live_count", COLUMN_COUNT, cell_integer(total->b.live_count)},
		{"live_delta_bytes", COLUMN_BYTES,
		 cell_integer(result->live_delta_bytes)},
		{"live_delta_count", COLUMN_COUNT,
		 cell_integer(result->live_delta_count)},
		{"alloc_bytes", COLUMN_BYTES,
		 known(delta->has_between, result->alloc_bytes)},
		{"alloc_count", COLUMN_COUNT,
		 known(delta->has_between, result->alloc_count)},
		{"free_bytes", COLUMN_BYTES,
		 known(delta->has_between, result->free_bytes)},
		{"free_count", COLUMN_COUNT,
		 known(delta->has_between, result->free_count)},
		{"survived_bytes", COLUMN_BYTES,
		 known(delta->has_between, result->survived_bytes)},
		{"survived_count", COLUMN_COUNT,
		 known(delta->has_between, result->survived_count)},
	};

	add_machine_moment(doc, section, delta, "a", "a_snapshot_id", &delta->a);
	add_machine_moment(doc, section, delta, "b", "b_snapshot_id", &delta->b);
	add_machine_moment(doc, section, delta, "until", "until_snapshot_id", &delta->c);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		doc_add_machine(section, values[i].name, values[i].type, values[i].cell);
}

void delta_add_head(struct doc *doc, const struct delta *delta,
		    const struct delta_entry *total)
{
	struct section *section = doc_values(doc, "delta", "Delta");
	struct delta_result result = delta_of(total);
	struct strbuf text = {0};

	add_machine(doc, section, delta, total, &result);
	if (delta->list.run_process_count > 1) {
		strbuf_printf(&text, "PID %lld", (long long)delta->process->pid);
		doc_add_human(doc, section, "process", strbuf_text(&text));
	}
	strbuf_free(&text);
	add_moment(doc, section, "from", delta, &delta->a, &total->a);
	add_moment(doc, section, "to", delta, &delta->b, &total->b);
	add_change(doc, section, &result);
	if (delta->has_between)
		add_between(doc, section, delta, &result);
}

/* SPDX-License-Identifier: MIT */
/*
 * The figures of findings for people, and findings as a table. Must not say more than
 * the finding does.
 */
#include "analyzer/render/findings.h"

#include "analyzer/model/units.h"
#include "analyzer/rules/rule.h"

#include <string.h>

void finding_put_evidence(struct strbuf *buffer, const struct finding *finding)
{
	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct evidence *one = &finding->evidence[i];

		strbuf_printf(buffer, "%s%s ", i ? " | " : "", one->name);
		units_estimate(buffer, one->value, one->error, one->unit);
		if (!one->has_limit)
			continue;
		strbuf_puts(buffer, " (limit ");
		units_limit(buffer, one->limit, one->unit);
		strbuf_putc(buffer, ')');
	}
}

/* "at most 1.41x faster"; is_long adds the time and its share of the run. */
static void put_time(struct strbuf *buffer, const struct finding *finding, bool is_long)
{
	double ceiling = finding_ceiling(finding);

	strbuf_puts(buffer, "at most ");
	if (ceiling > 0) {
		units_factor(buffer, ceiling);
		strbuf_puts(buffer, is_long ? " faster: " : " faster");
	}
	if (!is_long && ceiling > 0)
		return;
	units_nsec(buffer, whole_number(finding->saving_ns));
	strbuf_puts(buffer, is_long ? ", " : " less");
	if (!is_long)
		return;
	units_percent(buffer, 100 * finding->saving_share);
	strbuf_puts(buffer, " of the run");
}

static void put_bytes(struct strbuf *buffer, const struct findings *findings,
		      const struct finding *finding, bool is_long)
{
	bool is_of_processes = finding->saving_of_bytes > 0;
	double of = is_of_processes ? finding->saving_of_bytes : findings->peak_bytes;

	strbuf_puts(buffer, "at most ");
	units_bytes(buffer, whole_number(finding->saving_bytes));
	strbuf_puts(buffer, " less");
	if (!is_long || finding->saving_bytes > of)
		return;
	strbuf_puts(buffer, ", ");
	units_percent(buffer, units_share(finding->saving_bytes, of));
	strbuf_puts(buffer,
		    is_of_processes ? " of the processes' peaks" : " of the peak");
}

void finding_put_bound(struct strbuf *buffer, const struct findings *findings,
		       const struct finding *finding, bool is_long)
{
	size_t start = buffer->size;

	if (finding->saving_ns > 0)
		put_time(buffer, finding, is_long);
	if (buffer->size > start && !is_long)
		return;
	if (finding->saving_bytes > 0) {
		strbuf_puts(buffer, buffer->size > start ? "; " : "");
		put_bytes(buffer, findings, finding, is_long);
	}
	if (finding->saving_allocs > 0 && is_long) {
		strbuf_puts(buffer, buffer->size > start ? "; " : "at most ");
		units_counted(buffer, whole_number(finding->saving_allocs), "allocation");
		strbuf_puts(buffer, " fewer");
	}
}

void finding_put_answer(struct strbuf *buffer, const struct findings *findings,
			const struct finding *finding)
{
	ended_by(strbuf_free) struct strbuf bound = {0};

	strbuf_puts(buffer, finding->advice[0] ? finding->advice[0] : "");
	finding_put_bound(&bound, findings, finding, false);
	if (bound.size)
		strbuf_printf(buffer, "%s%s", finding->advice[0] ? "; " : "",
			      strbuf_text(&bound));
}

void finding_put_name(struct strbuf *buffer, const struct finding *finding, size_t width,
		      const struct shorten_style *style)
{
	const char *name = finding_name(finding);
	const char *kind = !finding->function	? "step '"
			   : finding->is_region ? "region '"
						: "";

	if (!name)
		return;
	strbuf_puts(buffer, kind);
	shorten_name(buffer, name, width - (*kind ? strlen(kind) + 1 : 0), style);
	strbuf_puts(buffer, *kind ? "'" : "");
}

/* Appends "T0 slow-call of load (high)" and so on. */
static void finding_put_also(struct strbuf *buffer, const struct finding *finding)
{
	for (size_t i = 0; i < finding->also_count; i++) {
		const struct finding_also *one = &finding->also[i];

		strbuf_printf(buffer, "%s%s %s", i ? ", " : "", one->rule->id,
			      one->rule->slug);
		if (one->function && (one->path_id != finding->path_id))
			strbuf_printf(buffer, " of %s", one->function);
		strbuf_printf(buffer, " (%s)", severity_word(one->severity));
	}
}

struct facts {
	void (*put)(void *context, const struct fact *fact);
	void *context;
	struct strbuf text;
};

/* text NULL: takes the text from the buffer, and empties it. */
static void put_fact(struct facts *facts, const char *label, const char *text,
		     enum fact_kind kind)
{
	struct fact fact = {label, text ? text : strbuf_text(&facts->text), kind, 0};

	if (*fact.text)
		facts->put(facts->context, &fact);
	strbuf_reset(&facts->text);
}

static void put_advice(struct facts *facts, const struct finding *finding)
{
	for (size_t i = 0; finding->advice[i]; i++)
		facts->put(facts->context,
			   &(struct fact){"try", finding->advice[i], FACT_ADVICE, i + 1});
}

void finding_each_fact(const struct section *section, const struct finding *finding,
		       void (*put)(void *context, const struct fact *fact), void *context)
{
	struct facts facts = {.put = put, .context = context};
	struct strbuf *text = &facts.text;

	put_advice(&facts, finding);
	finding_put_bound(text, section->findings, finding, true);
	put_fact(&facts, "gain", NULL, FACT_TEXT);
	put_fact(&facts, "path", finding->chain ? finding->chain : "", FACT_CHAIN);
	put_fact(&facts, "through", finding->through ? finding->through : "", FACT_CHAIN);
	put_fact(&facts, "where", finding->where ? finding->where : "", FACT_CODE);
	put_fact(&facts, "why", finding->why ? finding->why : "", FACT_TEXT);
	finding_put_evidence(text, finding);
	put_fact(&facts, "evidence", NULL, FACT_TEXT);
	strbuf_printf(text, "%s %s, score %.0f, confidence %s", finding->rule->id,
		      finding->rule->slug, finding->score,
		      confidence_word(finding->confidence));
	put_fact(&facts, "rule", NULL, FACT_TEXT);
	put_fact(&facts, "verify", finding->verify ? finding->verify : "", FACT_CODE);
	if (section->flags & SECTION_SQL)
		put_fact(&facts, "sql", finding->sql ? finding->sql : "", FACT_CODE);
	finding_put_also(text, finding);
	put_fact(&facts, "also", NULL, FACT_TEXT);
	strbuf_free(text);
}

static const struct column columns[] = {
	{"rank", NULL, COLUMN_COUNT, 0},
	{"id", NULL, COLUMN_TEXT, 0},
	{"rule", NULL, COLUMN_TEXT, 0},
	{"severity", NULL, COLUMN_TEXT, 0},
	{"score", NULL, COLUMN_FIGURE, 0},
	{"confidence", NULL, COLUMN_TEXT, 0},
	{"impact", NULL, COLUMN_FIGURE, 0},
	{"function", NULL, COLUMN_NAME, 0},
	{"path", NULL, COLUMN_CHAIN, 0},
	{"file", NULL, COLUMN_LOCATION, 0},
	{"saving_ns", NULL, COLUMN_NSEC, 0},
	{"saving_bytes", NULL, COLUMN_BYTES, 0},
	{"saving_allocs", NULL, COLUMN_COUNT, 0},
	{"evidence", NULL, COLUMN_TEXT, 0},
	{"why", NULL, COLUMN_TEXT, 0},
	{"advice", NULL, COLUMN_TEXT, 0},
	{"verify", NULL, COLUMN_TEXT, 0},
	{"sql", NULL, COLUMN_TEXT, 0},
};

static struct cell place(struct table *table, const struct finding *finding)
{
	struct cell cell = table_text(table, finding->file);

	cell.line = finding->line;
	return cell;
}

static void add_row(struct table *table, size_t rank, const struct finding *finding,
		    struct strbuf *scratch)
{
	struct cell *row = table_add_row(table);

	row[0] = cell_integer((int64_t)rank);
	row[1] = table_text(table, finding->rule->id);
	row[2] = table_text(table, finding->rule->slug);
	row[3] = table_text(table, severity_word(finding->severity));
	row[4] = cell_real(finding->score);
	row[5] = table_text(table, confidence_word(finding->confidence));
	row[6] = cell_real(finding->impact);
	row[7] = table_text(table, finding->function);
	row[8] = table_text(table, finding->chain);
	row[9] = place(table, finding);
	row[10] = cell_integer(whole_number(finding->saving_ns));
	row[11] = cell_integer(whole_number(finding->saving_bytes));
	row[12] = cell_integer(whole_number(finding->saving_allocs));
	finding_put_evidence(scratch, finding);
	row[13] = table_text(table, strbuf_text(scratch));
	row[14] = table_text(table, finding->why);
	strbuf_reset(scratch);
	for (size_t i = 0; finding->advice[i]; i++)
		strbuf_printf(scratch, "%s%zu. %s", i ? " " : "", i + 1,
			      finding->advice[i]);
	row[15] = table_text(table, strbuf_text(scratch));
	row[16] = table_text(table, finding->verify);
	row[17] = table_text(table, finding->sql);
}

struct table *findings_as_table(const struct section *section)
{
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	ended_by(strbuf_free) struct strbuf scratch = {0};

	for (size_t i = 0; i < section->shown_count; i++) {
		strbuf_reset(&scratch);
		add_row(table, i + 1, &section->findings->list[i], &scratch);
	}
	return table;
}

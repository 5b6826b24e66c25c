/* SPDX-License-Identifier: MIT */
/*
 * The figures of findings as people read them, and findings as a table. Must not say
 * more than the finding does.
 */
#include "analyzer/render/findings.h"

#include "analyzer/model/units.h"
#include "analyzer/rules/rule.h"

static void put_value(struct strbuf *buffer, const struct evidence *one)
{
	bool is_known = units_is_known(one->value, one->error);

	if (!is_known)
		strbuf_putc(buffer, '<');
	units_limit(buffer, one->value + (is_known ? 0 : one->error), one->unit);
	if (is_known)
		units_error(buffer, one->value, one->error, UNITS_ERROR_SIGN);
}

void finding_put_evidence(struct strbuf *buffer, const struct finding *finding)
{
	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct evidence *one = &finding->evidence[i];

		strbuf_printf(buffer, "%s%s ", i ? " | " : "", one->name);
		put_value(buffer, one);
		if (!one->has_limit)
			continue;
		strbuf_puts(buffer, " (limit ");
		units_limit(buffer, one->limit, one->unit);
		strbuf_putc(buffer, ')');
	}
}

void finding_put_saving(struct strbuf *buffer, const struct findings *findings,
			const struct finding *finding)
{
	double ceiling = finding_ceiling(finding);
	size_t start = buffer->size;

	if (finding->saving_ns > 0) {
		units_nsec(buffer, whole_number(finding->saving_ns));
		strbuf_puts(buffer, " (");
		units_percent(buffer, 100 * finding_time_share(finding));
		strbuf_puts(buffer, " of the run)");
		if (ceiling > 0)
			strbuf_printf(buffer, ", the run at most %.2f times faster",
				      ceiling);
	}
	if (finding->saving_bytes > 0) {
		double of_bytes = finding->saving_of_bytes > 0 ? finding->saving_of_bytes
							       : findings->peak_bytes;

		strbuf_puts(buffer, buffer->size > start ? "; " : "");
		units_bytes(buffer, whole_number(finding->saving_bytes));
		if (finding->saving_bytes <= of_bytes) {
			strbuf_puts(buffer, " (");
			units_percent(buffer,
				      units_share(finding->saving_bytes, of_bytes));
			strbuf_puts(buffer, finding->saving_of_bytes > 0
						    ? " of the processes' peaks)"
						    : " of the peak)");
		}
	}
	if (finding->saving_allocs > 0) {
		strbuf_puts(buffer, buffer->size > start ? "; " : "");
		units_counted(buffer, whole_number(finding->saving_allocs), "allocation");
	}
}

void finding_put_also(struct strbuf *buffer, const struct finding *finding)
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
	struct strbuf scratch = {0};

	for (size_t i = 0; i < section->shown_count; i++) {
		strbuf_reset(&scratch);
		add_row(table, i + 1, &section->findings->list[i], &scratch);
	}
	strbuf_free(&scratch);
	return table;
}

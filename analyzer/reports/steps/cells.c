/* SPDX-License-Identifier: MIT */
/* Figures about series as cells, short enough for people. */
#include "analyzer/reports/steps/parts.h"

#include "analyzer/model/units.h"

#include <math.h>

/* Four digits are enough for people, and keep the table narrow. */
struct cell steps_figure(struct table *table, double value, const char *unit, bool sign)
{
	struct strbuf text = {0};
	struct cell cell;

	if (sign && value > 0)
		strbuf_putc(&text, '+');
	if (fabs(value) < 1e6 && (fabs(value) >= 1000 || value == round(value)))
		units_count(&text, whole_number(value));
	else
		strbuf_printf(&text, "%.4g", value);
	strbuf_puts(&text, unit);
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

struct cell steps_rate(struct table *table, double value)
{
	struct strbuf text = {0};
	struct cell cell;

	if (!(value >= 1000 && value < 1e12))
		return steps_figure(table, value, "", false);
	units_count(&text, whole_number(value));
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

struct cell steps_growth(struct table *table, double bytes)
{
	struct strbuf text = {0};
	struct cell cell;

	strbuf_puts(&text, bytes >= 0.5 ? "+" : "");
	units_bytes(&text, whole_number(bytes));
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

void steps_set_rate(struct table *table, size_t row, double count)
{
	double ns = cell_number(table_cell(table, row, "last_ns")) -
		    cell_number(table_cell(table, row, "first_ns"));
	double per_second = count * 1e9 / ns;

	if (!(ns > 0) || !isfinite(per_second))
		return;
	*table_cell(table, row, "per_second") = cell_real(per_second);
	*table_cell(table, row, "per_hour") = cell_real(per_second * 3600);
	if (table_column(table, "rate") >= 0)
		*table_cell(table, row, "rate") = steps_rate(table, per_second);
}

void steps_set_drift(struct table *table, size_t row, const struct table *spans)
{
	int64_t series_id = cell_whole(table_cell(table, row, "series_id"));
	double percent;

	if (!steps_drift(spans, series_id, &percent))
		return;
	*table_cell(table, row, "drift_percent") = cell_real(percent);
	*table_cell(table, row, "drift") = steps_figure(
		table, fabs(percent) < 10 ? round(percent * 10) / 10 : round(percent),
		"%", true);
}

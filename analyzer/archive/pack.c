/* SPDX-License-Identifier: MIT */
/*
 * Packs the rows of a run and reads them back: one function does both, see coder.h. Runs
 * on: prof-analyze, main thread. Must not use a value before it was coded, or the reader
 * would expect something else.
 *
 * First come the texts that the reference does not have; a text is its number then. Of a
 * table follow: how many rows; which row of the reference each one is; then column by
 * column the kinds of its values and its numbers. A number is expected to be
 *
 *     the id of the row that the reference's id means (a path's parent)
 *     or what the reference has, moved by as much as the partner, another column, is from
 *     its own reference (raw_self_ns by self_ns); without a reference the partner's value
 *     or the value of the row before (started_ns)
 *     and in a tree as much more as its children have together (total_ns), or what the
 *     partner has less its children (self_ns of total_ns)
 */
#include "analyzer/archive/pack.h"

#include "analyzer/archive/coder.h"
#include "analyzer/archive/same.h"
#include "analyzer/archive/texts.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_BUCKETS 8
#define LENGTH_MODELS 64
#define SAMPLED_ROWS 400

/* How the numbers of a column are expected. */
struct plan {
	int partner; /* a column before it; itself: the row before; -1: none */
	int below;   /* 1: and what the children have; -1: less the partner's of these */
};

struct table_packing {
	struct rows_table *table;
	const struct rows_table *reference; /* NULL: none */
	uint32_t *same;
	int parent; /* its column that is the id of another row of it; -1 */
	/* what the children have of the column being coded, or of its partner */
	uint64_t *below, *reference_below;
};

struct packing {
	struct coder coder;
	struct rows *rows;
	const struct rows *reference;
	uint32_t **same;    /* when writing */
	uint32_t **inverse; /* by table: the row that a reference's row is */
	struct intern texts;
	struct coder_model lengths[2 * SIZE_BUCKETS * LENGTH_MODELS];
	struct coder_model leading[CODER_NUMBER_MODELS];
	struct coder_model plain[LENGTH_MODELS], plain_leading[CODER_NUMBER_MODELS];
	struct bytes_models blobs;
	bool is_wrong;
};

/* Numbers that are few: counts, plans. */
static int64_t code_plain(struct packing *packing, int64_t number)
{
	return coder_number(&packing->coder, packing->plain, packing->plain_leading,
			    number);
}

static const struct rows_value *reference_value(const struct table_packing *at,
						size_t column, size_t row)
{
	return at->same[row] == SAME_NONE
		       ? NULL
		       : &at->reference->columns[column].values[at->same[row]];
}

/* The id of the row that is the same as the one the reference's id means. */
static bool expect_id(const struct packing *packing, const struct table_packing *at,
		      size_t column, const struct rows_value *of, uint64_t *ret)
{
	int meant = at->table->columns[column].of;
	const struct rows_table *here, *there;
	uint64_t place;
	uint32_t found;

	if (!of || meant < 0 || of->kind != ROWS_INTEGER ||
	    (at->table->has_ids && column == 0))
		return false;
	here = &packing->rows->tables[meant];
	there = &packing->reference->tables[meant];
	/* tables behind this one are not there yet when reading */
	if (here > at->table || !here->is_numbered || !there->is_numbered)
		return false;
	place = (uint64_t)of->number - (uint64_t)there->first_id;
	if (place >= there->row_count)
		return false;
	found = packing->inverse[meant][place];
	*ret = (uint64_t)here->first_id + found;
	return found != SAME_NONE;
}

static uint64_t expect(const struct packing *packing, const struct table_packing *at,
		       size_t column, const struct plan *plan, size_t row)
{
	const struct rows_column *columns = at->table->columns;
	const struct rows_value *of = reference_value(at, column, row);
	size_t partner = (size_t)plan->partner;
	uint64_t expected = texts_number(&packing->texts, of);

	if (expect_id(packing, at, column, of, &expected))
		return expected;
	if (partner == column)
		return row ? texts_number(&packing->texts,
					  &columns[column].values[row - 1])
			   : 0;
	if (plan->partner >= 0)
		expected +=
			texts_number(&packing->texts, &columns[partner].values[row]) -
			texts_number(&packing->texts, reference_value(at, partner, row));
	if (plan->below)
		expected +=
			(uint64_t)plan->below *
			(at->below[row] - (of ? at->reference_below[at->same[row]] : 0));
	return expected;
}

/* Adds what the row has to what its parent's children have; parents stand first. */
static void give_parent(const struct packing *packing, const struct rows_table *table,
			int parent, size_t column, size_t row, uint64_t *below)
{
	const struct rows_value *id = &table->columns[parent].values[row];
	uint64_t above = (uint64_t)id->number - (uint64_t)table->first_id;

	if (table->is_numbered && id->kind == ROWS_INTEGER && above < row)
		below[above] += texts_number(&packing->texts,
					     &table->columns[column].values[row]);
}

static void sum_children(const struct packing *packing, const struct rows_table *table,
			 int parent, size_t column, uint64_t *below)
{
	memset(below, 0, (table->row_count + 1) * sizeof(*below));
	for (size_t row = table->row_count; row-- > 0;)
		give_parent(packing, table, parent, column, row, below);
}

/* What the plan needs to know of children; the column itself may not be there yet. */
static void sum_below(const struct packing *packing, struct table_packing *at,
		      size_t column, const struct plan *plan, bool is_there)
{
	size_t of = plan->below < 0 ? (size_t)plan->partner : column;

	memset(at->below, 0, (at->table->row_count + 1) * sizeof(*at->below));
	if (is_there || plan->below < 0)
		sum_children(packing, at->table, at->parent, of, at->below);
	if (at->reference)
		sum_children(packing, at->reference, at->parent, of, at->reference_below);
}

static void code_number(struct packing *packing, struct table_packing *at, size_t column,
			const struct plan *plan, size_t row)
{
	struct rows_value *value = &at->table->columns[column].values[row];
	uint64_t expected = expect(packing, at, column, plan, row);
	uint64_t number =
		packing->coder.writes ? texts_number(&packing->texts, value) : 0;
	unsigned size =
		(size_t)plan->partner == column ? 0 : coder_length((int64_t)expected) / 4;
	size_t context = (at->same[row] != SAME_NONE) * SIZE_BUCKETS +
			 (size < SIZE_BUCKETS ? size : SIZE_BUCKETS - 1);

	number = expected +
		 (uint64_t)coder_number(&packing->coder,
					packing->lengths + context * LENGTH_MODELS,
					packing->leading, (int64_t)(number - expected));
	if (!packing->coder.writes)
		packing->is_wrong |= !texts_give(&packing->texts, number, value,
						 &packing->rows->bytes);
}

static void code_numbers(struct packing *packing, struct table_packing *at, size_t column,
			 const struct plan *plan)
{
	struct rows_value *values = at->table->columns[column].values;
	size_t count = at->table->row_count;

	coder_model_init(packing->lengths, 2 * SIZE_BUCKETS * LENGTH_MODELS);
	coder_model_init(packing->leading, CODER_NUMBER_MODELS);
	if (plan->below)
		sum_below(packing, at, column, plan, false);
	for (size_t i = 0; i < count && !packing->is_wrong; i++) {
		size_t row = plan->below > 0 ? count - 1 - i : i;

		if (values[row].kind == ROWS_BLOB)
			packing->is_wrong |=
				!bytes_code(&packing->blobs, &packing->coder,
					    &values[row], &packing->rows->bytes);
		else if (values[row].kind != ROWS_NULL)
			code_number(packing, at, column, plan, row);
		if (plan->below > 0)
			give_parent(packing, at->table, at->parent, column, row,
				    at->below);
	}
}

/* How many bits the differences of some rows would have. */
static uint64_t weigh(const struct packing *packing, const struct table_packing *at,
		      size_t column, const struct plan *plan)
{
	const struct rows_value *values = at->table->columns[column].values;
	size_t count = at->table->row_count, step = count / SAMPLED_ROWS + 1;
	uint64_t sum = 0;

	for (size_t row = step / 2; row < count; row += step)
		if (values[row].kind != ROWS_NULL && values[row].kind != ROWS_BLOB)
			sum += coder_length(
				(int64_t)(texts_number(&packing->texts, &values[row]) -
					  expect(packing, at, column, plan, row)));
	return sum;
}

static bool is_possible(const struct table_packing *at, size_t column,
			const struct plan *plan)
{
	if (plan->partner < -1 || plan->partner > (int)column || plan->below < -1 ||
	    plan->below > 1 ||
	    (plan->partner >= 0 && at->table->columns[plan->partner].is_run_id))
		return false;
	return plan->below == 0 ||
	       (at->parent >= 0 && at->parent < (int)column &&
		plan->partner < (int)column && (plan->below > 0 || plan->partner >= 0));
}

static struct plan choose_plan(const struct packing *packing, struct table_packing *at,
			       size_t column)
{
	static const int below[] = {0, -1, 1};
	struct plan best = {.partner = -1};
	uint64_t least = weigh(packing, at, column, &best);

	for (size_t k = 0; k < 3; k++)
		for (int i = -1; i <= (int)column && least; i++) {
			struct plan plan = {i, below[k]};
			uint64_t weight;

			if (!is_possible(at, column, &plan))
				continue;
			if (plan.below < 0 || (plan.below > 0 && i < 0))
				sum_below(packing, at, column, &plan, true);
			weight = weigh(packing, at, column, &plan);
			if (weight < least) {
				least = weight;
				best = plan;
			}
		}
	return best;
}

/* The kinds of a column's values: mostly the reference's, or that of the row before. */
static void code_kinds(struct packing *packing, struct table_packing *at, size_t column)
{
	struct rows_value *values = at->table->columns[column].values;
	struct coder_model is_expected, kinds[8];
	unsigned before = ROWS_INTEGER;

	coder_model_init(&is_expected, 1);
	coder_model_init(kinds, 8);
	for (size_t row = 0; row < at->table->row_count; row++) {
		const struct rows_value *of = reference_value(at, column, row);
		unsigned kind = of ? of->kind : before;

		if (!coder_bit(&packing->coder, &is_expected, values[row].kind == kind))
			kind = coder_symbol(&packing->coder, kinds, 3, values[row].kind);
		packing->is_wrong |= kind >= ROWS_KINDS;
		values[row].kind = kind < ROWS_KINDS ? (uint8_t)kind : ROWS_NULL;
		before = kind;
	}
}

static void code_column(struct packing *packing, struct table_packing *at, size_t column)
{
	struct plan plan = {.partner = -1};

	code_kinds(packing, at, column);
	if (packing->coder.writes)
		plan = choose_plan(packing, at, column);
	plan.partner = (int)code_plain(packing, plan.partner);
	plan.below = (int)code_plain(packing, plan.below);
	packing->is_wrong |=
		!is_possible(at, column, &plan) || packing->coder.past > CODER_PAST_MOST;
	if (!packing->is_wrong)
		code_numbers(packing, at, column, &plan);
	if (column == 0)
		rows_find_ids(at->table);
}

/* Which row of the reference each row is: mostly the one behind the last. */
static void code_same(struct packing *packing, struct table_packing *at, size_t index)
{
	size_t other = at->reference ? at->reference->row_count : 0;
	uint32_t *inverse = packing->inverse[index];
	struct coder_model is_there;
	int64_t next = 0;

	coder_model_init(&is_there, 1);
	memset(inverse, 0xff, other * sizeof(*inverse)); /* SAME_NONE */
	for (size_t row = 0; row < at->table->row_count; row++) {
		uint32_t same =
			packing->same && other ? packing->same[index][row] : SAME_NONE;

		at->same[row] = SAME_NONE;
		if (!other || !coder_bit(&packing->coder, &is_there, same != SAME_NONE))
			continue;
		next += code_plain(packing, (int64_t)same - next);
		packing->is_wrong |= next < 0 || next >= (int64_t)other;
		if (packing->is_wrong)
			next = 0;
		at->same[row] = (uint32_t)next;
		inverse[next++] = (uint32_t)row;
	}
}

static void code_table(struct packing *packing, size_t index)
{
	struct table_packing at = {.table = &packing->rows->tables[index], .parent = -1};
	struct rows_table *table = at.table;
	int64_t count = code_plain(packing, (int64_t)table->row_count);
	size_t others = 0;

	if (packing->reference && packing->reference->tables[index].row_count) {
		at.reference = &packing->reference->tables[index];
		others = at.reference->row_count;
	}
	packing->inverse[index] = xcalloc(others + 1, sizeof(uint32_t));
	if (!packing->coder.writes && (count < 0 || !rows_size(table, (size_t)count)))
		packing->is_wrong = true;
	if (!table->row_count || packing->is_wrong)
		return;
	for (size_t i = 1; i < table->column_count && at.parent < 0; i++)
		if (table->has_ids && table->columns[i].of == (int)index)
			at.parent = (int)i;
	at.same = xcalloc(table->row_count, sizeof(*at.same));
	at.below = xcalloc(table->row_count + 1, sizeof(*at.below));
	at.reference_below = xcalloc(others + 1, sizeof(*at.reference_below));
	code_same(packing, &at, index);
	for (size_t i = 0; i < table->column_count && !packing->is_wrong; i++)
		if (!table->columns[i].is_run_id)
			code_column(packing, &at, i);
	free(at.below);
	free(at.reference_below);
	free(at.same);
}

static void code_all(struct packing *packing)
{
	size_t count = packing->rows->table_count;

	packing->inverse = xcalloc(count + 1, sizeof(*packing->inverse));
	bytes_init(&packing->blobs);
	coder_model_init(packing->plain, LENGTH_MODELS);
	coder_model_init(packing->plain_leading, CODER_NUMBER_MODELS);
	packing->is_wrong = !texts_code(&packing->texts, &packing->coder,
					packing->reference, packing->rows);
	for (size_t i = 0; i < count && !packing->is_wrong; i++)
		code_table(packing, i);
	for (size_t i = 0; i < count; i++) {
		free(packing->inverse[i]);
		if (packing->same)
			free(packing->same[i]);
	}
	free(packing->inverse);
	free(packing->same);
	intern_free(&packing->texts);
}

void pack_write(const struct rows *rows, const struct rows *reference, struct strbuf *ret)
{
	auto_free struct packing *packing = xcalloc(1, sizeof(*packing));

	packing->rows = (struct rows *)rows; /* they are not written to */
	packing->reference = reference;
	packing->same = reference ? same_rows(rows, reference) : NULL;
	coder_begin_writing(&packing->coder);
	code_all(packing);
	coder_flush(&packing->coder);
	strbuf_add(ret, strbuf_text(&packing->coder.out), packing->coder.out.size);
	strbuf_free(&packing->coder.out);
}

bool pack_read(struct rows *rows, const struct rows *reference, const void *bytes,
	       size_t size)
{
	auto_free struct packing *packing = xcalloc(1, sizeof(*packing));

	packing->rows = rows;
	packing->reference = reference;
	coder_begin_reading(&packing->coder, bytes, size);
	code_all(packing);
	return !packing->is_wrong && packing->coder.past <= CODER_PAST_MOST;
}

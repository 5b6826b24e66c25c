/* SPDX-License-Identifier: MIT */
/*
 * Packs the rows of a run and reads them back: one function does both, see coder.h. Runs
 * on: prof-analyze, main thread. Must not use a value before it was coded, or the reader
 * would expect something else.
 *
 * Of a table: how many rows; which row of the reference each one is; then column by
 * column the kinds of its values, its numbers, its texts. A number is expected to be
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
#include "common/base/map.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_BUCKETS 8
#define NEAR_BUCKETS 6
#define CONTEXTS (2 * SIZE_BUCKETS * NEAR_BUCKETS)
#define LENGTH_MODELS 64
#define BYTE_MODELS (512 * 256) /* behind each byte; of blobs by what is near */
#define TEXT_MOST (64u << 20)
#define SAMPLED_ROWS 800

/* How the numbers of a column are expected. */
struct plan {
	int partner; /* a column before it; -1: none */
	bool by_before, by_tree, by_own;
};

struct table_packing {
	struct rows_table *table;
	const struct rows_table *reference; /* NULL: none */
	uint32_t *same;
	int parent;	       /* its column that is the id of another row of it; -1 */
	unsigned char **sizes; /* of the differences in each column */
	const unsigned char *latest; /* those of the column before */
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
	struct coder_model *lengths, leading[CODER_NUMBER_MODELS], *bytes;
	struct coder_model plain[LENGTH_MODELS], plain_leading[CODER_NUMBER_MODELS];
	uint32_t last_text;
	bool is_wrong;
};

static bool is_number(const struct rows_value *value)
{
	return value->kind == ROWS_INTEGER || value->kind == ROWS_REAL;
}

/* Numbers that are few: counts, plans. */
static int64_t code_plain(struct packing *packing, int64_t number)
{
	unsigned length;

	return coder_number(&packing->coder, packing->plain, packing->plain_leading,
			    number, &length);
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
		      size_t column, size_t row, int64_t *ret)
{
	enum rows_id id = at->table->columns[column].id;
	const struct rows_value *of = reference_value(at, column, row);
	const struct rows_table *here, *there;
	uint64_t place;
	uint32_t found;

	if (!of || id == ROWS_NO_ID || of->kind != ROWS_INTEGER ||
	    (id == at->table->of && column == 0))
		return false;
	here = rows_table_of(packing->rows, id);
	there = rows_table_of(packing->reference, id);
	/* tables behind this one are not there yet when reading */
	if (!here || !there || here > at->table || !here->is_numbered ||
	    !there->is_numbered)
		return false;
	place = (uint64_t)of->number - (uint64_t)there->first_id;
	if (place >= there->row_count)
		return false;
	found = packing->inverse[here - packing->rows->tables][place];
	*ret = here->first_id + found;
	return found != SAME_NONE;
}

static int64_t expect(const struct table_packing *at, size_t column,
		      const struct plan *plan, size_t row, int64_t before)
{
	const struct rows_value *of = reference_value(at, column, row), *partner = NULL;
	bool has_reference = of && is_number(of);
	uint64_t expected = has_reference ? (uint64_t)of->number : 0;

	if (plan->by_before)
		return before;
	if (plan->partner >= 0)
		partner = &at->table->columns[plan->partner].values[row];
	if (partner && is_number(partner)) {
		expected += (uint64_t)partner->number;
		if (has_reference)
			expected -=
				(uint64_t)reference_value(at, (size_t)plan->partner, row)
					->number;
	}
	if (plan->by_tree || plan->by_own) {
		uint64_t below = at->below[row];

		if (has_reference)
			below -= at->reference_below[at->same[row]];
		expected += plan->by_tree ? below : -below;
	}
	return (int64_t)expected;
}

/* The row's parent in a tree; parents stand before their children. */
static bool parent_of(const struct rows_table *table, int parent, size_t row, size_t *ret)
{
	const struct rows_value *value = &table->columns[parent].values[row];

	*ret = (size_t)((uint64_t)value->number - (uint64_t)table->first_id);
	return table->is_numbered && value->kind == ROWS_INTEGER && *ret < row;
}

static void give_parent(const struct rows_table *table, int parent, size_t column,
			size_t row, uint64_t *below)
{
	const struct rows_value *value = &table->columns[column].values[row];
	size_t above;

	if (is_number(value) && parent_of(table, parent, row, &above))
		below[above] += (uint64_t)value->number;
}

static unsigned bucket(unsigned size, unsigned divisor, unsigned most)
{
	return size / divisor < most ? size / divisor : most - 1;
}

/* What the models know of a number before it is coded. */
static unsigned context_of(const struct table_packing *at, size_t column,
			   const struct plan *plan, size_t row, int64_t expected)
{
	const unsigned char *near =
		plan->partner >= 0 ? at->sizes[plan->partner] : at->latest;
	unsigned size = 0;

	(void)column;
	if (!plan->by_before)
		size = coder_length(expected);
	return ((at->same[row] != SAME_NONE) * SIZE_BUCKETS +
		bucket(size, 4, SIZE_BUCKETS)) *
		       NEAR_BUCKETS +
	       bucket(near ? near[row] : 0, 4, NEAR_BUCKETS);
}

static void code_number(struct packing *packing, struct table_packing *at, size_t column,
			const struct plan *plan, size_t row, int64_t before)
{
	struct rows_value *value = &at->table->columns[column].values[row];
	int64_t expected;
	unsigned size, context;

	if (!expect_id(packing, at, column, row, &expected))
		expected = expect(at, column, plan, row, before);
	context = context_of(at, column, plan, row, expected);
	value->number =
		(int64_t)((uint64_t)expected +
			  (uint64_t)coder_number(
				  &packing->coder,
				  packing->lengths + context * LENGTH_MODELS,
				  packing->leading,
				  (int64_t)((uint64_t)value->number - (uint64_t)expected),
				  &size));
	at->sizes[column][row] = (unsigned char)size;
}

static void sum_children(const struct rows_table *table, int parent, size_t column,
			 uint64_t *below)
{
	memset(below, 0, (table->row_count + 1) * sizeof(*below));
	for (size_t row = table->row_count; row-- > 0;)
		give_parent(table, parent, column, row, below);
}

/* Of a column that is known in both runs, or in the reference alone. */
static void sum_both(struct table_packing *at, size_t column, bool is_known)
{
	memset(at->below, 0, (at->table->row_count + 1) * sizeof(*at->below));
	if (is_known)
		sum_children(at->table, at->parent, column, at->below);
	if (at->reference)
		sum_children(at->reference, at->parent, column, at->reference_below);
}

static void code_numbers(struct packing *packing, struct table_packing *at, size_t column,
			 const struct plan *plan)
{
	size_t count = at->table->row_count;
	int64_t before = 0;

	coder_model_init(packing->lengths, CONTEXTS * LENGTH_MODELS);
	coder_model_init(packing->leading, CODER_NUMBER_MODELS);
	if (plan->by_tree)
		sum_both(at, column, false);
	else if (plan->by_own)
		sum_both(at, (size_t)plan->partner, true);
	for (size_t i = 0; i < count; i++) {
		size_t row = plan->by_tree ? count - 1 - i : i;

		if (!is_number(&at->table->columns[column].values[row]))
			continue;
		code_number(packing, at, column, plan, row, before);
		before = at->table->columns[column].values[row].number;
		if (plan->by_tree)
			give_parent(at->table, at->parent, column, row, at->below);
	}
	at->latest = at->sizes[column];
}

/* How many bits the differences of some rows would have. */
static uint64_t weigh(const struct packing *packing, const struct table_packing *at,
		      size_t column, const struct plan *plan)
{
	const struct rows_column *values = &at->table->columns[column];
	size_t count = at->table->row_count, step = count / SAMPLED_ROWS + 1;
	uint64_t sum = 0;

	for (size_t row = step / 2; row < count; row += step) {
		int64_t expected, before = row ? values->values[row - 1].number : 0;

		if (!is_number(&values->values[row]))
			continue;
		if (!expect_id(packing, at, column, row, &expected))
			expected = expect(at, column, plan, row, before);
		sum += coder_length((int64_t)((uint64_t)values->values[row].number -
					      (uint64_t)expected));
	}
	return sum;
}

static void try_plan(const struct packing *packing, const struct table_packing *at,
		     size_t column, struct plan plan, struct plan *best, uint64_t *least)
{
	uint64_t weight;

	if (*least == 0)
		return;
	weight = weigh(packing, at, column, &plan);
	if (weight < *least) {
		*least = weight;
		*best = plan;
	}
}

static bool has_numbers(const struct table_packing *at, size_t column)
{
	for (size_t row = 0; row < at->table->row_count; row++)
		if (is_number(&at->table->columns[column].values[row]))
			return true;
	return false;
}

static struct plan choose_plan(struct packing *packing, struct table_packing *at,
			       size_t column)
{
	struct plan best = {.partner = -1};
	uint64_t least = weigh(packing, at, column, &best);
	bool is_in_tree = at->parent >= 0 && (size_t)at->parent < column;

	try_plan(packing, at, column, (struct plan){.partner = -1, .by_before = true},
		 &best, &least);
	for (size_t i = 0; i < column; i++)
		if (!at->table->columns[i].is_run_id)
			try_plan(packing, at, column, (struct plan){.partner = (int)i},
				 &best, &least);
	for (size_t i = (size_t)at->parent + 1; is_in_tree && least && i < column; i++) {
		sum_both(at, i, true);
		try_plan(packing, at, column,
			 (struct plan){.partner = (int)i, .by_own = true}, &best, &least);
	}
	if (is_in_tree && least)
		sum_both(at, column, true);
	for (int i = -1; is_in_tree && i < (int)column; i++)
		if (i < 0 || !at->table->columns[i].is_run_id)
			try_plan(packing, at, column,
				 (struct plan){.partner = i, .by_tree = true}, &best,
				 &least);
	return best;
}

static void code_plan(struct packing *packing, struct table_packing *at, size_t column,
		      struct plan *plan)
{
	plan->partner = (int)code_plain(packing, plan->partner);
	plan->by_before = code_plain(packing, plan->by_before) != 0;
	plan->by_tree = code_plain(packing, plan->by_tree) != 0;
	plan->by_own = code_plain(packing, plan->by_own) != 0;
	if (plan->partner >= (int)column ||
	    (plan->partner >= 0 && at->table->columns[plan->partner].is_run_id) ||
	    (plan->by_own && plan->partner < 0) ||
	    ((plan->by_tree || plan->by_own) &&
	     (at->parent < 0 || (size_t)at->parent >= column))) {
		packing->is_wrong = true;
		*plan = (struct plan){.partner = -1};
	}
	if (plan->partner < 0)
		plan->partner = -1;
}

/* The kinds of a column's values; most columns have one. */
static void code_kinds(struct packing *packing, struct table_packing *at, size_t column)
{
	struct rows_value *values = at->table->columns[column].values;
	struct coder_model models[ROWS_KINDS * ROWS_KINDS][8];
	unsigned before = 0, first = values[0].kind;
	bool differs = false;

	for (size_t row = 0; row < at->table->row_count && packing->coder.writes; row++)
		differs |= values[row].kind != first;
	differs = code_plain(packing, differs) != 0;
	first = (unsigned)code_plain(packing, first);
	packing->is_wrong |= first >= ROWS_KINDS;
	coder_model_init(models[0], ROWS_KINDS * ROWS_KINDS * 8);
	for (size_t row = 0; row < at->table->row_count && !packing->is_wrong; row++) {
		const struct rows_value *of = reference_value(at, column, row);
		unsigned kind = first;

		if (differs)
			kind = coder_symbol(
				&packing->coder,
				models[(of ? of->kind : 0u) * ROWS_KINDS + before], 3,
				values[row].kind);
		packing->is_wrong |= kind >= ROWS_KINDS;
		values[row].kind = (uint8_t)kind;
		before = kind;
	}
}

static void code_bytes(struct packing *packing, struct rows_value *value)
{
	int64_t size = code_plain(packing, value->size);
	ended_by(strbuf_free) struct strbuf text = {0};
	unsigned context = 0, near = 0, nearer = 0;

	if (packing->coder.writes)
		strbuf_add(&text, value->bytes, value->size);
	else if (size < 0 || size > TEXT_MOST)
		packing->is_wrong = true;
	for (int64_t i = 0; i < size && !packing->is_wrong; i++) {
		unsigned char byte =
			packing->coder.writes ? (unsigned char)text.data[i] : 0;
		uint32_t place = context * 256;

		byte = (unsigned char)coder_symbol(&packing->coder,
						   packing->bytes + place, 8, byte);
		if (!packing->coder.writes)
			strbuf_putc(&text, (char)byte);
		/* a histogram's bytes go in pairs, of a step and of what is there */
		context = value->kind == ROWS_TEXT ? byte
						   : 256 + (i % 2) * 128 + (nearer >> 1);
		nearer = near;
		near = byte;
		packing->is_wrong |= packing->coder.past > 64;
	}
	if (!packing->coder.writes) {
		value->size = (uint32_t)text.size;
		value->bytes =
			arena_copy(&packing->rows->bytes, strbuf_text(&text), text.size);
	}
}

static bool is_same_text(const struct rows_value *one, const struct rows_value *other)
{
	return one->kind == other->kind && one->size == other->size &&
	       memcmp(one->bytes, other->bytes, one->size) == 0;
}

/* Later texts may be this one. */
static void remember(struct packing *packing, const struct rows_value *value)
{
	if (value->kind == ROWS_TEXT && !memchr(value->bytes, 0, value->size))
		packing->last_text =
			intern_bytes(&packing->texts, value->bytes, value->size, NULL);
}

static void code_known(struct packing *packing, struct rows_value *value, uint32_t known)
{
	uint32_t number =
		(uint32_t)code_plain(packing, (int64_t)known - packing->last_text) +
		packing->last_text;

	if (packing->coder.writes)
		return;
	if (number >= packing->texts.count) {
		packing->is_wrong = true;
		value->bytes = "";
		return;
	}
	value->bytes = intern_name(&packing->texts, number);
	value->size = (uint32_t)strlen(value->bytes);
	value->bytes = arena_copy(&packing->rows->bytes, value->bytes, value->size);
}

static void code_text(struct packing *packing, struct table_packing *at, size_t column,
		      size_t row, struct coder_model *models)
{
	struct rows_value *value = &at->table->columns[column].values[row];
	const struct rows_value *of = reference_value(at, column, row);
	bool writes = packing->coder.writes;
	uint32_t known = INTERN_NONE;

	if (of && of->kind != value->kind)
		of = NULL;
	if (of &&
	    coder_bit(&packing->coder, &models[0], writes && is_same_text(value, of))) {
		if (!writes) {
			value->size = of->size;
			value->bytes =
				arena_copy(&packing->rows->bytes, of->bytes, of->size);
		}
		remember(packing, value);
		return;
	}
	if (writes && value->kind == ROWS_TEXT && !memchr(value->bytes, 0, value->size))
		known = intern_find_bytes(&packing->texts, value->bytes, value->size);
	if (coder_bit(&packing->coder, &models[1], known != INTERN_NONE))
		code_known(packing, value, known);
	else
		code_bytes(packing, value);
	remember(packing, value);
}

static void code_column(struct packing *packing, struct table_packing *at, size_t column)
{
	struct rows_table *table = at->table;
	struct plan plan = {.partner = -1};
	struct coder_model models[2];

	code_kinds(packing, at, column);
	if (packing->is_wrong)
		return;
	if (has_numbers(at, column)) {
		if (packing->coder.writes)
			plan = choose_plan(packing, at, column);
		code_plan(packing, at, column, &plan);
		code_numbers(packing, at, column, &plan);
	}
	coder_model_init(models, 2);
	for (size_t row = 0; row < table->row_count && !packing->is_wrong; row++) {
		uint8_t kind = table->columns[column].values[row].kind;

		if (kind == ROWS_TEXT || kind == ROWS_BLOB)
			code_text(packing, at, column, row, models);
	}
	if (column == 0)
		rows_find_ids(table);
}

/* Which row of the reference each row is: mostly the one behind the last. */
static void code_same(struct packing *packing, struct table_packing *at, size_t index)
{
	size_t count = at->table->row_count,
	       other = at->reference ? at->reference->row_count : 0;
	uint32_t *inverse = packing->inverse[index];
	struct coder_model is_there;
	int64_t next = 0;

	coder_model_init(&is_there, 1);
	for (size_t row = 0; row < other; row++)
		inverse[row] = SAME_NONE;
	for (size_t row = 0; row < count; row++) {
		uint32_t same =
			packing->same && other ? packing->same[index][row] : SAME_NONE;

		if (other && coder_bit(&packing->coder, &is_there, same != SAME_NONE)) {
			next += code_plain(packing, (int64_t)same - next);
			packing->is_wrong |= next < 0 || next >= (int64_t)other;
			if (packing->is_wrong)
				next = 0;
			same = (uint32_t)next++;
			inverse[same] = (uint32_t)row;
		} else {
			same = SAME_NONE;
		}
		at->same[row] = same;
	}
}

static void code_rows(struct packing *packing, struct table_packing *at, size_t index)
{
	struct rows_table *table = at->table;
	size_t others = at->reference ? at->reference->row_count : 0;

	at->same = xcalloc(table->row_count + 1, sizeof(*at->same));
	at->sizes = xcalloc(table->column_count + 1, sizeof(*at->sizes));
	at->below = xcalloc(table->row_count + 1, sizeof(*at->below));
	at->reference_below = xcalloc(others + 1, sizeof(*at->reference_below));
	for (size_t i = 0; i < table->column_count; i++)
		at->sizes[i] = xcalloc(table->row_count + 1, 1);
	code_same(packing, at, index);
	for (size_t i = 0; i < table->column_count && !packing->is_wrong; i++)
		if (!table->columns[i].is_run_id)
			code_column(packing, at, i);
	for (size_t i = 0; i < table->column_count; i++)
		free(at->sizes[i]);
	free(at->sizes);
	free(at->below);
	free(at->reference_below);
	free(at->same);
}

static void code_table(struct packing *packing, size_t index)
{
	struct table_packing at = {.table = &packing->rows->tables[index], .parent = -1};
	int64_t count = code_plain(packing, (int64_t)at.table->row_count);

	if (packing->reference && packing->reference->tables[index].row_count)
		at.reference = &packing->reference->tables[index];
	packing->inverse[index] = xcalloc(
		(at.reference ? at.reference->row_count : 0) + 1, sizeof(uint32_t));
	if (!packing->coder.writes && (count < 0 || !rows_size(at.table, (size_t)count)))
		packing->is_wrong = true;
	for (size_t i = 1; i < at.table->column_count && at.parent < 0; i++)
		if (at.table->of != ROWS_NO_ID && at.table->columns[i].id == at.table->of)
			at.parent = (int)i;
	if (at.table->row_count && !packing->is_wrong)
		code_rows(packing, &at, index);
}

static void code_all(struct packing *packing)
{
	size_t count = packing->rows->table_count;

	packing->inverse = xcalloc(count + 1, sizeof(*packing->inverse));
	packing->lengths = xcalloc(CONTEXTS * LENGTH_MODELS, sizeof(*packing->lengths));
	packing->bytes = xcalloc(BYTE_MODELS, sizeof(*packing->bytes));
	coder_model_init(packing->bytes, BYTE_MODELS);
	coder_model_init(packing->plain, LENGTH_MODELS);
	coder_model_init(packing->plain_leading, CODER_NUMBER_MODELS);
	for (size_t i = 0; i < count && !packing->is_wrong; i++) {
		code_table(packing, i);
		packing->is_wrong |= packing->coder.past > 64;
	}
	for (size_t i = 0; i < count; i++) {
		free(packing->inverse[i]);
		if (packing->same)
			free(packing->same[i]);
	}
	free(packing->inverse);
	free(packing->same);
	free(packing->lengths);
	free(packing->bytes);
	intern_free(&packing->texts);
}

void pack_write(const struct rows *rows, const struct rows *reference, struct strbuf *ret)
{
	/* The values are written into the rows again, as they are. */
	struct packing packing = {.rows = (struct rows *)rows, .reference = reference};

	packing.same = reference ? same_rows(rows, reference) : NULL;
	coder_begin_writing(&packing.coder);
	code_all(&packing);
	coder_flush(&packing.coder);
	strbuf_add(ret, strbuf_text(&packing.coder.out), packing.coder.out.size);
	strbuf_free(&packing.coder.out);
}

bool pack_read(struct rows *rows, const struct rows *reference, const void *bytes,
	       size_t size)
{
	struct packing packing = {.rows = rows, .reference = reference};

	coder_begin_reading(&packing.coder, bytes, size);
	code_all(&packing);
	return !packing.is_wrong;
}

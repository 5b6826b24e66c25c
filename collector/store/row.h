/* SPDX-License-Identifier: MIT */
/*
 * Adds the rows of a run's tables, value by value in the order of the columns in
 * common/schema.sql. After the first error all further rows are ignored.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/ingest/ingest.h"
#include "collector/store/ids.h"
#include "common/quantities.h"

struct sqlite3_stmt;

/* The statement of one table, and what its rows are made from. */
struct row {
	struct store *store;
	const struct ingest *ingest; /* the store's, like the ids */
	const union store_ids *ids;
	const struct quantity_list *quantities;
	const int64_t *values; /* of the quantities, of this row */
	size_t index;	       /* of the element in its list */
	struct sqlite3_stmt *statement;
	size_t column_count; /* without the quantities */
	int code;	     /* SQLite's code, SQLITE_OK while there is no error */
};

/* A list in struct ingest, by the places of its pointer and of its length. */
struct row_list {
	size_t at, count_at, size;
};

#define ROW_LIST(list, count)                                                            \
	{                                                                                \
		offsetof(struct ingest, list), offsetof(struct ingest, count),           \
			sizeof(*((struct ingest *)0)->list)                              \
	}
/* The place of quantities in an element of the list. */
#define ROW_QUANTITIES(list, of)                                                         \
	.quantities = &quantity_lists[QUANTITY_OF_##of],                                 \
	.quantities_at = offsetof(__typeof__(*((struct ingest *)0)->list), quantities)

/* add: adds the rows of an element, often one; without a list it is called once, with
 * NULL. quantities: columns that are quantities of the element; NULL: none. */
struct row_table {
	const char *name;
	void (*add)(struct row *row, const void *element);
	struct row_list list;
	const struct quantity_list *quantities;
	size_t quantities_at;
};

/* A run's tables, in the files of these names. The last entry has no name. */
extern const struct row_table store_process_tables[], store_tree_tables[],
	store_kept_tables[], store_mark_tables[], store_run_tables[];

/* Inserts the table's rows. Returns SQLite's code. */
int row_fill(struct store *store, const struct row_table *table);

struct value {
	enum { VALUE_NULL, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_BLOB } kind;
	union {
		int64_t integer;
		double real;
		const void *data; /* text ends with NUL */
	};
	size_t size; /* of a blob */
};

#define VALUE_NONE ((struct value){.kind = VALUE_NULL})

static inline struct value value_of(struct value value)
{
	return value;
}

static inline struct value value_integer(int64_t integer)
{
	return (struct value){.kind = VALUE_INTEGER, .integer = integer};
}

/* Numbers past INT64_MAX become INT64_MAX. */
static inline struct value value_count(uint64_t count)
{
	return value_integer(count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

static inline struct value value_real(double real)
{
	return (struct value){.kind = VALUE_REAL, .real = real};
}

static inline struct value value_text(const char *text)
{
	return text ? (struct value){.kind = VALUE_TEXT, .data = text} : VALUE_NONE;
}

static inline struct value value_blob(const void *data, size_t size)
{
	return (struct value){.kind = VALUE_BLOB, .data = data, .size = size};
}

/* NULL and empty text become NULL. */
static inline struct value value_filled(const char *text)
{
	return value_text(text && *text ? text : NULL);
}

static inline struct value value_if(int is_known, int64_t integer)
{
	return is_known ? value_integer(integer) : VALUE_NONE;
}

/* A negative number becomes NULL. */
static inline struct value value_known(int64_t integer)
{
	return value_if(integer >= 0, integer);
}

#define VALUE(given)                                                                     \
	_Generic((given), struct value                                                   \
		 : value_of, double                                                      \
		 : value_real, char *                                                    \
		 : value_text, const char *                                              \
		 : value_text, unsigned long                                             \
		 : value_count, unsigned long long                                       \
		 : value_count, default                                                  \
		 : value_integer)(given)

/* VALUE() of each argument, at most 64 of them. */
#define VALUES(...) VALUES_64(VALUES_FIRST(__VA_ARGS__))
#define VALUES_64(...) VALUES_16(VALUES_16(VALUES_16(VALUES_16(__VA_ARGS__))))
#define VALUES_16(...) VALUES_4(VALUES_4(VALUES_4(VALUES_4(__VA_ARGS__))))
#define VALUES_4(...) VALUES_1(VALUES_1(VALUES_1(VALUES_1(__VA_ARGS__))))
#define VALUES_1(...) __VA_ARGS__
#define VALUES_FIRST(first, ...)                                                         \
	VALUE(first) __VA_OPT__(, VALUES_AGAIN VALUES_NOTHING()()(__VA_ARGS__))
#define VALUES_AGAIN() VALUES_FIRST
#define VALUES_NOTHING()

/* Inserts a row. Values are borrowed for the call. May end the store's turn. */
#define row_add(row, ...)                                                                \
	row_insert(row, (const struct value[]){VALUES(__VA_ARGS__)},                     \
		   sizeof((const struct value[]){VALUES(__VA_ARGS__)}) /                 \
			   sizeof(struct value))
void row_insert(struct row *row, const struct value *values, size_t count);

/* The module's build-id in hexadecimal. Returns text. */
const char *store_build_id(const struct segment_module *module, char *text);

/* The process's arguments as typed in a shell. Owned by the caller (free). */
char *store_command(const struct read_process *process);

/* Values that several tables share. Path 0 is none. */
static inline struct value value_path(const struct row *row, uint32_t path)
{
	return value_if(path != 0, store_path_id(row->ids, path));
}

static inline int64_t row_process(const struct row *row, uint32_t process)
{
	return row->ids->process + process;
}

static inline int64_t row_lane(const struct row *row, uint32_t lane)
{
	return store_lane_id(row->ids, row->ingest, lane);
}

static inline int64_t row_ns(const struct row *row, double ticks)
{
	return ticks_duration_ns(&row->ingest->ticks, ticks);
}

static inline int64_t row_time_ns(const struct row *row, uint64_t ticks)
{
	return ticks_since_start_ns(&row->ingest->ticks, ticks);
}

static inline struct value value_exit_code(const struct wait_status *status)
{
	return value_if(status->is_known && !status->exit_signal, status->exit_code);
}

static inline struct value value_exit_signal(const struct wait_status *status)
{
	return value_if(status->is_known && status->exit_signal, status->exit_signal);
}

static inline struct value value_rank(const struct segment_job *job)
{
	return value_if(job->name[0] && job->rank >= 0, job->rank);
}

/* cpu_ns, ready_ns and blocked_ns of a duration; NULL where they are not known. */
struct split_values {
	struct value cpu, ready, blocked;
};
struct split_values row_split(int is_known, int64_t duration_ns, uint64_t ready_ns,
			      uint64_t blocked_ns);

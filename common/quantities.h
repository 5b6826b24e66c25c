/* SPDX-License-Identifier: MIT */
/*
 * The table of quantities (common/quantities.def) as C has it: a number and a description
 * of each, and the fields of what has them.
 *
 *     struct share {
 *             uint32_t path, lane;
 *             QUANTITY_FIELDS(LANE);
 *     };
 *
 * has share.calls, share.self_ns and whatever else a lane has in a path, and all of them
 * in the order of the table as share.quantities[QUANTITY_COUNT_LANE].
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/quantities.def"

enum quantity_subject {
	QUANTITY_OF_PATH,
	QUANTITY_OF_LANE,
	QUANTITY_OF_PAST,
	QUANTITY_OF_FUNCTION,
	QUANTITY_OF_EDGE,
	QUANTITY_OF_COMPARED,
	QUANTITY_OF_TREE,
	QUANTITY_OF_SITE,
	QUANTITY_OF_HELD,
	QUANTITY_OF_SNAPSHOT,
	QUANTITY_OF_PROCESS,
	QUANTITY_OF_RUN,
	QUANTITY_SUBJECTS
};

enum quantity_unit { QUANTITY_COUNT, QUANTITY_BYTES, QUANTITY_NSEC };

enum quantity_sum {
	QUANTITY_SUM,
	QUANTITY_BOUND,
	QUANTITY_OUTERMOST,
	QUANTITY_LEAST,
	QUANTITY_MOST,
	QUANTITY_NOT
};

enum quantity_shown { QUANTITY_ALWAYS, QUANTITY_NONZERO, QUANTITY_NEVER };

/* The x or o of a row. */
#define QUANTITY_IN_PATH(n, u, s, x, ...) x
#define QUANTITY_IN_LANE(n, u, s, a, x, ...) x
#define QUANTITY_IN_PAST(n, u, s, a, b, x, ...) x
#define QUANTITY_IN_FUNCTION(n, u, s, a, b, c, x, ...) x
#define QUANTITY_IN_EDGE(n, u, s, a, b, c, d, x, ...) x
#define QUANTITY_IN_COMPARED(n, u, s, a, b, c, d, e, x, ...) x
#define QUANTITY_IN_TREE(n, u, s, a, b, c, d, e, f, x, ...) x
#define QUANTITY_IN_SITE(n, u, s, a, b, c, d, e, f, g, x, ...) x
#define QUANTITY_IN_HELD(n, u, s, a, b, c, d, e, f, g, h, x, ...) x
#define QUANTITY_IN_SNAPSHOT(n, u, s, a, b, c, d, e, f, g, h, i, x, ...) x
#define QUANTITY_IN_PROCESS(n, u, s, a, b, c, d, e, f, g, h, i, j, x, ...) x
#define QUANTITY_IN_RUN(n, u, s, a, b, c, d, e, f, g, h, i, j, k, x, ...) x

#define QUANTITY_JOIN(a, b) a##b
#define QUANTITY_WHEN_x(...) __VA_ARGS__
#define QUANTITY_WHEN_o(...)
#define QUANTITY_WHEN(in) QUANTITY_JOIN(QUANTITY_WHEN_, in)

#define QUANTITY_NUMBER(OF, name, ...) QUANTITY_##name,
/* Index in quantities. */
enum quantity_number { QUANTITIES(QUANTITY_NUMBER, ) QUANTITY_NUMBERS };

#define QUANTITY_ONE(OF, ...) QUANTITY_WHEN(QUANTITY_IN_##OF(__VA_ARGS__))(+1)
enum {
	QUANTITY_COUNT_PATH = 0 QUANTITIES(QUANTITY_ONE, PATH),
	QUANTITY_COUNT_LANE = 0 QUANTITIES(QUANTITY_ONE, LANE),
	QUANTITY_COUNT_PAST = 0 QUANTITIES(QUANTITY_ONE, PAST),
	QUANTITY_COUNT_FUNCTION = 0 QUANTITIES(QUANTITY_ONE, FUNCTION),
	QUANTITY_COUNT_EDGE = 0 QUANTITIES(QUANTITY_ONE, EDGE),
	QUANTITY_COUNT_COMPARED = 0 QUANTITIES(QUANTITY_ONE, COMPARED),
	QUANTITY_COUNT_TREE = 0 QUANTITIES(QUANTITY_ONE, TREE),
	QUANTITY_COUNT_SITE = 0 QUANTITIES(QUANTITY_ONE, SITE),
	QUANTITY_COUNT_HELD = 0 QUANTITIES(QUANTITY_ONE, HELD),
	QUANTITY_COUNT_SNAPSHOT = 0 QUANTITIES(QUANTITY_ONE, SNAPSHOT),
};

#define QUANTITY_FIELD(OF, name, ...)                                                    \
	QUANTITY_WHEN(QUANTITY_IN_##OF(name, __VA_ARGS__))(int64_t name;)
#define QUANTITY_FIELDS(OF)                                                              \
	union {                                                                          \
		struct {                                                                 \
			QUANTITIES(QUANTITY_FIELD, OF)                                   \
		};                                                                       \
		int64_t quantities[QUANTITY_COUNT_##OF];                                 \
	}

struct quantity {
	const char *name;
	enum quantity_unit unit;
	enum quantity_sum sum;
	enum quantity_shown shown;
	const char *heading, *metric, *phrase;
};
extern const struct quantity quantities[QUANTITY_NUMBERS];

/* What a subject has: numbers in the order of its fields. */
struct quantity_list {
	const uint8_t *numbers;
	const uint8_t *sums; /* enum quantity_sum of each */
	size_t count;
};
extern const struct quantity_list quantity_lists[QUANTITY_SUBJECTS];

/* Of least, most and what was not measured; NULL in run.db. */
#define QUANTITY_UNKNOWN INT64_MIN

/* Nothing was measured yet. */
void quantities_clear(enum quantity_subject of, int64_t *values);
/* Adds to each quantity that both have. is_outermost: no activation of the same function
 * stands above; else QUANTITY_OUTERMOST stays. */
void quantities_add(enum quantity_subject to_of, int64_t *to,
		    enum quantity_subject from_of, const int64_t *from, int is_outermost);
/* Where a quantity stands among a subject's, -1: it does not have it. */
int quantity_place(enum quantity_subject of, enum quantity_number number);
int quantity_is_in(enum quantity_subject of, enum quantity_number number);
/* By its name; NULL: there is none. */
const struct quantity *quantity_find(const char *name);

/* 73 years in ns. Only damaged numbers are beyond it, and are taken for it, where they
 * are read and where they add up: so three of them can be added without another look. */
#define QUANTITY_BELIEVED (INT64_C(1) << 61)

static inline int64_t quantity_judged(int64_t value)
{
	if (value > QUANTITY_BELIEVED)
		return QUANTITY_BELIEVED;
	return value < -QUANTITY_BELIEVED ? -QUANTITY_BELIEVED : value;
}

static inline void quantity_add(int64_t *to, int64_t value)
{
	int64_t sum;

	if (__builtin_add_overflow(*to, value, &sum))
		sum = value > 0 ? INT64_MAX : -INT64_MAX;
	*to = quantity_judged(sum);
}

static inline int64_t quantity_of_count(uint64_t count)
{
	return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

/* Additions that stop at the highest value instead of wrapping around to a small one. */

static inline void count_add(uint64_t *to, uint64_t value)
{
	if (__builtin_add_overflow(*to, value, to))
		*to = UINT64_MAX; /* only damaged numbers get here */
}

static inline void count_raise(uint64_t *highest, uint64_t value)
{
	if (value > *highest)
		*highest = value;
}

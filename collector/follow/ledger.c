/* SPDX-License-Identifier: MIT */
/* Sums, and what they gained. */
#include "collector/follow/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

#define ROOM_LEAST 64u

const int64_t ledger_nothing = 0;

void ledger_done(struct ledger *ledger)
{
	free(ledger->before);
	free(ledger->gained);
	free(ledger->zero);
	free(ledger->touched);
	free(ledger->is_touched);
	*ledger = (struct ledger){.width = ledger->width};
}

static int64_t *widen(const struct ledger *ledger, int64_t *old, size_t room)
{
	int64_t *columns = xcalloc(room, ledger->width * sizeof(*columns));

	for (size_t i = 0; ledger->count && i < ledger->width; i++)
		memcpy(columns + i * room, old + i * ledger->room,
		       ledger->count * sizeof(*columns));
	free(old);
	return columns;
}

void ledger_grow(struct ledger *ledger, size_t count)
{
	size_t room = ledger->room ? ledger->room : ROOM_LEAST;

	while (room < count)
		room *= 2;
	if (count > ledger->room) {
		ledger->before = widen(ledger, ledger->before, room);
		ledger->gained = widen(ledger, ledger->gained, room);
		ledger->zero = widen(ledger, ledger->zero, room);
		ledger->touched =
			xreallocarray(ledger->touched, room, sizeof(*ledger->touched));
		ledger->is_touched = xreallocarray(ledger->is_touched, room, 1);
		memset(ledger->is_touched + ledger->room, 0, room - ledger->room);
		ledger->room = room;
	}
	if (count > ledger->count)
		ledger->count = count;
}

/* Of so many rows at once is cheaper than of each. */
#define MANY_OF 16

static void settle_row(int64_t *before, int64_t *gained)
{
	if (*gained)
		ledger_sum(before, *gained);
	*gained = 0;
}

/* Sums that wrapped around are found again by what was added. */
static void settle_all(int64_t *restrict before, int64_t *restrict gained, size_t count)
{
	uint64_t wrapped = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t was = (uint64_t)before[i], more = (uint64_t)gained[i];
		uint64_t sum = was + more;

		wrapped |= ~(was ^ more) & (was ^ sum);
		before[i] = (int64_t)sum;
	}
	for (size_t i = 0; wrapped >> 63 && i < count; i++) {
		before[i] = (int64_t)((uint64_t)before[i] - (uint64_t)gained[i]);
		ledger_sum(&before[i], gained[i]);
	}
	memset(gained, 0, count * sizeof(*gained));
}

static void settle_column(struct ledger *ledger, size_t column)
{
	int64_t *before = ledger->before + column * ledger->room;
	int64_t *gained = ledger->gained + column * ledger->room;
	size_t count = ledger->gain_counts[column];

	if (count > ledger->count / MANY_OF) {
		settle_all(before, gained, ledger->count);
	} else if (ledger->touched_count > ledger->count / MANY_OF) {
		for (size_t i = 0; i < ledger->count; i++)
			settle_row(&before[i], &gained[i]);
	} else {
		for (size_t i = 0; i < ledger->touched_count; i++)
			settle_row(&before[ledger->touched[i]],
				   &gained[ledger->touched[i]]);
	}
	ledger->gain_counts[column] = 0;
}

static void settle_gains(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->width; i++)
		if (ledger->gain_counts[i]) {
			settle_column(ledger, i);
			ledger->columns |= 1u << i;
		}
	for (size_t i = 0; i < ledger->touched_count; i++)
		ledger->is_touched[ledger->touched[i]] = 0;
	ledger->touched_count = 0;
}

void ledger_begin(struct ledger *ledger, uint64_t now_ns)
{
	settle_gains(ledger);
	ledger->last_look_ns = ledger->look_ns ? ledger->look_ns : now_ns;
	ledger->look_ns = now_ns;
	if (!ledger->zero_ns)
		ledger->zero_ns = now_ns;
}

void ledger_set_zero(struct ledger *ledger)
{
	settle_gains(ledger);
	for (size_t i = 0; ledger->count && i < ledger->width; i++)
		if (ledger->columns >> i & 1)
			memcpy(ledger->zero + i * ledger->room,
			       ledger->before + i * ledger->room,
			       ledger->count * sizeof(*ledger->zero));
	ledger->zero_ns = ledger->last_look_ns = ledger->look_ns;
}

struct ledger_column ledger_column(const struct ledger *ledger, size_t column,
				   enum ledger_since since)
{
	struct ledger_column ret = {.gained = &ledger_nothing,
				    .before = &ledger_nothing,
				    .zero = &ledger_nothing};

	if (ledger->gain_counts[column]) {
		ret.gained = ledger->gained + column * ledger->room;
		ret.gained_mask = SIZE_MAX;
	}
	if (since != LEDGER_LOOK && ledger->columns >> column & 1) {
		ret.before = ledger->before + column * ledger->room;
		ret.before_mask = SIZE_MAX;
	}
	if (since == LEDGER_ZERO && ret.before_mask) {
		ret.zero = ledger->zero + column * ledger->room;
		ret.zero_mask = SIZE_MAX;
	}
	return ret;
}

uint64_t ledger_span_ns(const struct ledger *ledger, enum ledger_since since)
{
	if (since == LEDGER_LOOK)
		return ledger->look_ns - ledger->last_look_ns;
	return since == LEDGER_ZERO ? ledger->look_ns - ledger->zero_ns : 0;
}

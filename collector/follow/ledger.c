/* SPDX-License-Identifier: MIT */
/* Sums, and what they gained. */
#include "collector/follow/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

#define ROOM_LEAST 64u

void ledger_done(struct ledger *ledger)
{
	free(ledger->now);
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
		ledger->now = widen(ledger, ledger->now, room);
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

static void forget_column(struct ledger *ledger, size_t column)
{
	int64_t *gained = ledger->gained + column * ledger->room;

	if (ledger->touched_count > ledger->count / MANY_OF) {
		memset(gained, 0, ledger->count * sizeof(*gained));
		return;
	}
	for (size_t i = 0; i < ledger->touched_count; i++)
		gained[ledger->touched[i]] = 0;
}

static void forget_gains(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->width; i++)
		if (ledger->gained_columns >> i & 1)
			forget_column(ledger, i);
	for (size_t i = 0; i < ledger->touched_count; i++)
		ledger->is_touched[ledger->touched[i]] = 0;
	ledger->touched_count = 0;
	ledger->columns |= ledger->gained_columns;
	ledger->gained_columns = 0;
}

void ledger_begin(struct ledger *ledger, uint64_t now_ns)
{
	forget_gains(ledger);
	ledger->last_look_ns = ledger->look_ns ? ledger->look_ns : now_ns;
	ledger->look_ns = now_ns;
	if (!ledger->zero_ns)
		ledger->zero_ns = now_ns;
}

void ledger_set_zero(struct ledger *ledger)
{
	forget_gains(ledger);
	for (size_t i = 0; ledger->count && i < ledger->width; i++)
		if (ledger->columns >> i & 1)
			memcpy(ledger->zero + i * ledger->room,
			       ledger->now + i * ledger->room,
			       ledger->count * sizeof(*ledger->zero));
	ledger->zero_ns = ledger->last_look_ns = ledger->look_ns;
}

uint64_t ledger_span_ns(const struct ledger *ledger, enum ledger_since since)
{
	if (since == LEDGER_LOOK)
		return ledger->look_ns - ledger->last_look_ns;
	return since == LEDGER_ZERO ? ledger->look_ns - ledger->zero_ns : 0;
}

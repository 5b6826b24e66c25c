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

static int64_t *widen(const struct ledger *ledger, int64_t *rows, size_t room)
{
	rows = xreallocarray(rows, room, ledger->width * sizeof(*rows));
	memset(rows + ledger->room * ledger->width, 0,
	       (room - ledger->room) * ledger->width * sizeof(*rows));
	return rows;
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

static void forget_gains(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->touched_count; i++) {
		uint32_t row = ledger->touched[i];

		memset(ledger->gained + row * ledger->width, 0,
		       ledger->width * sizeof(*ledger->gained));
		ledger->is_touched[row] = 0;
	}
	ledger->touched_count = 0;
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
	if (ledger->count)
		memcpy(ledger->zero, ledger->now,
		       ledger->count * ledger->width * sizeof(*ledger->zero));
	ledger->zero_ns = ledger->last_look_ns = ledger->look_ns;
}

uint64_t ledger_span_ns(const struct ledger *ledger, enum ledger_since since)
{
	if (since == LEDGER_LOOK)
		return ledger->look_ns - ledger->last_look_ns;
	return since == LEDGER_ZERO ? ledger->look_ns - ledger->zero_ns : 0;
}

/* SPDX-License-Identifier: MIT */
/* The table of functions with snapshots. */
#include "shim/lane/trigger.h"

#include <stddef.h>

static struct trigger triggers[TRIGGER_LIMIT];

uint32_t trigger_count;

int trigger_add(const struct trigger *trigger)
{
	uint32_t index = trigger_count;

	for (uint32_t i = 0; i < index; i++) {
		if (triggers[i].function == trigger->function) {
			__atomic_fetch_or(&triggers[i].actions, trigger->actions,
					  __ATOMIC_RELAXED);
			return 1;
		}
	}
	if (index == TRIGGER_LIMIT)
		return 0;
	triggers[index] = *trigger;
	/* release: pairs with the acquire in find() */
	__atomic_store_n(&trigger_count, index + 1, __ATOMIC_RELEASE);
	return 1;
}

/* Its index, or TRIGGER_LIMIT. */
static uint32_t find(uint64_t function)
{
	uint32_t count = __atomic_load_n(&trigger_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		if (triggers[i].function == function)
			return i;
	}
	return TRIGGER_LIMIT;
}

int trigger_find(uint64_t function)
{
	return find(function) != TRIGGER_LIMIT;
}

const char *trigger_enter_label(uint64_t function)
{
	uint32_t index = find(function);

	return index == TRIGGER_LIMIT ? NULL : triggers[index].enter_label;
}

const char *trigger_exit_label(uint64_t function)
{
	uint32_t index = find(function);

	return index == TRIGGER_LIMIT ? NULL : triggers[index].exit_label;
}

uint32_t trigger_actions(uint64_t function)
{
	uint32_t index = find(function);

	return index == TRIGGER_LIMIT ? 0 : triggers[index].actions;
}

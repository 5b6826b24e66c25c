/* SPDX-License-Identifier: MIT */
/* The table of functions with snapshots. */
#include "shim/record/trigger.h"

#include "shim/record/snapshot.h"

static struct {
	uint64_t function;
	const char *enter_label, *exit_label;
} triggers[TRIGGER_LIMIT];

uint32_t trigger_count;

int trigger_add(uint64_t function, const char *enter_label, const char *exit_label)
{
	uint32_t index = trigger_count;

	for (uint32_t i = 0; i < index; i++) {
		if (triggers[i].function == function)
			return 1;
	}
	if (index == TRIGGER_LIMIT)
		return 0;
	triggers[index].function = function;
	triggers[index].enter_label = enter_label;
	triggers[index].exit_label = exit_label;
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

void trigger_enter(uint64_t function)
{
	uint32_t index = find(function);

	if (index != TRIGGER_LIMIT && triggers[index].enter_label)
		snapshot_take(triggers[index].enter_label, SEGMENT_SNAPSHOT_FUNCTION);
}

void trigger_exit(uint64_t function)
{
	uint32_t index = find(function);

	if (index != TRIGGER_LIMIT && triggers[index].exit_label)
		snapshot_take(triggers[index].exit_label, SEGMENT_SNAPSHOT_FUNCTION);
}

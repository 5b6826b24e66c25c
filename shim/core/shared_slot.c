/* SPDX-License-Identifier: MIT */
/*
 * Making or finding a shared slot. Runs on: traced threads, any context; slow paths
 * only, under the process lock.
 */
#include "shim/core/shared_slot.h"

#include "shim/core/process.h"

void *shared_slot_map(uint32_t *number, uint32_t kind, shared_slot_begin *begin)
{
	/* acquire: what begin() wrote into the slot behind the number */
	uint32_t slot = __atomic_load_n(number, __ATOMIC_ACQUIRE), expected = 0, own;
	void *start;

	if (slot)
		return process_map_slot(slot);
	start = process_new_slot(&own);
	if (!start)
		return NULL;
	if (begin(start, own) < 0) {
		process_keep_slot(start, own);
		return NULL;
	}
	process_publish_slot(own, kind, process->slot, process->pid);
	/* release: pairs with the acquire above, in another process */
	if (__atomic_compare_exchange_n(number, &expected, own, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return start;
	process_unmap(start, process_facts.file->slot_size);
	return process_map_slot(expected);
}

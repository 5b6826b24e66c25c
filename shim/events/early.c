/* SPDX-License-Identifier: MIT */
/* Finding the numbers of calls whose sites cannot be written. */
#include "shim/events/early.h"

#include "shim/events/events.h"

/* The address of no function. */
#define BEING_WRITTEN 1u

/* A handler that interrupts this leaves the entry alone; when the handler jumps out, the
 * entry stays unused. */
static void note(struct lane_context *context, const struct lane_early *noted)
{
	struct lane_early *early =
		early_at(context, noted->return_address, noted->call_site);
	uint64_t function = BEING_WRITTEN;

	__asm__ volatile("xchgq %0, %1" : "+r"(function), "+m"(early->function));
	if (function == BEING_WRITTEN)
		return;
	compiler_barrier();
	early->return_address = noted->return_address;
	early->call_site = noted->call_site;
	early->number = noted->number;
	early->version = noted->version;
	compiler_barrier();
	early->function = noted->function;
}

int cold early_count(struct lane_context *context, uint64_t function, uint64_t call_site,
		     uintptr_t return_address)
{
	/* acquire: what is found below is at least as new as this version */
	uint32_t version = __atomic_load_n(&modes_early_version, __ATOMIC_ACQUIRE);
	uint32_t number = modes_find_early(function, return_address);

	if (!number)
		return 0;
	number = modes_number_at(number, return_address, call_site);
	if (!counted_add(context, number))
		return 0;
	if (modes_is_part(number))
		note(context, &(struct lane_early){.function = function,
						   .return_address = return_address,
						   .call_site = call_site,
						   .number = number,
						   .version = version});
	if (--context->pulse < 0)
		counted_pulse((void *)function, (void *)call_site);
	return 1;
}

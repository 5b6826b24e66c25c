/* SPDX-License-Identifier: MIT */
/* Must not wait where nobody can answer. */
#include "shim/boot/rules_wait.h"

#include <link.h>
#include <stddef.h>
#include <unistd.h>

#include "common/arrays.h"
#include "common/segment_control.h"
#include "shim/core/answers.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/image/object.h"
#include "shim/image/selection.h"
#include "shim/lane/upcalls.h"

#define PAUSE_US 1000
#define WAIT_TICKS (clock_tenth_of_second() / 100 * SEGMENT_CONTROL_WAIT_MS)

static int list_object(struct dl_phdr_info *object, size_t size, void *data)
{
	uint64_t code = 0;

	(void)size;
	(void)data;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		ElfW(Addr) at = object->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_LOAD && header->p_flags & PF_X && !code)
			code = at;
	}
	if (code && object_calls_hooks(object))
		upcalls.note_module(code);
	return 0;
}

void rules_list_objects(void)
{
	if (selection_asks_for_sources())
		dl_iterate_phdr(list_object, NULL);
}

static uint64_t unanswered_count(void)
{
	const struct segment_array *array = &process->segment->modules;
	const struct segment_module *modules = arrays_entries(process->segment, array);
	struct answer answer;
	uint64_t count = 0;

	for (uint32_t i = 0; i < arrays_count(array); i++)
		count += !answers_find(&modules[i], &answer);
	return count;
}

void rules_wait(void)
{
	const struct segment_state *state = process_facts.state;
	uint64_t begin = clock_now(), count;

	if (!selection_asks_for_sources())
		return;
	while ((count = unanswered_count()) && clock_now() - begin < WAIT_TICKS &&
	       __atomic_load_n(&state->collector_state, __ATOMIC_RELAXED) !=
		       SEGMENT_COLLECTOR_NONE)
		usleep(PAUSE_US);
	process_count(SEGMENT_COUNTER_LATE_OBJECTS, count);
}

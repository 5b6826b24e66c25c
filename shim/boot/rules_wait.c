/* SPDX-License-Identifier: MIT */
/*
 * Which objects call the hooks is read from their relocations, as the loader has them in
 * memory. Must not wait where nobody can answer.
 */
#include "shim/boot/rules_wait.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "common/arrays.h"
#include "common/segment_control.h"
#include "shim/core/answers.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/image/selection.h"
#include "shim/lane/upcalls.h"

#define HOOK_NAME "__cyg_profile_func_enter"
#define PAUSE_US 1000
#define WAIT_TICKS (clock_tenth_of_second() / 100 * SEGMENT_CONTROL_WAIT_MS)

struct tables {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * all[2];
	size_t sizes[2];
};

/* The loader has made most of them addresses. */
static const void *place_of(const struct dl_phdr_info *object, ElfW(Addr) address)
{
	return (const void *)(address < object->dlpi_addr ? address + object->dlpi_addr
							  : address);
}

static void read_tables(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic,
			struct tables *ret)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		const void *place = place_of(object, dynamic->d_un.d_ptr);

		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			ret->symbols = place;
			break;
		case DT_STRTAB:
			ret->strings = place;
			break;
		case DT_JMPREL:
			ret->all[0] = place;
			break;
		case DT_PLTRELSZ:
			ret->sizes[0] = dynamic->d_un.d_val;
			break;
		case DT_RELA:
			ret->all[1] = place;
			break;
		case DT_RELASZ:
			ret->sizes[1] = dynamic->d_un.d_val;
			break;
		default:
			break;
		}
	}
}

static int has_hooks(const struct tables *tables)
{
	if (!tables->symbols || !tables->strings)
		return 0;
	for (int i = 0; i < 2; i++) {
		size_t count = tables->all[i] ? tables->sizes[i] / sizeof(ElfW(Rela)) : 0;

		for (size_t at = 0; at < count; at++) {
			uint64_t symbol = ELF64_R_SYM(tables->all[i][at].r_info);
			const char *name =
				tables->strings + tables->symbols[symbol].st_name;

			if (symbol && !strcmp(name, HOOK_NAME))
				return 1;
		}
	}
	return 0;
}

static int list_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct tables tables = {.symbols = NULL};
	uint64_t code = 0;

	(void)size;
	(void)data;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		ElfW(Addr) at = object->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_DYNAMIC)
			read_tables(object, (const ElfW(Dyn) *)at, &tables);
		else if (header->p_type == PT_LOAD && header->p_flags & PF_X && !code)
			code = at;
	}
	if (code && has_hooks(&tables))
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

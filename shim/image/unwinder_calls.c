/* SPDX-License-Identifier: MIT */
/*
 * libunwind checks whether memory can be read with a pipe that it keeps open. In a host
 * that closes all descriptors the two numbers come to belong to others, and libunwind
 * would read from and write to the host's own files. So its calls of pipe2, read and
 * syscall (it writes by syscall(SYS_write)) are bound to functions of ours that ask the
 * kernel without a descriptor.
 *
 * It also takes mutexes, and the loader's lock in dl_iterate_phdr(). A fork while another
 * thread holds one leaves it locked for ever in the child, whose next allocation would
 * then hang with all signals blocked. So these are bound, too: to a lock that knows whose
 * it is, and to a look-up that takes no lock.
 * (Replacing its memory accessor instead was tried: libunwind then leaves its fast path
 * and a stack of 10 frames takes microseconds.)
 */
#include "shim/image/unwinder_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/core/boost_lock.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/core/readable.h"
#include "shim/image/unwind_tables.h"
#include "shim/lane/lane.h"
#include "shim/lane/paused.h"

#define PAGE_BYTES 4096u

static int pipe_without_descriptors(int descriptors[2], int flags)
{
	(void)flags;
	descriptors[0] = descriptors[1] = -1;
	return 0;
}

/* Emptying the pipe: there was a byte. libunwind repeats these calls as long as errno is
 * EINTR, even after a success, and the host's errno may be just that: so both set it. */
static ssize_t read_nothing(int descriptor, void *buffer, size_t size)
{
	(void)descriptor;
	(void)buffer;
	(void)size;
	errno = 0;
	return 1;
}

/* Is it in the stack in use, or in the one that a handler on a stack of its own has
 * interrupted? */
static int is_on_stack(uintptr_t address)
{
	const struct lane_context *context = lane_own();

	return context &&
	       (address - paused_stack_low(context) < context->stack_size ||
		(address >= context->fiber->low && address < context->fiber->high));
}

/* syscall(SYS_write, pipe, address, 1): "writing" a byte of the memory in question.
 * libunwind remembers the page of the address and then reads words that begin anywhere in
 * it: the next page must be readable, too. Behind a stack's last page often nothing is
 * mapped, but what is read there are the words of its frames. */
static long write_tests_memory(long number, int descriptor, const void *address,
			       size_t size)
{
	uintptr_t start = (uintptr_t)address;

	(void)descriptor;
	(void)size;
	if (number == SYS_write && readable_address(start) &&
	    (readable_address(start + PAGE_BYTES) || is_on_stack(start))) {
		errno = 0;
		return 1;
	}
	errno = number == SYS_write ? EFAULT : ENOSYS;
	return -1;
}

/* A lock of a process: what another one holds (it was forked from it) counts as free.
 * What it protects, lists of free blocks, is whole at any moment. libunwind blocks the
 * signals before. */
union mutex {
	struct {
		uint32_t word;	  /* see boost_lock.h */
		uint32_t process; /* in which the word is good */
	};
	uint64_t both;
};

_Static_assert(sizeof(union mutex) <= sizeof(pthread_mutex_t) &&
		       _Alignof(union mutex) <= _Alignof(pthread_mutex_t),
	       "it lies in the place of one");

static uint32_t lock_owner(void)
{
	return process ? (uint32_t)process->pid : UINT32_MAX;
}

/* Free, if it is another process's. */
static void adopt_mutex(union mutex *mutex, uint32_t own)
{
	union mutex seen = {.both = __atomic_load_n(&mutex->both, __ATOMIC_RELAXED)};
	const union mutex unlocked = {.process = own};

	while (seen.process != own &&
	       !__atomic_compare_exchange_n(&mutex->both, &seen.both, unlocked.both, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static int lock_mutex(union mutex *mutex)
{
	int may_call = gate_enter();

	adopt_mutex(mutex, lock_owner());
	while (!boost_lock_take(&mutex->word, may_call))
		;
	if (may_call)
		gate_leave();
	return 0;
}

static int unlock_mutex(union mutex *mutex)
{
	boost_lock_release(&mutex->word);
	return 0;
}

typedef int phdr_callback(struct dl_phdr_info *info, size_t size, void *data);

uint32_t unwinder_found_objects;

/* libunwind looks for the object around an address, which is the first word of what it
 * hands to its callback. It follows the object's tables wherever they lead, so of those
 * that are damaged it gets none. */
static int iterate_object(phdr_callback *callback, void *data)
{
	void *address = *(void **)data;
	struct dl_find_object found;
	struct dl_phdr_info info = {.dlpi_adds = 1};
	const ElfW(Ehdr) * header;

	if (_dl_find_object(address, &found) != 0)
		return 0;
	header = found.dlfo_map_start;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	__atomic_store_n(&unwinder_found_objects, 1, __ATOMIC_RELAXED);
	if (!unwind_tables_fit((uintptr_t)address))
		return 0;
	info.dlpi_addr = found.dlfo_link_map->l_addr;
	info.dlpi_name = found.dlfo_link_map->l_name;
	info.dlpi_phdr = (const void *)((const char *)header + header->e_phoff);
	info.dlpi_phnum = header->e_phnum;
	return callback(&info, sizeof(info), data);
}

/* The calls that are bound; libunwind refers to each once. */
static const struct {
	const char *name;
	void *function;
} replacements[] = {
	{"pipe2", (void *)pipe_without_descriptors},
	{"read", (void *)read_nothing},
	{"syscall", (void *)write_tests_memory},
	{"dl_iterate_phdr", (void *)iterate_object},
	{"pthread_mutex_lock", (void *)lock_mutex},
	{"pthread_mutex_unlock", (void *)unlock_mutex},
};

#define REPLACEMENT_COUNT ((int)(sizeof(replacements) / sizeof(replacements[0])))

static void *replacement(const char *name)
{
	for (int i = 0; i < REPLACEMENT_COUNT; i++) {
		if (!strcmp(name, replacements[i].name))
			return replacements[i].function;
	}
	return NULL;
}

/* Stores into an entry of the global offset table, which may be read only by now. */
static int bind(void **entry, void *function)
{
	void *page = (void *)((uintptr_t)entry & ~4095ul);

	if (mprotect(page, 4096, PROT_READ | PROT_WRITE) < 0)
		return -errno;
	*entry = function;
	return 0;
}

/* A table of relocations. */
struct table {
	const ElfW(Rela) * entries;
	size_t size;
};

static int bind_table(const struct link_map *map, const struct table *table,
		      const ElfW(Sym) * symbols, const char *strings)
{
	size_t count = table->size / sizeof(*table->entries);
	int bound = 0;

	for (size_t i = 0; table->entries && i < count; i++) {
		uint64_t info = table->entries[i].r_info;
		void *function;

		if (ELF64_R_TYPE(info) != R_X86_64_JUMP_SLOT &&
		    ELF64_R_TYPE(info) != R_X86_64_GLOB_DAT)
			continue;
		function = replacement(strings + symbols[ELF64_R_SYM(info)].st_name);
		if (!function)
			continue;
		if (bind((void **)(map->l_addr + table->entries[i].r_offset), function) <
		    0)
			return -EACCES;
		bound++;
	}
	return bound;
}

int unwinder_bind_calls(void *library)
{
	struct table calls = {0}, data = {0};
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	struct link_map *map;
	int bound, more;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map) < 0)
		return -ENOENT;
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_JMPREL)
			calls.entries = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_PLTRELSZ)
			calls.size = entry->d_un.d_val;
		else if (entry->d_tag == DT_RELA)
			data.entries = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_RELASZ)
			data.size = entry->d_un.d_val;
		else if (entry->d_tag == DT_SYMTAB)
			symbols = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			strings = (const void *)entry->d_un.d_ptr;
	}
	if (!symbols || !strings)
		return -ENOENT;
	bound = bind_table(map, &calls, symbols, strings);
	more = bind_table(map, &data, symbols, strings);
	return bound < 0 || more < 0 || bound + more != REPLACEMENT_COUNT ? -EACCES : 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Loads libunwind for the hybrid stacks. Runs on: __libc_start_main, after all
 * constructors of libraries: a dlopen in our own constructor would run libc's with an
 * environment of NULL. Must not make libunwind a dependency of the shim: it exports
 * _Unwind_* functions, which would then come before libgcc's and carry the host's
 * exceptions. Debian's static library is not position independent. RTLD_LOCAL keeps its
 * symbols to us.
 *
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
#define UNW_LOCAL_ONLY
#include "shim/image/image.h"

#include <dlfcn.h>
#include <errno.h>
#include <libunwind.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "common/attributes.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"
#include "shim/lane/busy.h"
#include "shim/lane/lane.h"
#include "shim/stacks/rules.h"
#include "shim/stacks/stack.h"

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
		uint32_t word;	  /* see gate.h, boost_lock */
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

/* Not 0: it has asked for an object in the way that is answered. */
static uint32_t unwinder_found_objects;

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
struct relocations {
	const ElfW(Rela) * entries;
	size_t size;
};

static int bind_table(const struct link_map *map, const struct relocations *table,
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

/* Binds the calls of the library with this handle, while nobody is inside of it. 0, or
 * -errno: not all of them could be bound, and it is a danger to the host. */
static int unwinder_bind_calls(void *library)
{
	struct relocations calls = {0}, data = {0};
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

/*
 * Loads libunwind for the hybrid stacks. Runs on: __libc_start_main, after all
 * constructors of libraries: a dlopen in our own constructor would run libc's with an
 * environment of NULL. Must not make libunwind a dependency of the shim: it exports
 * _Unwind_* functions, which would then come before libgcc's and carry the host's
 * exceptions. Debian's static library is not position independent. RTLD_LOCAL keeps its
 * symbols to us.
 */

#define STRING_OF(x) #x
#define SYMBOL_NAME(x) STRING_OF(x)

/* The functions of libunwind; NULL: not there. */
static struct {
	int (*backtrace)(void **, int);
	int (*set_policy)(unw_addr_space_t, unw_caching_policy_t);
	void (*flush_cache)(unw_addr_space_t, unw_word_t, unw_word_t);
	unw_addr_space_t *address_space;
	int (*get_context)(unw_context_t *);
	int (*init)(unw_cursor_t *, unw_context_t *);
	int (*step)(unw_cursor_t *);
	int (*get_register)(unw_cursor_t *, unw_regnum_t, unw_word_t *);
} calls;

static void *find(void *library, const char *name)
{
	return dlsym(library, name);
}

static void find_calls(void *library)
{
	*(void **)&calls.backtrace = find(library, "unw_backtrace");
	*(void **)&calls.set_policy = find(library, SYMBOL_NAME(unw_set_caching_policy));
	*(void **)&calls.flush_cache = find(library, SYMBOL_NAME(unw_flush_cache));
	calls.address_space = find(library, SYMBOL_NAME(unw_local_addr_space));
	*(void **)&calls.get_context =
		find(library, SYMBOL_NAME(UNW_ARCH_OBJ(getcontext)));
	*(void **)&calls.init = find(library, SYMBOL_NAME(unw_init_local));
	*(void **)&calls.step = find(library, SYMBOL_NAME(unw_step));
	*(void **)&calls.get_register = find(library, SYMBOL_NAME(unw_get_reg));
}

/* What unw_backtrace() does, without what it remembers of each thread's frames: nobody
 * can have it forget that, and where an object has been unloaded and another one has come
 * to its addresses it reads wild addresses and ends the host. Takes a microsecond for
 * each frame. */
static int backtrace_afresh(void **buffer, int size)
{
	unw_context_t context;
	unw_cursor_t cursor;
	int count = 0;

	if (calls.get_context(&context) < 0 || calls.init(&cursor, &context) < 0)
		return 0;
	while (count < size && calls.step(&cursor) > 0) {
		unw_word_t address;

		if (calls.get_register(&cursor, UNW_REG_IP, &address) < 0)
			break;
		buffer[count++] = (void *)(uintptr_t)address;
	}
	return count;
}

static void note_code(int index, void *address)
{
	struct dl_find_object found;

	if (address && _dl_find_object(address, &found) == 0) {
		stack_unwinder_code[index].start = (uint64_t)found.dlfo_map_start;
		stack_unwinder_code[index].end = (uint64_t)found.dlfo_map_end;
	}
}

void unwinder_load(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	void *stack[16];

	unwind_tables_begin();
	if (!library) {
		process_note(SEGMENT_NOTE_NO_UNWINDER);
		/* as in wrappers_resolve(): the program must not find our failure */
		dlerror();
		dlerror();
		return;
	}
	find_calls(library);
	/* without its pipe and its locks bound, libunwind is a danger to the host */
	if (!calls.backtrace || unwinder_bind_calls(library) < 0) {
		process_note(SEGMENT_NOTE_NO_UNWINDER);
		return;
	}
	if (calls.set_policy && calls.address_space)
		calls.set_policy(*calls.address_space, UNW_CACHE_PER_THREAD);
	calls.backtrace(stack, 16); /* its first use allocates */
	note_code(0, (void *)calls.backtrace);
	note_code(1, (void *)getauxval(AT_BASE));
	if (unwinder_found_objects)
		stack_unwinder = calls.backtrace;
	else /* a version whose callback has other data */
		process_note(SEGMENT_NOTE_NO_UNWINDER);
}

void unwinder_forget(void)
{
	rules_forget();
	if (!stack_unwinder)
		return;
	if (calls.flush_cache && calls.address_space)
		calls.flush_cache(*calls.address_space, 0, 0);
	/* relaxed: a thread in between has the old one's answer, as before */
	__atomic_store_n(&stack_unwinder,
			 calls.get_context && calls.init && calls.step &&
					 calls.get_register
				 ? backtrace_afresh
				 : NULL,
			 __ATOMIC_RELAXED);
}

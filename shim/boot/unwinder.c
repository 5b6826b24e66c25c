/* SPDX-License-Identifier: MIT */
/*
 * What this is:  loads libunwind for the hybrid stacks.
 * Runs on:       __libc_start_main, after all constructors of libraries: a dlopen in our
 *                own constructor would run libc's with an environment of NULL.
 * Must not:      make libunwind a dependency of the shim: it exports _Unwind_* functions,
 *                which would then come before libgcc's and carry the host's exceptions.
 *                Debian's static library is not position independent. RTLD_LOCAL keeps
 *                its symbols to us.
 * See also:      shim/hot/stack.h
 *
 * libunwind checks whether memory can be read with a pipe that it keeps open. In a host
 * that closes all descriptors the two numbers come to belong to others, and libunwind
 * would read from and write to the host's own files. So its calls of pipe2, read and
 * syscall (it writes by syscall(SYS_write)) are bound to functions of ours that ask the
 * kernel without a descriptor.
 * (Replacing its memory accessor instead was tried: libunwind then leaves its fast path
 * and a stack of 10 frames takes microseconds.)
 */
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <libunwind.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/boot/boot.h"
#include "shim/hot/process.h"
#include "shim/hot/stack.h"

static void (*flush_cache)(unw_addr_space_t, unw_word_t, unw_word_t);
static unw_addr_space_t *address_space;

#define STRING_OF(x) #x
#define SYMBOL_NAME(x) STRING_OF(x)

/* rt_sigprocmask copies the set from user memory before it finds `how` to be nonsense:
 * EFAULT tells that the memory cannot be read, EINVAL that it can. (No set at all, NULL,
 * is fine with the kernel: so never its first eight bytes.) */
int memory_is_readable(uintptr_t address)
{
	return SYSCALL(SYS_rt_sigprocmask, ~0, (address & ~15ul) + 8, 0, 8, 0, 0) !=
	       -EFAULT;
}

static int pipe_without_descriptors(int descriptors[2], int flags)
{
	(void)flags;
	descriptors[0] = descriptors[1] = -1;
	return 0;
}

/* Emptying the pipe: there was a byte. */
static ssize_t read_nothing(int descriptor, void *buffer, size_t size)
{
	(void)descriptor;
	(void)buffer;
	(void)size;
	return 1;
}

/* syscall(SYS_write, pipe, address, 1): "writing" a byte of the memory in question. */
static long write_tests_memory(long number, int descriptor, const void *address,
			       size_t size)
{
	(void)descriptor;
	(void)size;
	if (number == SYS_write && memory_is_readable((uintptr_t)address))
		return 1;
	errno = number == SYS_write ? EFAULT : ENOSYS;
	return -1;
}

static void *replacement(const char *name)
{
	if (!strcmp(name, "pipe2"))
		return (void *)pipe_without_descriptors;
	if (!strcmp(name, "read"))
		return (void *)read_nothing;
	if (!strcmp(name, "syscall"))
		return (void *)write_tests_memory;
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

/* Binds libunwind's three calls. Returns how many were found, or -errno. */
static int bind_calls(void *library)
{
	const ElfW(Rela) *relocations = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	struct link_map *map;
	size_t count = 0;
	int bound = 0;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map) < 0)
		return -ENOENT;
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_JMPREL)
			relocations = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_PLTRELSZ)
			count = entry->d_un.d_val / sizeof(*relocations);
		else if (entry->d_tag == DT_SYMTAB)
			symbols = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			strings = (const void *)entry->d_un.d_ptr;
	}
	if (!relocations || !symbols || !strings)
		return -ENOENT;
	for (size_t i = 0; i < count; i++) {
		const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(relocations[i].r_info)];
		void *function = replacement(strings + symbol->st_name);

		if (!function)
			continue;
		if (bind((void **)(map->l_addr + relocations[i].r_offset), function) < 0)
			return -EACCES;
		bound++;
	}
	return bound;
}

void unwinder_load(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	int (*backtrace)(void **, int);
	int (*set_policy)(unw_addr_space_t, unw_caching_policy_t);
	void *stack[16];

	if (!library) {
		process_note(SEGMENT_NOTE_NO_UNWINDER);
		/* as in wrappers_resolve(): the program must not find our failure */
		dlerror();
		dlerror();
		return;
	}
	backtrace = (int (*)(void **, int))dlsym(library, "unw_backtrace");
	set_policy = (int (*)(unw_addr_space_t, unw_caching_policy_t))dlsym(
		library, SYMBOL_NAME(unw_set_caching_policy));
	flush_cache = (void (*)(unw_addr_space_t, unw_word_t, unw_word_t))dlsym(
		library, SYMBOL_NAME(unw_flush_cache));
	address_space = dlsym(library, SYMBOL_NAME(unw_local_addr_space));
	/* without its pipe bound, libunwind is a danger to the host */
	if (!backtrace || bind_calls(library) != 3) {
		process_note(SEGMENT_NOTE_NO_UNWINDER);
		return;
	}
	if (set_policy && address_space)
		set_policy(*address_space, UNW_CACHE_PER_THREAD);
	backtrace(stack, 16); /* its first use allocates and takes the loader's lock */
	stack_unwinder = backtrace;
}

void unwinder_forget(void)
{
	if (flush_cache && address_space)
		flush_cache(*address_space, 0, 0);
}

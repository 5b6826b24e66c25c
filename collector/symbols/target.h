/* SPDX-License-Identifier: MIT */
/*
 * What is known about a program before it runs under the shim, or after its recording
 * came out empty. Must not run the program or its loader, or print.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

/*
 * path: the file that would run, found in PATH if needed. For a script, interpreter is
 * the program that its first line (through env, too) leads to, and everything below is
 * about that. Fields below is_elf are false unless is_elf.
 */
struct target_report {
	char path[PATH_MAX];
	char interpreter[PATH_MAX]; /* empty unless is_script */
	bool is_script;
	bool is_elf;
	bool machine_ok;     /* 64-bit x86, as the shim is */
	bool is_static;	     /* no dynamic loader: LD_PRELOAD does nothing */
	bool is_other_libc;  /* another loader than glibc's: the shim would not load */
	bool is_privileged;  /* setuid, setgid or file capabilities that take effect for
				this user: LD_PRELOAD is ignored */
	bool has_hooks;	     /* it or a library it links calls __cyg_profile_func_enter */
	bool defines_hooks;  /* it has its own __cyg_profile_func_enter */
	bool defines_malloc; /* it has its own malloc, or jemalloc, tcmalloc or mimalloc
				linked in */
	bool is_own;	     /* one of profshim's own programs (common/attributes.h) */
	bool links_pg;	     /* compiled with -pg (gprof) */
	bool needs_asan;     /* it links AddressSanitizer as a library */
	char first_library[PATH_MAX]; /* its file name: it ends programs that load another
					 library before it; empty: none */
};

/*
 * Examines path_or_name as execvp() would find it. 0, also for files that are neither ELF
 * nor script (is_elf and is_script are false); -ENOENT: not found (for a script with path
 * filled: its interpreter was not); -EACCES: found, but not executable; other -errno: not
 * readable. *ret is filled as far as known in every case.
 */
int target_examine(const char *path_or_name, struct target_report *ret);

/* SPDX-License-Identifier: MIT */
/* What the other folders, and the files of this one, ask of the program image: its
 * objects and their functions, the files of its run. Each part says who may
 * call. */
#pragma once

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"

/*
 * A process's part of its segment file, moved into a file of its own. Runs on: a traced
 * thread, the only one that records, before its process gives up privileges that others
 * who use the file keep. Must not leave the process without what it had when it fails.
 */

/* Is the file used by no other process of the run, living or dead? */
int apart_is_alone(void);

/* Copies the slots of this process into a new file of the run and maps that at the same
 * addresses; what else it had mapped of the old file is unmapped. So it can no longer
 * reach slots of others. 0, or -errno: -EBUSY where other threads record, and then it
 * shares the file as before. */
int apart_move(void);

/*
 * Which file is mapped at an address, as the kernel knows it. Runs on: traced threads,
 * any context (slow path of the tree), under the process lock. Must not call libc, or
 * touch errno.
 */

/* Writes the path of what is mapped at the address: absolute, whatever name it was opened
 * by and wherever the program has gone since, "[vdso]" and the like, or empty when
 * nothing has a name there or it does not fit. *ret_deleted: the file is no longer at
 * that path. 0, or -errno: /proc cannot be read. */
int mapping_path(uint64_t address, char *path, size_t size, int *ret_deleted);

/* Notes which file lies at module->path now. Without effect when none does. */
void mapping_identify(struct segment_module *module);

/* Makes a relative path absolute from the current directory. Without
 * effect on failure. */
void mapping_absolute(char *path, size_t size);

/*
 * The process's table of mapped objects, for those addresses that were recorded. Runs on:
 * modules_begin(): the constructor; the rest of it is asked by the call tree
 * (core/process.h): traced threads, any context.
 */

/* From here on the addresses of new nodes are noted. */
void modules_begin(void);

/* After a dlclose: marks the objects that are no longer mapped, so that others may come
 * at their addresses. Any thread. */
void modules_unloaded(void);

/* What an object says of itself in memory. Runs on: traced threads, any context. Must not
 * be asked of one that the loader has not relocated. */

/* The value of this tag in a dynamic section; 0: there is none. */
uint64_t object_dynamic(const ElfW(Dyn) * dynamic, int64_t tag);

/* Copies the build-id among these ELF notes, if there is one. */
void object_copy_build_id(struct segment_module *module, const char *notes, size_t size);

#define OBJECT_HOOK "__cyg_profile_func_enter"

/* Does it call another object's function of this name? Of the hook: was it compiled with
 * hooks? */
int object_calls(const struct dl_phdr_info *object, const char *name);

/* Puts it into the process's table of modules, as if its code had been called. */
void object_note(const struct dl_phdr_info *object);

/* The symbol tables of an object's file. Runs on: traced threads, under the lock. */

/* A function, by its linkage name and its address in this process. */
struct symbols_function {
	const char *name;
	uint64_t address;
	int is_weak;  /* other objects and files may have one, too */
	int is_local; /* of one file */
};

typedef void (*symbols_look)(void *data, const struct symbols_function *function);

/* Shows the functions that the object's file has in its tables, when it can be read and
 * is the one that was mapped; a function may be shown several times. */
void symbols_each(const struct segment_module *module, symbols_look look, void *data);

/* Of an object of C++ that is recorded: tells shim/lane/functions.h which functions its
 * headers may have brought. dynamic: its dynamic section. */
void symbols_look_for_headers(const struct segment_module *module, const void *dynamic);

/* The plain part of a C++ name, without a demangler. Any context. */

/* "_ZN6Parser4nextEv" to "Parser::next", "_ZN6ParserD1Ev" to "Parser::~Parser". A name
 * ends where templates, operators and what else is not plain begin: "std::sort<". 0: the
 * linkage name is none of C++, has nothing plain, or is too long. */
int plain_name(const char *linkage_name, char *ret, size_t size);

/* PROFSHIM_ONLY and PROFSHIM_SKIP, applied to the objects of the program. */

/* Takes the rules of the run. The constructor, before any function is known. */
void selection_begin(void);

/* Are there rules about source files? */
int selection_asks_for_sources(void);

/* Decides which functions of an object are off. Traced threads, under the lock. */
void selection_decide(const struct segment_module *module);

/*
 * The directory of a run, made or found by a traced process, and checked. Runs on: the
 * constructor, and before a process gives up its privileges. Must not keep a descriptor,
 * or follow a symbolic link at the end of a path.
 */

struct spool {
	int fd;			     /* AT_FDCWD: there are not enough descriptors */
	char path[SEGMENT_PATH_MAX]; /* of the run's directory */
};

/*
 * Makes OUTPUT-spool, unless it is there, and in it the directory of a new run. Both are
 * this user's alone, or it fails: the directory that the output lies in may be anybody's.
 * 0, or -errno with a sentence in error. Close with spool_close().
 */
int spool_make(struct spool *ret, const char *output, uint64_t token, char *error,
	       size_t error_size);

/* Opens the directory of a run that has begun. 0, -EPERM: it is another user's, or others
 * may write into it, or another -errno. Close with spool_close(). */
int spool_open(struct spool *ret, const char *path);
void spool_close(struct spool *spool);

/* Opens a file in it, as open() does. -EPERM: it is no regular file of this user's, or
 * it has another name, too. */
int spool_open_file(const struct spool *spool, const char *name, int flags);

/* A new file, for reading and writing. A descriptor or -errno. */
int spool_create_file(const struct spool *spool, const char *name);
void spool_remove_file(const struct spool *spool, const char *name);

/* Removes a run that could not begin, and the spool when nothing else is in it. */
void spool_abandon(const struct spool *spool);

/*
 * The functions that PROFSHIM_SNAPSHOT_AT and others name, looked for in the objects that
 * are recorded, and marks that PROFSHIM_WHY names.
 */

/* Reads PROFSHIM_SNAPSHOT_AT. 0: not understood. The constructor. */
int triggers_begin(const char *value);

/* A function that does this (TRIGGER_*) when it is called. Likewise. */
int triggers_watch(const char *text, size_t length, uint32_t action);

/* A region or a step has this name: what is asked of it (TRIGGER_*). Traced threads, any
 * context. */
uint32_t triggers_of_mark(const char *name);

/* Looks for the named functions in an object that is recorded. Traced threads, under the
 * process lock. */
void triggers_look(const struct segment_module *module);

/* SPDX-License-Identifier: MIT */
/*
 * A process of a run: its identity, modules, threads and sites. Must not trust a count,
 * an offset or a string in the file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/read/history.h"
#include "collector/read/segment_file.h"
#include "common/base/map.h"
#include "common/libc/calls.h"
#include "common/segment.h"
#include "common/segment_names.h"
#include "common/segment_recording.h"

/* Where a process has a module, as in struct segment_module. */
struct read_module {
	uint64_t start, end, bias;
	uint64_t unload_ticks;
	/* describes the file; borrowed, the path ends with NUL */
	const struct segment_module *file;
};

/* All zero is none. */
struct module_files {
	struct segment_module **all;
	size_t count;
	struct map map;
};

/* Returns a module with its file, which is valid until module_files_done(). *from is made
 * plausible. */
struct read_module module_files_place(struct module_files *files,
				      struct segment_module *from);
void module_files_done(struct module_files *files);

/*
 * The checked contents of struct segment_process, with true counts. A slot that several
 * processes used one after the other (common/segment.h, SLOTS ARE USED AGAIN) becomes
 * several of these. The owner is the process that has the slot now or had it last: the
 * lanes, sites and counters of all of them belong to it.
 */
struct read_process {
	uint32_t file, slot;
	uint32_t tenant; /* number among the slot's processes, from 0 */
	uint32_t owner;	 /* index of the owner, which may be itself */
	int is_former;	 /* it has ended; memory is valid */
	int is_borrower; /* not the owner */
	struct read_memory {
		uint64_t alloc_count, alloc_bytes, free_count, free_bytes, live_bytes;
	} memory;
	int32_t pid, parent_pid;
	uint32_t state;
	int32_t exit_code;
	uint32_t forked_from_slot, forked_from_tenant;
	uint32_t notes, switch_source;
	uint64_t start_ticks, end_ticks, start_time;
	uint64_t peak_bytes, live_bytes, peak_generation;
	uint64_t counters[SEGMENT_PROCESS_COUNTERS];
	uint64_t paused_ticks, paused_since_ticks;
	uint64_t fitted_rules;	 /* a set of rules, see common/selection.h */
	struct segment_job *job; /* owned; NULL: it belongs to none */
	/* borrowed from the owner, like modules and threads */
	char *executable;
	char *command; /* arguments, each ended by NUL */
	uint32_t command_size;
	struct read_module *modules;
	uint32_t module_count;
	struct segment_thread *threads; /* its own ones */
	uint32_t thread_count;
	struct segment_thread *all_threads; /* the owner's: this one is freed */
	int has_parts;			 /* are sites, left and targets read? See below */
	struct segment_site *sites;	 /* owned; sites[i] has the id first_site + i */
	uint32_t first_site, site_count; /* site_count: number in sites */
	struct segment_left *left;	 /* owned; parallel to sites, may be shorter */
	uint32_t left_count;
	struct segment_mode *modes; /* owned, of the owner alone; [0] is not used */
	uint32_t mode_count;
	struct segment_target *targets; /* likewise; names end with NUL */
	uint32_t target_count;
	struct read_history history;	  /* owned; all zero without snapshots */
	const struct segment_name *names; /* names of regions, borrowed from the run */
	uint32_t name_count;
};

/* Reads the process with this slot header, as its owner. file: its number in the run;
 * files: owns the module files. 0, or -EINVAL: the snapshots are damaged and were left
 * out. */
int read_process(struct read_process *ret, const struct segment_reader *reader,
		 uint32_t file, uint32_t slot, struct segment_process *header,
		 uint32_t site_limit, struct module_files *files);
/* Reads its sites and targets if it has none; read_process_forget() frees them, except
 * with snapshots, which use the sites' numbers. */
void read_process_parts(struct read_process *process, const struct segment_reader *reader,
			uint32_t site_limit);
/* Reads its targets again. Returns the number of modes that it has by now. */
uint32_t read_process_again(struct read_process *process,
			    const struct segment_reader *reader);
void read_process_forget(struct read_process *process);
void read_process_done(struct read_process *process);

/* Appends the former processes of a slot, whose owner is the last one of the array
 * (*count elements, grown by array_room()) and whose header is given. Gives each its
 * threads. Returns the array, which may have moved. */
struct read_process *read_tenants(struct read_process *processes, size_t *count,
				  const struct segment_reader *reader,
				  const struct segment_process *header);

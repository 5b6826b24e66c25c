/* SPDX-License-Identifier: MIT */
/*
 * What this is:  spool directories with known numbers, written the way the shim does.
 * Runs on:       tests.
 * See also:      common/segment.h
 *
 * The clock is CLOCK_MONOTONIC, so a tick is a nanosecond; the run starts at
 * MAKE_START ticks and the hooks cost nothing unless a test says so. Addresses lie in no
 * module, so functions are called "0x1000 (unknown module)".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"
#include "common/segment_recording.h"
#include "collector/read/rundir.h"

#define MAKE_START 1000000000ull
#define MAKE_TOKEN 0x0123456789abcdefull
#define MAKE_SLOT_BYTES (16ull << 20)
#define MAKE_SLOTS 16u

struct make_run {
	char output[128];	     /* PARENT/run.db; PARENT is new and below TMPDIR */
	char directory[256];	     /* the run's spool directory */
	struct segment_run *page;    /* mapped, as no real one is */
	struct segment_state *state; /* mapped */
	struct rundir rundir;	     /* of directory */
};

struct make_file {
	struct segment_file *file; /* mapped */
};

struct make_lane {
	struct segment_lane *lane;
	uint32_t slot;
	struct segment_node *nodes;
	struct segment_function *functions;
	struct segment_frame *frames;
};

/* Aborts when something fails. make_run_free() removes all files. */
void make_run(struct make_run *run, uint64_t token);
void make_run_free(struct make_run *run);

void make_file(struct make_file *file, const struct make_run *run, const char *name);
void make_file_free(struct make_file *file);

/* A process in a new slot: pid, running from start to end (exited with 0); end 0: it has
 * not exited. */
struct segment_process *make_process(struct make_file *file, int pid, uint64_t start,
				     uint64_t end, uint32_t *ret_slot);

/* A lane with its root node and a thread of the process. */
void make_lane(struct make_lane *lane, struct make_file *file,
	       struct segment_process *process, uint32_t process_slot);

/* A function node that was called `calls` times for `total` ticks altogether, min and max
 * being equal parts; its histogram has them in one bucket. Returns its index. */
uint32_t make_call(struct make_lane *lane, uint32_t parent, uint64_t address,
		   uint64_t calls, uint64_t total);

/* A return address node. */
uint32_t make_return(struct make_lane *lane, uint32_t parent, uint64_t address);

/* A level (common/segment_tree.h) below a node: of the function with this entry. */
uint32_t make_level(struct make_lane *lane, uint32_t below, uint64_t entry);

/* Like make_call(), of a call that came by the levels up to `level`, which begin below
 * the parent. */
uint32_t make_detour(struct make_lane *lane, uint32_t parent, uint32_t level,
		     uint64_t address, uint64_t calls, uint64_t total);

/* An open frame of a node. */
void make_frame(struct make_lane *lane, uint32_t node, uint64_t start);

/* A site of a node; the caller fills in the rest. */
struct segment_site *make_site(struct segment_process *process,
			       const struct make_lane *lane, uint32_t node,
			       uint64_t allocs, uint64_t alloc_bytes, uint64_t frees,
			       uint64_t free_bytes);

/* A loaded module. */
struct segment_module *make_module(struct segment_process *process, const char *path,
				   uint64_t start, uint64_t end, uint64_t bias);

/* A function that is recorded so (enum segment_recording). Returns its number. */
uint32_t make_mode(struct segment_process *process, uint64_t key, uint32_t recording);

/* Its calls in copies that are inlined into the host. After make_mode(). */
uint32_t make_host(struct segment_process *process, uint64_t key, uint64_t host);

/* Calls of a function that were only counted. */
void make_count(struct make_lane *lane, uint32_t number, uint64_t calls);

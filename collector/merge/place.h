/* SPDX-License-Identifier: MIT */
/*
 * A lane that is being merged: its nodes, the path of each, its waits, its sites, its
 * samples and its open frames; each is added by a file of that name.
 *
 * A lane with several threads knows of a sleep and the wait for a CPU after it only
 * together, as blocked. How long each thread was ready the kernel has told at its end:
 * what is missing is taken from the blocked time, in equal parts for each sleep. So wrong
 * may be, of a path, all of its part, or what of the whole it slept at most beside it.
 */
#pragma once

#include <stdint.h>

#include "collector/merge/merge.h"

#define LANE_ROOT 1u

/* Where a node of the lane is in the merged tree. */
struct node_place {
	uint32_t path;
	uint32_t user; /* in identify.places: the innermost so far that is no library's */
	uint32_t call; /* 1 + where the function around it was called; 0: not known */
	/* the node itself, or the first above it that is no region; a level has the node
	 * below which its levels begin */
	uint32_t around;
	/* the path whose time has its calls; while a node with levels has no place yet,
	 * the last of these levels. Kept small: there is one for each node */
	uint32_t owner;
	uint8_t is_placed;
	uint8_t is_folded; /* path is the nearest ancestor's: no room for its own */
	uint8_t is_nested; /* path is that of the node above: see sites.c */
};

/* What of a lane's waits only the whole lane tells: how much longer than asked each sleep
 * was, and the wait that was open in the end, and where. */
struct waits_of_lane {
	double late_ns;
	uint64_t all_late_ns; /* of all of them */
	double late_share;    /* of what was booked as blocked, that was ready */
	int are_seen;	      /* were the switches of its threads seen at all? */
	uint64_t rest_ready_ns, rest_blocked_ns;
	uint32_t rest_node; /* 0: there was none */
};

struct lane_walk {
	struct merge *merge;
	struct read_lane_data data;
	struct module_list *modules; /* of the lane's process */
	struct node_place *nodes;    /* owned: free; parallel to data.nodes */
	const struct merge_end *end;
	struct waits_of_lane waits;
	uint32_t lane;
	uint32_t process_index;
};

/* 0: it has none. */
static inline uint32_t place_path(const struct lane_walk *walk, uint32_t node)
{
	return node > LANE_ROOT && node < walk->data.node_count &&
			       walk->nodes[node].is_placed
		       ? walk->nodes[node].path
		       : 0;
}

/* Adds calls to what the paths between a node's and its owner's passed on, which are
 * levels. */
static inline void place_pass(const struct lane_walk *walk, uint32_t node, uint64_t calls,
			      uint64_t ticks)
{
	merge_pass(walk->merge, walk->nodes[node].path, walk->nodes[node].owner, calls,
		   ticks);
}

static inline int place_is_return_address(const struct segment_node *node)
{
	return (node->key & SEGMENT_KEY_RETURN_ADDRESS) != 0;
}

static inline int place_is_function(const struct segment_node *node)
{
	return !place_is_return_address(node) && !segment_key_is_region(node->key);
}

/* A node that was not read, as the process has too many. */
static inline int place_is_cut(const struct lane_walk *walk, uint32_t node)
{
	return node >= walk->data.node_count &&
	       node - walk->data.node_count < walk->data.cut_node_count;
}

/* Which variant of its function the node is. */
enum demangle_variant place_variant(const struct lane_walk *walk, uint32_t node);

/* Fills in walk->nodes; paths are made where there are none yet. */
void place_nodes(struct lane_walk *walk);

/* Fills in walk->waits. */
void waits_find(struct lane_walk *walk);
/* Adds them to the cells of the paths; the nodes are placed. */
void waits_add(struct lane_walk *walk);
/* Of the innermost call that is open on the lane's own stack; 0: none is. */
uint32_t waits_open_path(const struct lane_walk *walk);
/* Of a node of the lane. */
struct change_end waits_of_node(const struct lane_walk *walk, uint32_t node);
/* The moment after a sleep, until there was a CPU: takes it from what was booked as
 * blocked. */
void waits_take_late(const struct lane_walk *walk, uint64_t *ready_ns,
		     uint64_t *blocked_ns);
/* Were the switches of its threads seen at all? */
int waits_are_seen(const struct read_process *process);

/* Of a thread: its row's numbers, or what they leave. -1: not known. wall_ns: from its
 * start to its end. */
struct thread_split {
	int64_t cpu_ns, ready_ns, blocked_ns;
};
struct thread_split waits_of_thread(const struct segment_thread *thread, int64_t wall_ns);

struct site_place {
	uint32_t process, lane_slot, site;
};

struct sites {
	struct site_place *all; /* owned: free; by process, lane and number */
	size_t count;
};

/* Of some processes: numbers in run->processes. */
void sites_order(struct sites *ret, const struct read_run *run, const uint32_t *processes,
		 size_t process_count);

/* How many the lane has; they are those from *ret_first on. */
size_t sites_of_lane(const struct sites *sites, uint32_t process, uint32_t lane_slot,
		     size_t *ret_first);

/* How many are of lanes that are nowhere: not among the file's, [first, end) of the run,
 * nor begun since these were listed. */
size_t sites_without_lane(const struct sites *sites, const struct read_run *run,
			  uint32_t file, size_t first, size_t end);

/* Adds sites of the lane. */
void sites_add(struct lane_walk *walk, const struct site_place *places, size_t count);

/* What a lane has of one variant in nodes. */
struct variant_count {
	uint32_t function;
	enum demangle_variant variant;
	uint64_t entry_count;
	uint64_t nested_count; /* of them, for the object of the variant that called it */
	uint64_t caller_count; /* entries of other variants that it made for its object */
};

struct variant_list {
	struct variant_count *all; /* owned: variants_done() */
	uint32_t count;
	struct map map; /* of function and variant to an index in all */
};

/* Of a lane whose nodes are placed. */
void variants_find(struct lane_walk *walk, struct variant_list *ret);
/* NULL: the lane has no node of it. */
const struct variant_count *variants_at(const struct variant_list *list,
					uint32_t function, enum demangle_variant variant);
void variants_done(struct variant_list *list);

/* Adds its samples. Damaged ones are counted. */
void sampled_add_lane(struct lane_walk *walk);

/* Of a lane whose nodes are placed. A wait for a lock names paths of two lanes, the
 * waiter's and the holder's. So the holders' are looked up when all lanes are merged, in
 * a second reading of those lanes that are named. */
void locks_add_lane(const struct lane_walk *walk);
/* A place that is looked up then, if it is one. */
void locks_add_place(struct locks *locks, struct lock_place place);
/* All lanes are added: paths of holders, and names. */
void locks_finish(struct merge *merge);

/* Of a lane whose nodes are placed and whose frames are still there. */
void spans_add_lane(struct spans *spans, const struct lane_walk *walk);

/* Adds what a lane has; what is not plausible is counted as damaged. */
void marks_add_lane(struct marks *marks, const struct lane_walk *walk);
/* All lanes have been added: puts everything in order, and adds the series of the run,
 * after those of the processes. */
void marks_finish(struct marks *marks);

/* Adds those of a lane; what is not plausible is counted as damaged. */
void studies_add_lane(struct studies *studies, const struct lane_walk *walk);
/* All lanes have been added: puts them in order, and leaves out what is too many. */
void studies_finish(struct studies *studies);

/* A frame that is open when its process ends, ends with it, or when its stack was left
 * for the last time: at end_ticks of the stack's clock, which is so far behind the
 * run's. */
struct open_frame {
	const struct segment_frame *frame;
	uint64_t end_ticks, suspended_ticks;
};

typedef void open_frames_visit(void *context, const struct open_frame *open);

/* All of a lane, those of one stack after the other, outermost first. */
void open_frames_each(const struct lane_walk *walk, open_frames_visit *visit,
		      void *context);

/* What a lane has by number of the function in its process's modes. Owned:
 * lane_counts_done(). */
struct lane_counts {
	struct segment_count *counts;
	uint32_t count_count;
	double stack_ns; /* what finding stacks took for an allocation */
	struct variant_list variants;
};

/* Puts a lane's sums into the cells (merge.h), and what is no sum into the tree. sites:
 * those of the process that belong to the lane. A lane that cannot be read is counted as
 * damaged. */
void lane_merge(struct merge *merge, uint32_t lane, const struct merge_end *end,
		const struct site_place *sites, size_t site_count,
		struct lane_counts *ret);

void lane_counts_done(struct lane_counts *counts);

/* SPDX-License-Identifier: MIT */
/*
 * A lane that is being merged: its nodes, the path of each, its waits, sites, samples and
 * open frames. A file of that name adds each of them.
 *
 * For a lane with several threads we only know the sum of each sleep and the wait for a
 * CPU after it, booked as blocked. The kernel reports at a thread's end how long it was
 * ready in total. What is missing is taken from the blocked time, in equal parts for each
 * sleep. So a path's part may be wrong entirely, or too small by all that the others got,
 * up to the time that the path slept.
 */
#pragma once

#include <stdint.h>

#include "collector/merge/merge.h"

#define LANE_ROOT 1u

/* Where a node of the lane is in the merged tree. */
struct node_place {
	uint32_t path;
	uint32_t user; /* innermost place so far that is no library's */
	uint32_t call; /* 1 + place that called the function around it; 0: not known */
	/* The node itself, or the first above it that is no region. A level has the node
	 * below which its levels begin. */
	uint32_t around;
	/* The path whose time includes its calls. While a node with levels has no place
	 * yet: the last of these levels. Kept small: there is one for each node. */
	uint32_t owner;
	uint8_t is_placed;
	uint8_t is_folded; /* no room for its own path: path is the nearest ancestor's */
	uint8_t is_nested; /* path is that of the node above, see sites.c */
};

/* What only a whole lane says about its waits: how much each sleep overran, and which
 * wait was open at the end, and where. */
struct waits_of_lane {
	double late_ns;
	uint64_t all_late_ns; /* sum over all sleeps */
	double late_share;    /* share of the blocked time that was ready */
	int are_seen;	      /* see waits_are_seen() */
	uint64_t rest_ready_ns, rest_blocked_ns;
	uint32_t rest_node; /* 0: no open wait */
};

struct lane_walk {
	struct merge *merge;
	struct read_lane_data data;
	struct module_list *modules; /* of the lane's process */
	struct node_place *nodes;    /* owned: free; parallel to data.nodes */
	const struct ending *end;
	struct waits_of_lane waits;
	uint32_t lane;
	uint32_t process_index;
};

/* The path of a node; 0: it has none. */
static inline uint32_t place_path(const struct lane_walk *walk, uint32_t node)
{
	return node > LANE_ROOT && node < walk->data.node_count &&
			       walk->nodes[node].is_placed
		       ? walk->nodes[node].path
		       : 0;
}

/* Adds calls to what was passed on by the levels between a node's path and its owner. */
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

/* Was the node not read because the process has too many? */
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
/* The path of the innermost open call on the lane's own stack; 0: none. */
uint32_t waits_open_path(const struct lane_walk *walk);
/* The final waits of a node of the lane. */
struct change_end waits_of_node(const struct lane_walk *walk, uint32_t node);
/* Moves the time after sleeps until there was a CPU from blocked to ready. */
void waits_take_late(const struct lane_walk *walk, uint64_t *ready_ns,
		     uint64_t *blocked_ns);
/* Were the context switches of the process's threads seen? */
int waits_are_seen(const struct read_process *process);

/* A thread's times: from its row, or the rest of wall_ns; -1: not known. wall_ns: from
 * its start to its end. */
struct thread_split {
	int64_t cpu_ns, ready_ns, blocked_ns;
};
struct thread_split waits_of_thread(const struct segment_thread *thread, int64_t wall_ns);

struct site_place {
	uint32_t process, lane_slot, site;
};

struct sites {
	struct site_place *all; /* owned (free); by process, lane and number */
	size_t count;
};

/* Lists the sites of some processes, which are numbers in run->processes. */
void sites_order(struct sites *ret, const struct read_run *run, const uint32_t *processes,
		 size_t process_count);

/* The number of the lane's sites, which begin at *ret_first. */
size_t sites_of_lane(const struct sites *sites, uint32_t process, uint32_t lane_slot,
		     size_t *ret_first);

/* Counts sites whose lane is neither listed for the file nor begun since. */
size_t sites_without_lane(const struct sites *sites, const struct read_run *run,
			  uint32_t file);

/* Adds sites of the lane. */
void sites_add(struct lane_walk *walk, const struct site_place *places, size_t count);

/* What a lane's nodes have of one variant. */
struct variant_count {
	uint32_t function;
	enum demangle_variant variant;
	uint64_t entry_count;
	uint64_t nested_count; /* of them: for the same object as the calling variant */
	uint64_t caller_count; /* entries of others that it made for its object */
};

struct variant_list {
	struct variant_count *all; /* owned: variants_done() */
	uint32_t count;
	struct map map; /* of function and variant to an index in all */
};

/* Of a lane whose nodes are placed. */
void variants_find(struct lane_walk *walk, struct variant_list *ret);
/* Returns the counts of a variant; NULL: the lane has no node of it. */
const struct variant_count *variants_at(const struct variant_list *list,
					uint32_t function, enum demangle_variant variant);
void variants_done(struct variant_list *list);

/* Adds the lane's samples. Damaged ones are counted. */
void sampled_add_lane(struct lane_walk *walk);

/* The merged path of a node, the path that gets its time (place.h), and whether its
 * entries do not count as calls of that path (sites.c). */
struct change_place {
	uint32_t path, owner;
	int is_nested;
};

/* Adds the changes of a node that has this place in the merged tree. A wait that was open
 * at a snapshot is split into ready and blocked like what was booked of it later. */
void changes_add_node(struct merge *merge, uint32_t process, uint32_t lane_slot,
		      uint32_t node, const struct change_place *place,
		      const struct change_end *end);

/* Adds the changes of the process's site `site`, which is `merged` in the merged tree. */
void changes_add_site(struct merge *merge, uint32_t process, uint32_t site,
		      uint32_t merged);

/* Adds the frees by age. merged: for each site of the process its merged index, or
 * UINT32_MAX for a site that has none. */
void changes_add_frees(struct merge *merge, uint32_t process, const uint32_t *merged);

/* Adds what the lane's calls of libc moved. */
void transfers_add_lane(struct lane_walk *walk);

/* Adds the locks of a lane whose nodes are placed. A wait for a lock names paths of two
 * lanes, the waiter's and the holder's, so the holders' are looked up after all lanes are
 * merged, by reading the lanes that are named a second time. */
void locks_add_lane(const struct lane_walk *walk);
/* All lanes are added: paths of holders, and names. */
void locks_finish(struct merge *merge);

/* Of a lane whose nodes are placed and whose frames are still there. */
void spans_add_lane(const struct lane_walk *walk);

/* Adds what a lane has; what is not plausible is counted as damaged. */
void marks_add_lane(const struct lane_walk *walk);
/* All lanes have been added: puts everything in order, and adds the series of the run,
 * after those of the processes. */
void marks_finish(struct merge *merge);

/* Adds those of a lane; what is not plausible is counted as damaged. */
void studies_add_lane(const struct lane_walk *walk);
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
void lane_merge(struct merge *merge, uint32_t lane, const struct ending *end,
		const struct site_place *sites, size_t site_count,
		struct lane_counts *ret);

void lane_counts_done(struct lane_counts *counts);

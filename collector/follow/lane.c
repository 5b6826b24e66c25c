/* SPDX-License-Identifier: MIT */
/*
 * A look at a lane: what its paths gained. Must not follow an index that was not compared
 * with its count.
 *
 * A call that is open counts up to now, when it was open before the nodes were read and
 * after: what ended in between is in its node, or will be found there with the next look.
 * So no number is told twice, and as none may fall, what was told too early (a node that
 * was read late) is not told again.
 */
#include "collector/follow/parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

/* Of all lanes together: 300 MB. */
#define NODES_MOST (1u << 23)

/* The innermost open frame of the stack in use, and where its time ends. */
struct open_frames {
	const struct segment_frame *all;
	uint32_t count;
	uint64_t now_ticks; /* on the stack's clock */
};

static uint64_t stack_now(const struct follow *follow, const struct follow_lane *lane,
			  uint64_t now_ticks)
{
	const struct segment_process *process = &follow->processes[lane->process]->header;
	uint64_t away = lane->header.suspended_ticks;

	if (lane->header.left_ticks && lane->header.left_ticks < now_ticks)
		now_ticks = lane->header.left_ticks;
	else if (process->paused_ticks > lane->header.paused_ticks)
		away += process->paused_ticks - lane->header.paused_ticks;
	if (process->paused_since_ticks && process->paused_since_ticks < now_ticks)
		now_ticks = process->paused_since_ticks;
	return now_ticks > away ? now_ticks - away : 0;
}

static uint32_t read_frames(const struct follow_file *file,
			    const struct follow_lane *lane, struct segment_room *room)
{
	struct segment_array frames;

	arrays_read(&lane->header, ARRAY_FRAMES, file->reader.slot_size, &frames);
	return segment_reader_refill(&file->reader, lane->slot, ARRAY_FRAMES, &frames, 0,
				     room);
}

static int read_header(const struct follow_file *file, struct follow_lane *lane)
{
	return segment_reader_bytes(&file->reader, lane->slot, 0, &lane->header,
				    sizeof(lane->header)) == 0 &&
	       lane->header.magic == SEGMENT_MAGIC_LANE;
}

/* Into follow->room; how many. */
static uint32_t read_nodes(struct follow *follow, struct follow_lane *lane)
{
	const struct follow_file *file = &follow->files[lane->file];
	uint32_t limit = read_node_limit(&follow->page) + 2;
	struct segment_array nodes;

	arrays_read(&lane->header, ARRAY_NODES, file->reader.slot_size, &nodes);
	if (nodes.count > limit)
		nodes.count = limit;
	return segment_reader_refill(&file->reader, lane->slot, ARRAY_NODES, &nodes,
				     lane->placed, &follow->room);
}

/* Which variants call others (merge/variants.h), from a node on. */
static void note_callers(struct follow *follow, const struct lane_walk *walk,
			 uint32_t from)
{
	for (uint32_t i = from > LANE_ROOT ? from : LANE_ROOT + 1;
	     i < walk->data.node_count; i++) {
		uint32_t function = follow->merge.paths[walk->nodes[i].path].function;

		if (!walk->nodes[i].is_nested)
			continue;
		follow->callers = follow_room(follow->callers, &follow->caller_count,
					      function + 1, sizeof(*follow->callers));
		follow->callers[function] |=
			(uint8_t)(1u << place_variant(walk, walk->data.nodes[i].parent));
	}
}

/* New nodes get their paths. Others use the room meanwhile: nodes are read anew. */
static uint32_t place_new(struct follow *follow, struct follow_lane *lane, uint32_t count)
{
	struct follow_process *process = follow->processes[lane->process];
	uint32_t room = lane->room, known_count = count;

	if (follow->node_count + count - lane->placed > NODES_MOST) {
		follow->left_out_count += !lane->is_left_out;
		lane->is_left_out = 1;
		return lane->placed;
	}
	follow_refresh_modules(follow, process);
	follow_look_at_modes(follow, process);
	count = read_nodes(follow, lane);
	if (count >
	    known_count) /* the rest may be of modules and modes that are younger */
		count = known_count;
	if (count < lane->placed)
		return count;
	follow->node_count += count - lane->placed;
	lane->past = follow_room(lane->past, &room, count, sizeof(*lane->past));
	lane->walk.nodes = follow_room(lane->walk.nodes, &lane->room, count,
				       sizeof(*lane->walk.nodes));
	lane->walk.merge = &follow->merge;
	lane->walk.modules = &process->modules;
	lane->walk.process_index = lane->process;
	lane->walk.data.nodes = follow->room.entries;
	lane->walk.data.node_count = count;
	place_more(&lane->walk, lane->placed);
	note_callers(follow, &lane->walk, lane->placed);
	lane->walk.data.nodes = NULL;
	lane->placed = count;
	follow_take_paths(follow);
	ledger_grow(&follow->functions, follow->merge.identify.function_count);
	return count;
}

/* Open time of what was open before and after the nodes were read. */
static void add_open(struct segment_node *nodes, uint32_t node_count,
		     const struct open_frames *before, const struct segment_frame *after,
		     uint32_t after_count)
{
	for (uint32_t i = 0; i < before->count && i < after_count; i++) {
		const struct segment_frame *frame = &before->all[i];

		if (frame->node != after[i].node ||
		    frame->start_ticks != after[i].start_ticks)
			break;
		if (frame->node <= LANE_ROOT || frame->node >= node_count ||
		    frame->start_ticks >= before->now_ticks)
			continue;
		if (__builtin_add_overflow(nodes[frame->node].total_ticks,
					   before->now_ticks - frame->start_ticks,
					   &nodes[frame->node].total_ticks))
			nodes[frame->node].total_ticks = UINT64_MAX;
	}
}

static void add_calls(struct follow *follow, uint32_t path, uint32_t parent,
		      int64_t calls, int64_t ticks)
{
	ledger_add(&follow->paths, path, FOLLOW_CALLS, calls);
	ledger_add(&follow->paths, path, FOLLOW_SELF_TICKS, ticks);
	if (!parent)
		return;
	ledger_add(&follow->paths, parent, FOLLOW_CHILD_CALLS, calls);
	ledger_add(&follow->paths, parent, FOLLOW_SELF_TICKS, -ticks);
}

static void note_longest(struct follow *follow, uint32_t path, uint64_t ticks)
{
	uint64_t *of_function =
		&follow->function_longest[follow->path_rows[path].function];

	if (ticks <= follow->path_longest[path])
		return;
	if (ticks > (uint64_t)TICKS_LONGEST_NS)
		ticks = (uint64_t)TICKS_LONGEST_NS;
	follow->path_longest[path] = ticks;
	if (ticks > *of_function)
		*of_function = ticks;
}

static void add_node(struct follow *follow, struct follow_lane *lane, uint32_t number,
		     const struct segment_node *node)
{
	const struct node_place *place = &lane->walk.nodes[number];
	struct node_past *past = &lane->past[number];
	int64_t calls = follow_more(&past->calls, node->call_count);
	int64_t ticks = follow_more(&past->ticks, node->total_ticks);

	if (!place->is_placed || place->is_folded || !place->path ||
	    place_is_return_address(node))
		return;
	if (place->is_nested)
		ledger_add(&follow->paths, place->path, FOLLOW_NESTED_CALLS, calls);
	else
		add_calls(follow, place->path, place->owner, calls, ticks);
	note_longest(follow, place->path, node->max_ticks);
	if (node->wait && node->wait < SEGMENT_PATH_LIMIT * 2) {
		lane->waits = follow_room(lane->waits, &lane->wait_room, node->wait + 1,
					  sizeof(*lane->waits));
		if (!lane->waits[node->wait].node && lane->open.node == number) {
			lane->waits[node->wait] = lane->open;
			lane->open.node = 0;
		}
		lane->waits[node->wait].node = number;
	}
}

static void add_nodes(struct follow *follow, struct follow_lane *lane,
		      const struct segment_node *nodes, uint32_t count)
{
	for (uint32_t i = LANE_ROOT + 1; i < count; i++)
		if (nodes[i].call_count > lane->past[i].calls ||
		    nodes[i].total_ticks > lane->past[i].ticks)
			add_node(follow, lane, i, &nodes[i]);
}

/* Waits of a lane that gained something since the last look. late_ns: what the thread was
 * ready that nobody has booked, for each of its sleeps. */
struct waits_look {
	const struct segment_wait *now;
	uint32_t count;
	uint32_t open_node; /* waits for open_ns now, booked by nobody */
	uint64_t open_ns;
	double late_ns;
};

static struct wait_past wait_now(const struct waits_look *look, uint32_t number,
				 const struct wait_past *past)
{
	struct wait_past now = {.ready_ns = look->now[number].ready_ns,
				.blocked_ns = look->now[number].blocked_ns,
				.sleeps = look->now[number].blocked_count};

	/* slept, as far as can be told; what is booked later is as much, and not told
	 * again */
	if (past->node == look->open_node &&
	    __builtin_add_overflow(now.blocked_ns, look->open_ns, &now.blocked_ns))
		now.blocked_ns = UINT64_MAX;
	return now;
}

static void add_wait(struct follow *follow, const struct follow_lane *lane,
		     struct wait_past *past, const struct wait_past *now, double late_ns)
{
	uint32_t path = follow_path_of(lane, past->node);
	int64_t ready = follow_more(&past->ready_ns, now->ready_ns);
	int64_t blocked = follow_more(&past->blocked_ns, now->blocked_ns), late;

	late_ns *= (double)follow_more(&past->sleeps, now->sleeps);
	late = late_ns < (double)blocked ? (int64_t)late_ns : blocked;
	if (!path)
		return;
	ledger_add(&follow->paths, path, FOLLOW_READY_NS, ready + late);
	ledger_add(&follow->paths, path, FOLLOW_BLOCKED_NS, blocked - late);
}

/* A thread that slept is ready before it has a CPU again, and only the kernel knows how
 * long: its sleeps have equal parts of that. */
static double late_ns_of(const struct follow_lane *lane, const struct waits_look *look,
			 int64_t ready_ns)
{
	double sleeps = 0;

	for (uint32_t i = 1; i < look->count; i++) {
		struct wait_past past = lane->waits[i];

		ready_ns -= follow_more(&past.ready_ns, look->now[i].ready_ns);
		sleeps += (double)follow_more(&past.sleeps, look->now[i].blocked_count);
	}
	return ready_ns > 0 && sleeps > 0 ? (double)ready_ns / sleeps : 0;
}

static void add_waits(struct follow *follow, struct follow_lane *lane, uint32_t open_node,
		      const struct thread_look *thread)
{
	const struct follow_file *file = &follow->files[lane->file];
	struct waits_look look = {.open_node = open_node, .open_ns = thread->open_ns};
	struct segment_array array;

	arrays_read(&lane->header, ARRAY_WAITS, file->reader.slot_size, &array);
	look.count = segment_reader_refill(&file->reader, lane->slot, ARRAY_WAITS, &array,
					   lane->wait_room, &follow->room);
	if (look.count > lane->wait_room)
		look.count = lane->wait_room;
	look.now = follow->room.entries;
	look.late_ns = late_ns_of(lane, &look, thread->ready_ns);
	for (uint32_t i = 1; i < look.count; i++) {
		struct wait_past *past = &lane->waits[i], now = wait_now(&look, i, past);

		if (past->node == open_node)
			look.open_ns = 0;
		if (past->node &&
		    (now.blocked_ns > past->blocked_ns || now.ready_ns > past->ready_ns))
			add_wait(follow, lane, past, &now, look.late_ns);
	}
	if (!open_node || !look.open_ns)
		return;
	if (lane->open.node != open_node)
		lane->open = (struct wait_past){.node = open_node};
	add_wait(follow, lane, &lane->open,
		 &(struct wait_past){.blocked_ns = look.open_ns}, 0);
}

/* Where the thread is: the innermost frame that has a node. */
static uint32_t innermost(const struct segment_frame *frames, uint32_t count)
{
	while (count && frames[count - 1].node <= LANE_ROOT)
		count--;
	return count ? frames[count - 1].node : 0;
}

void follow_look_at_lane(struct follow *follow, struct follow_lane *lane,
			 uint64_t now_ticks)
{
	const struct follow_file *file = &follow->files[lane->file];
	struct open_frames before;
	struct thread_look thread;
	uint32_t count, after, node;
	uint64_t booked_ns;

	if (!read_header(file, lane))
		return;
	booked_ns = lane->header.booked_wall_ns;
	thread = follow_look_at_thread(follow, lane);
	before.count = read_frames(file, lane, &follow->frames);
	before.all = follow->frames.entries;
	before.now_ticks = stack_now(follow, lane, now_ticks);
	if (!read_header(file, lane))
		return;
	count = read_nodes(follow, lane);
	if (count > lane->placed)
		count = place_new(follow, lane, count);
	if (count > lane->placed)
		count = lane->placed;
	if (!read_header(file, lane))
		return;
	after = read_frames(file, lane, &follow->frames_again);
	add_open(follow->room.entries, count, &before, follow->frames_again.entries,
		 after);
	add_nodes(follow, lane, follow->room.entries, count);
	node = innermost(follow->frames_again.entries, after);
	if (lane->thread != NO_LANE)
		follow->thread_rows[lane->thread].open_path = follow_path_of(lane, node);
	if (booked_ns != lane->header.booked_wall_ns)
		thread.open_ns = 0;
	add_waits(follow, lane, node, &thread);
	follow_look_at_counts(follow, lane);
	follow_look_at_transfers(follow, lane);
	follow_look_at_series(follow, lane);
}

void follow_lane_done(struct follow_lane *lane)
{
	free(lane->walk.nodes);
	free(lane->past);
	free(lane->waits);
	free(lane->transfers);
	free(lane->series);
	free(lane->counts);
}

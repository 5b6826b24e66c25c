/* SPDX-License-Identifier: MIT */
/* Loads a process with threads, its waits, and the work of its lanes. */
#include "analyzer/reports/critical/parts.h"

#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "common/base/xalloc.h"

#include "critical.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of stalls, and words in the names of their libc calls. */
static const struct {
	const char *kind, *words[2];
	enum walk_kind walk;
} kinds[] = {
	{"mutex", {"mutex", "mtx_"}, WALK_LOCK},
	{"rwlock", {"rwlock", "rwlock"}, WALK_LOCK},
	{"spin", {"spin", "spin"}, WALK_LOCK},
	{"condition", {"cond_", "cnd_"}, WALK_SIGNAL},
	{"semaphore", {"sem_", "sem_"}, WALK_SIGNAL},
	{"barrier", {"barrier", "barrier"}, WALK_SIGNAL},
	{"thread", {"join", "join"}, WALK_JOIN},
	{"signal", {"sig", "pause"}, WALK_SIGNAL},
	{"sleep", {NULL, NULL}, WALK_NAP},
	{"call", {NULL, NULL}, WALK_NAP},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static size_t kind_of(const char *word)
{
	for (size_t i = 0; i < KINDS; i++)
		if (word && !strcmp(word, kinds[i].kind))
			return i;
	return 0;
}

/* A path of a damaged database may have no function. */
static bool is_libc(const struct calltree *tree, uint32_t node)
{
	uint32_t function = tree->nodes[node].function;

	return function != CALLTREE_NONE && tree->functions[function].is_libc;
}

static bool is_call_of(const struct calltree *tree, uint32_t node, size_t kind)
{
	const char *name = calltree_name(tree, node);

	return is_libc(tree, node) && kinds[kind].words[0] &&
	       (strstr(name, kinds[kind].words[0]) || strstr(name, kinds[kind].words[1]));
}

/* A number from the file, made finite. */
static double ns_at(struct cursor *cursor, const char *column)
{
	return (double)cursor_integer(cursor, column);
}

static struct cursor *query(struct report_input *input, const struct critical *critical,
			    const char *sql)
{
	struct cursor *cursor = report_query(input, sql);

	cursor_bind_integer(cursor, ":process", critical->process_id);
	return cursor;
}

bool critical_is_libc(const struct critical *critical, uint32_t path)
{
	return path != WALK_NONE && is_libc(critical->tree, path);
}

/* The number of a lane of this process, or WALK_NONE. */
static uint32_t lane_at(const struct critical *critical, struct cursor *cursor,
			const char *column)
{
	uint32_t number = MAP_NONE;

	if (!cursor_is_null(cursor, column))
		number = map_get(&critical->lanes,
				 (uint64_t)cursor_integer(cursor, column), 0, 0);
	return number == MAP_NONE ? WALK_NONE : number;
}

/* The node that has the path's time, or WALK_NONE. */
static uint32_t node_at(const struct critical *critical, struct cursor *cursor,
			const char *column)
{
	uint32_t node = CALLTREE_NONE;

	if (!cursor_is_null(cursor, column))
		node = calltree_find(critical->tree, cursor_integer(cursor, column));
	if (node == CALLTREE_NONE)
		return WALK_NONE;
	if (critical->tree->nodes[node].merged_into != CALLTREE_NONE)
		node = critical->tree->nodes[node].merged_into;
	return critical->tree->nodes[node].host;
}

static void load_process(struct report_input *input, struct critical *critical)
{
	auto_cursor struct cursor *cursor = report_query(input, critical_sql_process);

	if (cursor_next(cursor)) {
		critical->process_id = cursor_integer(cursor, "process_id");
		critical->pid = cursor_integer(cursor, "pid");
		critical->run.begin_ns = ns_at(cursor, "started_ns");
		critical->run.end_ns = critical->run.begin_ns + ns_at(cursor, "wall_ns");
	}
}

/* Which thread ended the process, if the recording does not say: of those that ended with
 * it, the first one. */
static bool ends_later(const struct critical *critical, const struct critical_thread *a,
		       const struct critical_thread *b, bool a_is_first)
{
	double end_ns = critical->run.end_ns;
	double a_ns = fmin(a->end_ns, end_ns), b_ns = fmin(b->end_ns, end_ns);

	return a_is_first ? a_ns >= b_ns - 1e6 : a_ns > b_ns + 1e6;
}

static void load_threads(struct report_input *input, struct critical *critical)
{
	auto_cursor struct cursor *cursor = query(input, critical, critical_sql_threads);
	size_t last = 0;
	bool is_told = false;

	while (cursor_next(cursor)) {
		size_t number = critical->thread_count++;
		struct critical_thread *thread;
		bool is_new;

		critical->threads =
			array_room(critical->threads, number, sizeof(*critical->threads));
		thread = &critical->threads[number];
		*thread = (struct critical_thread){
			.thread_id = cursor_integer(cursor, "thread_id"),
			.lane_id = cursor_integer(cursor, "lane_id"),
			.begin_ns = ns_at(cursor, "started_ns"),
		};
		thread->end_ns = thread->begin_ns + ns_at(cursor, "wall_ns");
		thread->lane = map_number(&critical->lanes, (uint64_t)thread->lane_id, 0,
					  0, &is_new);
		critical->lane_count += is_new;
		if (cursor_integer(cursor, "has_ended_process") ||
		    (!is_told && number &&
		     ends_later(critical, thread, &critical->threads[last],
				cursor_integer(cursor, "is_first"))))
			last = number;
		is_told |= cursor_integer(cursor, "has_ended_process") != 0;
	}
	if (critical->thread_count)
		critical->run.last_lane = critical->threads[last].lane;
}

/* The call of libc in which the path waited; for a nap the path itself. */
static uint32_t wait_node(const struct critical *critical, uint32_t waiter, size_t kind)
{
	const struct calltree *tree = critical->tree;

	if (waiter == WALK_NONE || kinds[kind].walk == WALK_NAP)
		return waiter;
	for (uint32_t child = tree->nodes[waiter].first_child; child != CALLTREE_NONE;
	     child = tree->nodes[child].next)
		if (is_call_of(tree, child, kind))
			return child;
	return waiter;
}

static void load_stalls(struct report_input *input, struct critical *critical)
{
	auto_cursor struct cursor *cursor = query(input, critical, critical_sql_stalls);

	while (cursor_next(cursor)) {
		size_t kind = kind_of(cursor_text(cursor, "kind"));
		uint32_t lane = lane_at(critical, cursor, "lane_id");
		size_t number = critical->run.stall_count;
		struct walk_stall *stall;

		if (lane == WALK_NONE)
			continue;
		critical->run.stalls = array_room(critical->run.stalls, number,
						  sizeof(*critical->run.stalls));
		critical->stalls =
			array_room(critical->stalls, number, sizeof(*critical->stalls));
		stall = &critical->run.stalls[number];
		*stall = (struct walk_stall){
			.lane = lane,
			.holder_lane = lane_at(critical, cursor, "holder_lane_id"),
			.begin_ns = ns_at(cursor, "started_ns"),
			.kind = kinds[kind].walk,
			.lock_id = cursor_integer(cursor, "lock_id"),
			.number = (uint32_t)number,
		};
		stall->end_ns = stall->begin_ns + ns_at(cursor, "wait_ns");
		critical->stalls[number] = (struct shares_stall){
			.path = wait_node(critical,
					  node_at(critical, cursor, "waiter_path_id"),
					  kind),
			.holder_path = node_at(critical, cursor, "holder_path_id"),
		};
		critical->run.stall_count++;
	}
}

static void load_windows(struct report_input *input, struct critical *critical)
{
	auto_cursor struct cursor *cursor = report_query(input, critical_sql_windows);

	if (cursor_next(cursor))
		critical->run.windows = (struct walk_windows){
			cursor_real(cursor, "first_ns"), cursor_real(cursor, "window_ns"),
			cursor_real(cursor, "period_ns")};
}

/* A number for each lane and node. */
static void load_work(struct report_input *input, struct critical *critical)
{
	auto_cursor struct cursor *cursor = query(input, critical, critical_sql_work);

	while (cursor_next(cursor)) {
		uint32_t lane = lane_at(critical, cursor, "lane_id");
		uint32_t node = node_at(critical, cursor, "path_id"), number;
		bool is_new;

		if (lane == WALK_NONE || node == WALK_NONE)
			continue;
		number = map_number(&critical->splits_by, lane, node, 0, &is_new);
		if (is_new) {
			critical->work = array_room(critical->work, number,
						    sizeof(*critical->work));
			critical->splits = array_room(critical->splits, number,
						      sizeof(*critical->splits));
			critical->work[number] = (struct shares_work){lane, node, 0};
			critical->splits[number] = (struct critical_split){0, 0, 0};
			critical->work_count = number + 1;
		}
		critical->work[number].self_ns += ns_at(cursor, "self_ns");
		critical->splits[number].cpu_ns += ns_at(cursor, "self_cpu_ns");
		critical->splits[number].ready_ns += ns_at(cursor, "self_ready_ns");
		critical->splits[number].blocked_ns += ns_at(cursor, "self_blocked_ns");
	}
}

static bool is_wait(const struct calltree *tree, uint32_t node)
{
	for (size_t i = 0; i < KINDS; i++)
		if (is_call_of(tree, node, i))
			return true;
	return false;
}

/* Subtracts a wait that is walked from a lane's work on a path. */
static void take_off(struct critical *critical, uint32_t lane, uint32_t number, double ns)
{
	critical->lane_ns[lane] -= ns;
	if (number == MAP_NONE)
		return;
	critical->work[number].self_ns = fmax(0, critical->work[number].self_ns - ns);
	critical->splits[number].blocked_ns =
		fmax(0, critical->splits[number].blocked_ns - ns);
}

/* If only some waits were recorded, subtracts all time of these libc calls; for naps only
 * how long they slept. */
static void take_off_thinned(struct critical *critical)
{
	for (size_t i = 0; i < critical->work_count; i++) {
		const struct shares_work *work = &critical->work[i];

		if (is_wait(critical->tree, work->path))
			take_off(critical, work->lane, (uint32_t)i, work->self_ns);
	}
	for (size_t i = 0; i < critical->run.stall_count; i++) {
		const struct walk_stall *stall = &critical->run.stalls[i];
		uint32_t number = map_get(&critical->splits_by, stall->lane,
					  critical->stalls[stall->number].path, 0);

		if (stall->kind == WALK_NAP && number != MAP_NONE)
			take_off(critical, stall->lane, number,
				 fmin(critical->work[number].self_ns,
				      critical->splits[number].blocked_ns));
	}
}

/* Subtracts the waits that are walked from the lanes' work. */
static void take_off_waits(struct critical *critical)
{
	critical->lane_ns = xcalloc(critical->lane_count + 1, sizeof(double));
	for (size_t i = 0; i < critical->thread_count; i++)
		critical->lane_ns[critical->threads[i].lane] +=
			critical->threads[i].end_ns - critical->threads[i].begin_ns;
	if (critical->run.windows.period_ns > 0) {
		take_off_thinned(critical);
		return;
	}
	for (size_t i = 0; i < critical->run.stall_count; i++) {
		const struct walk_stall *stall = &critical->run.stalls[i];

		take_off(critical, stall->lane,
			 map_get(&critical->splits_by, stall->lane,
				 critical->stalls[stall->number].path, 0),
			 stall->end_ns - stall->begin_ns);
	}
}

static int compare_work(const void *a, const void *b)
{
	const struct shares_work *left = a, *right = b;

	return ORDER_BY(left, right, lane);
}

static void find(struct critical *critical)
{
	struct shares_input input = {
		.run = &critical->run,
		.walk = &critical->walk,
		.stalls = critical->stalls,
		.lane_ns = critical->lane_ns,
		.lane_count = critical->lane_count,
		.work_count = critical->work_count,
	};

	/* splits must stay in their order */
	input.work = xcalloc(critical->work_count + 1, sizeof(*input.work));
	for (size_t i = 0; i < critical->work_count; i++)
		input.work[i] = critical->work[i];
	qsort(input.work, input.work_count, sizeof(*input.work), compare_work);
	walk_find(&critical->run, &critical->walk);
	shares_find(&input, &critical->shares);
}

static void list_threads(struct critical *critical)
{
	struct walk_run *run = &critical->run;

	run->threads = xcalloc(critical->thread_count + 1, sizeof(*run->threads));
	run->thread_count = critical->thread_count;
	for (size_t i = 0; i < run->thread_count; i++)
		run->threads[i] = (struct walk_thread){
			.lane = critical->threads[i].lane,
			.number = (uint32_t)i,
			.begin_ns = critical->threads[i].begin_ns,
			.end_ns = critical->threads[i].end_ns,
		};
}

bool critical_load(struct report_input *input, struct critical *ret)
{
	*ret = (struct critical){.process_id = 0};
	load_process(input, ret);
	if (!ret->process_id)
		return false;
	ret->tree = report_call_tree(input);
	load_threads(input, ret);
	load_stalls(input, ret);
	load_windows(input, ret);
	load_work(input, ret);
	list_threads(ret);
	take_off_waits(ret);
	find(ret);
	return true;
}

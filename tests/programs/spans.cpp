/* SPDX-License-Identifier: MIT */
/* Of a hundred thousand calls exactly the slow ones are kept one by one: plain, recursive,
 * left by a jump and by an exception, regions, steps, in threads; each with its own waits and
 * inside of its caller. On a busy machine others may be slow, too. */
// flags: -pthread
// variants: once
// tolerate: repaired_frames
// settings: PROFSHIM_SPANS=10ms
// expect-sql: SELECT name, kind, ended, COUNT(*), MIN(duration_ns) >= $nap * 0.98 FROM spans WHERE
//     name IN ('slow', 'dive', 'jump_out', 'throw_out', 'by_thread', 'wait', 'turn') GROUP BY
//     1, 2, 3 ORDER BY 1 => by_thread|function|exit|3|1; dive|function|exit|6|1;
//     jump_out|function|unwound|3|1; slow|function|exit|5|1; throw_out|function|exit|4|1;
//     turn|step|exit|4|1; wait|region|exit|2|1
// expect-sql: SELECT COUNT(*), COUNT(DISTINCT thread_id), COUNT(DISTINCT lane_id) FROM spans WHERE
//     name = 'by_thread' => 3|3|3
// expect-sql: SELECT COUNT(*) FROM spans s JOIN threads t USING (thread_id) WHERE s.process_id <>
//     t.process_id OR s.lane_id <> t.lane_id OR s.started_ns < t.started_ns - 1000000 => 0
// expect-sql: SELECT COUNT(*) FROM spans WHERE cpu_ns + ready_ns + blocked_ns <> call_ns OR
//     call_ns > duration_ns + 2 OR MIN(cpu_ns, ready_ns, blocked_ns) < 0 => 0
// expect-sql: SELECT name, MIN(ready_ns + blocked_ns >= $nap * 0.98), SUM(blocked_ns) > 0 FROM spans
//     WHERE name IN ('slow', 'by_thread', 'turn', 'nanosleep') GROUP BY 1 ORDER BY 1 =>
//     by_thread|1|1; nanosleep|1|1; slow|1|1; turn|1|1
// expect-sql: SELECT MAX(blocked_ns) < $nap FROM spans WHERE name = 'compute' => 1
// expect-sql: SELECT COUNT(*) FROM spans c JOIN call_paths q ON q.path_id = c.path_id JOIN
//     call_paths u ON u.path_id = q.parent_path_id WHERE c.kind <> 'step' AND NOT EXISTS (SELECT 1
//     FROM spans p WHERE p.path_id = u.path_id AND p.lane_id = c.lane_id AND p.started_ns <=
//     c.started_ns + 2 AND p.started_ns + p.duration_ns >= c.started_ns + c.duration_ns - 2) => 0
// expect-trust: span_floor_ns => 10000000
// expect-trust: thinned_spans => 0
// expect-trust: lost_spans => 0
#include "profshim.h"
#include "truth.h"
#include <csetjmp>
#include <cstdio>
#include <ctime>
#include <pthread.h>

#define NAP_NS 20000000
#define SHORT_CALLS 100000

static jmp_buf place;
static pthread_barrier_t side_by_side;

UNTRACED void nap(void)
{
	struct timespec time = {0, NAP_NS};

	nanosleep(&time, NULL);
}

ALONE static void leaf(void)
{
	__asm__ volatile("");
}

ALONE static void slow(void)
{
	nap();
}

ALONE static void dive(int depth)
{
	if (depth > 1)
		dive(depth - 1);
	else
		nap();
	keep(&depth);
}

ALONE static void jump_out(void)
{
	nap();
	longjmp(place, 1);
}

ALONE static void throw_out(void)
{
	nap();
	throw 1;
}

ALONE static void compute(void)
{
	struct timespec now;
	long begin, at;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	begin = now.tv_sec * 1000000000 + now.tv_nsec;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		at = now.tv_sec * 1000000000 + now.tv_nsec;
	} while (at - begin < NAP_NS);
}

/* All at one time, or a thread that is begun late goes on in the lane of one that has ended. */
ALONE static void *by_thread(void *nothing)
{
	pthread_barrier_wait(&side_by_side);
	nap();
	return nothing;
}

ALONE static void leave(void)
{
	for (volatile int i = 0; i < 3; i++)
		if (!setjmp(place))
			jump_out();
	for (int i = 0; i < 4; i++) {
		try {
			throw_out();
		} catch (int) {
			leaf();
		}
	}
}

ALONE static void mark(void)
{
	for (int i = 0; i < 2; i++) {
		profshim_region_begin("io", "wait");
		nap();
		profshim_region_end("io", "wait");
	}
	for (int i = 0; i < 5; i++) {
		profshim_step("turn");
		if (i < 4)
			nap();
	}
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 5; i++) {
		for (int j = 0; j < SHORT_CALLS / 5; j++)
			leaf();
		slow();
	}
	dive(6);
	compute();
	leave();
	mark();
	pthread_barrier_init(&side_by_side, NULL, 3);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, by_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("nap=%d\n", NAP_NS);
	return 0;
}

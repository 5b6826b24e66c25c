/* SPDX-License-Identifier: MIT */
/* Steps and counters with exactly known sums: a long loop, a name in a buffer, threads, a
 * forked child, values of both signs; what has no room or is not finite is counted. */
// flags: -pthread
// expect-sql: SELECT step_count, timed_count, growth_bytes FROM step_totals WHERE name =
//     'long' AND process_id IS NULL => 3000|2999|299900
// expect-sql: SELECT COUNT(*), MAX(step_index), COUNT(DISTINCT step_index) = COUNT(*) FROM
//     steps WHERE name = 'long' AND step_index > 2487 => 512|2999|1
// expect-sql: SELECT COUNT(*) <= 522, MIN(duration_ns) = (SELECT min_ns FROM step_totals
//     WHERE name = 'long' LIMIT 1), MAX(duration_ns) = (SELECT max_ns FROM step_totals WHERE
//     name = 'long' LIMIT 1) FROM steps WHERE name = 'long' => 1|1|1
// expect-sql: SELECT total_ns <= last_ns - first_ns + 1 AND total_ns >= last_ns - first_ns - 1,
//     min_ns <= p50_ns AND p50_ns <= p95_ns AND p95_ns <= p99_ns AND p99_ns <= max_ns
//     FROM step_totals WHERE name = 'long' AND process_id IS NULL => 1|1
// expect-sql: SELECT SUM(value_count), COUNT(*) <= 64, COUNT(*) > 32, MAX(live_bytes) -
//     MIN(live_bytes) > 200000 FROM series_span JOIN step_totals USING (series_id) WHERE
//     name = 'long' AND process_id IS NULL => 2999|1|1|1
// expect-sql: SELECT SUM(e.is_highest), COUNT(*), SUM(e.is_highest AND e.rank = 1 AND e.number
//     = 1000) FROM series_extreme e JOIN step_totals USING (series_id) WHERE name = 'long'
//     AND step_totals.process_id IS NULL => 5|10|1
// expect-sql: SELECT step_count, timed_count FROM step_totals WHERE name = 'threads' AND
//     process_id IS NULL => 400|396
// expect-sql: SELECT COUNT(DISTINCT lane_id) > 0, COUNT(*) FROM steps WHERE name = 'threads' => 1|396
// expect-sql: SELECT group_concat(name, ' ') FROM (SELECT name FROM step_totals WHERE name LIKE
//     'in buffer%' AND process_id IS NULL AND step_count = 10 ORDER BY 1) => in buffer 0 in buffer 1
// expect-sql: SELECT counter_count, sum, mean, min, max, ABS(p50 - 500) < 32, ABS(p95 - 950)
//     < 60 FROM counter_totals WHERE name = 'up' AND process_id IS NULL => 1000|500500|500.5|1|1000|1|1
// expect-sql: SELECT sum, min, max, p50 FROM counter_totals WHERE name = 'signs' AND
//     process_id IS NULL => -0.75|-2.5|1.75|0
// expect-sql: SELECT group_concat(value, ' ') FROM (SELECT value FROM counters WHERE name =
//     'signs' ORDER BY counter_index) => -2.5 0.0 1.75
// expect-sql: SELECT process_id IS NULL, step_count, timed_count FROM step_totals WHERE
//     name = 'forked' ORDER BY 1, 2 => 0|3|2; 0|5|4; 1|8|6
// expect-sql: SELECT COUNT(*) FROM counter_totals WHERE name LIKE 'many %' AND process_id IS
//     NULL => 250
// expect-trust: lost_marks => 52
#include "profshim.h"
#include "truth.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *blocks[3000];

static void long_loop(void)
{
	for (int i = 0; i < 3000; i++) {
		profshim_step("long");
		blocks[i] = malloc(opaque(100));
		keep(blocks[i]);
		if (i == 999)
			usleep(100000);
	}
	for (int i = 0; i < 3000; i++)
		free(blocks[i]);
}

static void *thread_main(void *unused)
{
	for (int i = 0; i < 100; i++)
		profshim_step("threads");
	return unused;
}

static void run_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread_main, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void fork_between(void)
{
	for (int i = 0; i < 5; i++)
		profshim_step("forked");
	if (fork() == 0) {
		for (int i = 0; i < 3; i++)
			profshim_step("forked");
		_exit(0);
	}
	wait(NULL);
}

static void count(void)
{
	profshim_counter("signs", -2.5);
	profshim_counter("signs", 0);
	profshim_counter("signs", 1.75);
	profshim_counter("signs", __builtin_nan(""));
	profshim_counter("signs", __builtin_inf());
	for (int i = 1; i <= 1000; i++)
		profshim_counter("up", i);
}

int main(void)
{
	char name[32];

	long_loop();
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "in buffer %d", i % 2);
		profshim_step(name);
	}
	run_threads();
	count();
	fork_between();
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "many %d", i);
		profshim_counter(name, i);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* What this is: the critical path of runs that fit on a page, and how it is divided. */
#include "analyzer/model/critical/shares.h"
#include "tests/unit/tests.h"

#include <math.h>

/* The stretches, the latest first: what was done, thread, begin-end. Threads by the
 * caller's numbers. */
static char *told(const struct walk_run *run, const struct walk *walk)
{
	static const char *const words[] = {
		[WALK_OWN] = "own",	[WALK_HELD] = "held",	[WALK_WAITED] = "waited",
		[WALK_WOKEN] = "woken", [WALK_BEGUN] = "begun", [WALK_BEFORE] = "before"};
	static char text[1000];
	size_t size = 0;

	text[0] = 0;
	for (size_t i = 0; i < walk->count; i++) {
		const struct walk_stretch *stretch = &walk->stretches[i];

		size += (size_t)snprintf(
			text + size, sizeof(text) - size, "%s%s %d %g-%g", i ? ", " : "",
			words[stretch->work],
			stretch->thread == WALK_NONE
				? -1
				: (int)run->threads[stretch->thread].number,
			stretch->begin_ns, stretch->end_ns);
	}
	return text;
}

/* Lane number so waits for what lane number holder has. */
#define STALL(number, holder, begin, end)                                                \
	.lane = (number), .holder_lane = (holder), .begin_ns = (begin), .end_ns = (end)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void expect_walk(struct walk_run *run, const char *wanted)
{
	struct walk walk;
	double sum = 0;

	walk_find(run, &walk);
	assert_string_equal(told(run, &walk), wanted);
	for (size_t i = 0; i < walk.count; i++)
		sum += walk.stretches[i].end_ns - walk.stretches[i].begin_ns;
	if (!walk.window_count)
		assert_true(sum == run->end_ns - run->begin_ns);
}

static struct walk_run run_of(struct walk_thread *threads, size_t thread_count,
			      struct walk_stall *stalls, size_t stall_count)
{
	for (size_t i = 0; i < thread_count; i++)
		threads[i].number = (uint32_t)i;
	for (size_t i = 0; i < stall_count; i++)
		stalls[i].number = (uint32_t)i;
	return (struct walk_run){.threads = threads,
				 .thread_count = thread_count,
				 .stalls = stalls,
				 .stall_count = stall_count,
				 .last_lane = 0,
				 .begin_ns = 0,
				 .end_ns = 100};
}

TEST(waits_lead_to_whom_they_were_for)
{
	struct {
		struct walk_thread threads[3];
		struct walk_stall stalls[3];
		const char *wanted;
	} cases[] = {
		/* The thread that is joined first has ended long before the other one. */
		{{{0, 0, 0, 100}, {1, 0, 10, 40}, {2, 0, 11, 90}},
		 {{STALL(0, 1, 12, 41), .kind = WALK_JOIN},
		  {STALL(0, 2, 41, 92), .kind = WALK_JOIN}},
		 "own 0 92-100, woken 0 90-92, own 2 11-90, own 0 0-11"},
		/* Who ended is not known by its lane: it is the one that ended last. */
		{{{0, 0, 0, 100}, {1, 0, 10, 40}, {2, 0, 11, 90}},
		 {{STALL(0, WALK_NONE, 41, 92), .kind = WALK_JOIN}},
		 "own 0 92-100, woken 0 90-92, own 2 11-90, own 0 0-11"},
		/* A lane that another thread has when the join is over. */
		{{{0, 0, 0, 100}, {1, 0, 10, 40}, {1, 0, 41, 60}},
		 {{STALL(0, 1, 20, 50), .kind = WALK_JOIN}},
		 "own 0 50-100, woken 0 40-50, own 1 10-40, own 0 0-10"},
		/* Lane 2 had the lock as lane 0 began to wait; lane 1 got it before. */
		{{{0, 0, 0, 100}, {1, 0, 0, 100}, {2, 0, 0, 100}},
		 {{STALL(0, 2, 20, 80), .lock_id = 7},
		  {STALL(1, 2, 10, 50), .lock_id = 7},
		  {STALL(2, 1, 52, 55), .lock_id = 8}},
		 "own 0 80-100, held 1 50-80, held 2 10-50, own 2 0-10"},
		/* Who ended the wait waits itself, since before: nobody is named. */
		{{{0, 0, 0, 100}, {1, 0, 0, 100}},
		 {{STALL(0, 1, 20, 30), .kind = WALK_SIGNAL},
		  {STALL(1, 0, 10, 90), .kind = WALK_SIGNAL},
		  {STALL(0, WALK_NONE, 50, 60), .kind = WALK_SIGNAL}},
		 "own 0 60-100, waited 0 50-60, own 0 30-50, waited 0 20-30, "
		 "own 0 0-20"},
		/* One signals and waits at once: whoever is woken is so after that. */
		{{{0, 0, 0, 100}, {1, 0, 5, 95}},
		 {{STALL(0, 1, 20, 60), .kind = WALK_SIGNAL},
		  {STALL(1, 0, 8, 22), .kind = WALK_SIGNAL},
		  {STALL(1, 0, 58, 90), .kind = WALK_SIGNAL}},
		 "own 0 60-100, woken 0 58-60, own 1 22-58, woken 1 20-22, "
		 "own 0 0-20"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t threads = 0, stalls = 0;
		struct walk_run run;

		while (threads < 3 && cases[i].threads[threads].end_ns > 0)
			threads++;
		while (stalls < 3 && cases[i].stalls[stalls].end_ns > 0)
			stalls++;
		run = run_of(cases[i].threads, threads, cases[i].stalls, stalls);
		expect_walk(&run, cases[i].wanted);
	}
}

/* Lane 1 sleeps with the lock that lane 0 waits for, and then works with it. */
TEST(naps)
{
	struct walk_thread threads[] = {{0, 0, 0, 100}, {1, 0, 0, 100}};
	struct walk_stall stalls[] = {{STALL(0, 1, 20, 80), .lock_id = 7},
				      {STALL(1, WALK_NONE, 10, 60), .kind = WALK_NAP}};
	struct walk_run run = run_of(threads, 2, stalls, COUNT(stalls));
	struct shares_work work[] = {{0, 5, 40}, {1, 6, 50}};
	struct shares_stall of_stalls[] = {{9, 6}, {8, WALK_NONE}};
	double lane_ns[] = {40, 50};
	struct walk walk;
	struct shares shares;
	struct shares_input input = {&run,	&walk,	 work, COUNT(work),
				     of_stalls, lane_ns, 2};

	walk_find(&run, &walk);
	assert_string_equal(told(&run, &walk),
			    "own 0 80-100, held 1 60-80, waited 1 10-60, own 1 0-10");
	shares_find(&input, &shares);
	for (size_t i = 0; i < shares.count; i++)
		assert_true(fabs(shares.all[i].slept_ns -
				 (shares.all[i].path == 8 ? 50 : 0)) < 1e-9);
	/* the same lock is still held before the nap */
	stalls[1].begin_ns = 30;
	run = run_of(threads, 2, stalls, COUNT(stalls));
	expect_walk(&run, "own 0 80-100, held 1 60-80, waited 1 30-60, held 1 20-30, "
			  "own 1 0-20");
}

/* Nobody is left to have made the thread that ended the run; times that do not fit. */
TEST(broken)
{
	struct walk_thread threads[] = {{0, 0, 30, 100}};
	struct walk_stall stalls[] = {{STALL(0, 9, 60, 900), .kind = WALK_JOIN},
				      {STALL(5, 0, 60, 70), .kind = WALK_JOIN}};
	struct walk_run run = run_of(threads, 1, stalls, COUNT(stalls));
	struct walk_run none = run_of(NULL, 0, NULL, 0);

	expect_walk(&run, "waited 0 60-100, own 0 30-60, before -1 0-30");
	expect_walk(&none, "before -1 0-100");
}

/* Each window by itself: in the middle of a wait it is the other one's. */
TEST(windows)
{
	struct walk_thread threads[] = {{0, 0, 0, 100}, {1, 0, 5, 95}};
	struct walk_stall stalls[] = {{STALL(0, 1, 10, 95), .kind = WALK_JOIN}};
	struct walk_run run = run_of(threads, 2, stalls, 1);

	run.windows = (struct walk_windows){-16, 10, 26};
	expect_walk(&run, "own 0 95-98, own 1 88-95, own 1 62-72, own 1 36-46, "
			  "own 1 10-20");
}

/* Who made the thread that the walk leaves: the first thread waits, or does not. */
TEST(makers)
{
	struct walk_thread one[] = {{0, 0, 0, 100e6}, {1, 0, 50e6, 100e6}};
	struct walk_thread many[] = {{0, 0, 0, 100e6},
				     {1, 0, 50e6, 100e6},
				     {2, 0, 0, 100e6},
				     {3, 0, 0, 100e6}};
	struct walk_stall waiting[] = {{STALL(0, 1, 10e6, 90e6), .kind = WALK_JOIN}};
	struct walk_run run = run_of(one, 2, waiting, 1);
	struct walk walk;

	run.end_ns = 100e6;
	walk_find(&run, &walk);
	/* there was nobody else, however long it had waited */
	assert_string_equal(told(&run, &walk), "own 0 9e+07-1e+08, own 1 5e+07-9e+07, "
					       "begun 1 1e+07-5e+07, own 0 0-1e+07");
	assert_int_equal(walk.guessed_count, 0);
	run = run_of(many, 4, waiting, 1);
	run.end_ns = 100e6;
	walk_find(&run, &walk);
	assert_string_equal(told(&run, &walk),
			    "own 0 9e+07-1e+08, own 1 5e+07-9e+07, own 2 0-5e+07");
	assert_int_equal(walk.guessed_count, 1);
	/* at work, the first thread is believed to have done it */
	run = run_of(many, 4, NULL, 0);
	run.end_ns = 100e6;
	run.last_lane = 1;
	walk_find(&run, &walk);
	assert_string_equal(told(&run, &walk), "own 1 5e+07-1e+08, own 0 0-5e+07");
	assert_int_equal(walk.guessed_count, 0);
}

/* What no shim writes: no number of windows keeps the walk, and none is made up. */
TEST(hostile_windows)
{
	static const struct walk_windows all[] = {
		{0, 1, 1e-300},	 {-INFINITY, 1, 2}, {INFINITY, 1, 2}, {0, 1, INFINITY},
		{NAN, NAN, NAN}, {0, -1, 3},	    {0, 2, 1},	      {1e300, 1, 2}};
	struct walk_thread threads[] = {{0, 0, 0, 100}};
	struct walk_run run = run_of(threads, 1, NULL, 0);
	struct walk walk;

	for (size_t i = 0; i < COUNT(all); i++) {
		run.windows = all[i];
		expect_walk(&run, "own 0 0-100");
	}
	run.windows = (struct walk_windows){0, 1e-9, 1e-9};
	walk_find(&run, &walk);
	assert_true(walk.window_count > 900000 && walk.window_count < 1100000);
}

/* Two thirds of a lane lie on the path: so much has each of its paths, or half or all. */
TEST(halves)
{
	struct walk_thread threads[] = {{0, 0, 0, 100}, {1, 0, 20, 80}};
	struct walk_stall stalls[] = {{STALL(0, 1, 40, 60), .kind = WALK_SIGNAL}};
	struct walk_run run = run_of(threads, 2, stalls, 1);
	struct walk walk;
	struct shares shares;
	struct shares_work work[] = {{0, 5, 80}, {1, 6, 30}, {1, 7, 30}};
	struct shares_stall of_stalls[] = {{9, 6}};
	double lane_ns[] = {80, 60};
	struct shares_input input = {&run,	&walk,	 work, COUNT(work),
				     of_stalls, lane_ns, 2};
	const double wanted[][3] = {
		[5] = {60, 60, 60}, [6] = {20, 10, 30}, [7] = {20, 10, 30}};

	walk_find(&run, &walk);
	assert_string_equal(told(&run, &walk), "own 0 60-100, own 1 20-60, own 0 0-20");
	shares_find(&input, &shares);
	assert_int_equal(shares.count, 3);
	for (size_t i = 0; i < shares.count; i++) {
		const struct share *share = &shares.all[i];

		assert_true(fabs(share->own_ns - wanted[share->path][0]) < 1e-9);
		assert_true(fabs(share->least_ns - wanted[share->path][1]) < 1e-9);
		assert_true(fabs(share->most_ns - wanted[share->path][2]) < 1e-9);
	}
}

/* The same with a lock that was held on one of the two paths. */
TEST(held)
{
	struct walk_thread threads[] = {{0, 0, 0, 100}, {1, 0, 0, 100}};
	struct walk_stall stalls[] = {{STALL(0, 1, 40, 60), .lock_id = 3}};
	struct walk_run run = run_of(threads, 2, stalls, 1);
	struct walk walk;
	struct shares shares;
	struct shares_work work[] = {{0, 5, 80}, {1, 6, 50}, {1, 7, 50}};
	struct shares_stall of_stalls[] = {{9, 6}};
	double lane_ns[] = {80, 100};
	struct shares_input input = {&run,	&walk,	 work, COUNT(work),
				     of_stalls, lane_ns, 2};

	walk_find(&run, &walk);
	assert_string_equal(told(&run, &walk), "own 0 60-100, held 1 40-60, own 1 0-40");
	shares_find(&input, &shares);
	for (size_t i = 0; i < shares.count; i++) {
		const struct share *share = &shares.all[i];

		/* 20 held, and 40 in the proportion of 30 and 50 */
		if (share->path == 6)
			assert_true(fabs(share->own_ns - 35) < 1e-9);
		if (share->path == 7)
			assert_true(fabs(share->own_ns - 25) < 1e-9);
	}
}

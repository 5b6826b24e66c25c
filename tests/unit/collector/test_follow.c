/* SPDX-License-Identifier: MIT */
/* A run that is followed: what each look gained, and what a hostile spool cannot do. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/follow/follow.h"
#include "make_segment.h"

#define MAIN 0x1000
#define WORK 0x2000
#define LEAF 0x3000

struct scene {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	struct make_lane lane;
	struct follow *follow;
};

/* The run's clock is of this boot, and the process is nobody we could see. */
static void set_the_scene(struct scene *scene)
{
	int boot = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
	uint32_t slot;

	make_run(&scene->run, MAKE_TOKEN);
	memset(scene->run.page->boot_id, 0, sizeof(scene->run.page->boot_id));
	assert_true(boot >= 0);
	assert_int_equal(read(boot, scene->run.page->boot_id, 36), 36);
	close(boot);
	make_file(&scene->file, &scene->run, "1-1");
	scene->process = make_process(&scene->file, 1234, MAKE_START, 0, &slot);
	make_lane(&scene->lane, &scene->file, scene->process, slot);
}

static void begin(struct scene *scene)
{
	char error[256] = "";

	assert_int_equal(follow_open_run(&scene->follow, scene->run.directory, error,
					 sizeof(error)),
			 0);
	assert_int_equal(follow_look(scene->follow), 0);
}

static void end(struct scene *scene)
{
	follow_close(scene->follow);
	make_file_free(&scene->file);
	make_run_free(&scene->run);
}

/* The path of a function, which has one. */
static uint32_t path_of(const struct follow *follow, const char *name)
{
	for (uint32_t i = 1; i < follow->paths.count; i++) {
		const struct merge_path *path = &follow->merge.paths[i];

		if (strstr(follow->merge.identify.functions[path->function].name, name))
			return i;
	}
	fail_msg("there is no path of %s", name);
	return 0;
}

static int64_t gained(const struct follow *follow, const char *name,
		      enum follow_path_number number)
{
	return ledger_get(&follow->paths, path_of(follow, name), number, LEDGER_LOOK);
}

static void a_look_tells_what_was_gained(void **state)
{
	struct scene scene;
	uint32_t main, work, leaf;

	(void)state;
	set_the_scene(&scene);
	main = make_call(&scene.lane, 1, MAIN, 1, 1000);
	work = make_call(&scene.lane, main, WORK, 10, 600);
	begin(&scene);
	assert_int_equal(gained(scene.follow, "0x1000", FOLLOW_CALLS), 0);
	assert_int_equal(ledger_get(&scene.follow->paths, path_of(scene.follow, "0x1000"),
				    FOLLOW_SELF_TICKS, LEDGER_ALL),
			 400);
	leaf = make_call(&scene.lane, work, LEAF, 3, 30);
	scene.lane.nodes[work].call_count += 2;
	scene.lane.nodes[work].total_ticks += 100;
	assert_int_equal(follow_look(scene.follow), 0);
	assert_int_equal(gained(scene.follow, "0x3000", FOLLOW_CALLS), 3);
	assert_int_equal(gained(scene.follow, "0x2000", FOLLOW_CALLS), 2);
	assert_int_equal(gained(scene.follow, "0x2000", FOLLOW_SELF_TICKS), 70);
	assert_int_equal(gained(scene.follow, "0x2000", FOLLOW_CHILD_CALLS), 3);
	assert_int_equal(gained(scene.follow, "0x1000", FOLLOW_SELF_TICKS), -100);
	/* nothing falls, and nothing is told twice */
	scene.lane.nodes[leaf].call_count = 1;
	assert_int_equal(follow_look(scene.follow), 0);
	assert_int_equal(gained(scene.follow, "0x3000", FOLLOW_CALLS), 0);
	scene.lane.nodes[leaf].call_count = 5;
	assert_int_equal(follow_look(scene.follow), 0);
	assert_int_equal(gained(scene.follow, "0x3000", FOLLOW_CALLS), 2);
	end(&scene);
}

static void zero_is_where_it_is_set(void **state)
{
	struct scene scene;
	uint32_t main, path;

	(void)state;
	set_the_scene(&scene);
	main = make_call(&scene.lane, 1, MAIN, 7, 1000);
	begin(&scene);
	path = path_of(scene.follow, "0x1000");
	scene.lane.nodes[main].call_count = 9;
	follow_look(scene.follow);
	assert_int_equal(
		ledger_get(&scene.follow->paths, path, FOLLOW_CALLS, LEDGER_ZERO), 2);
	follow_set_zero(scene.follow);
	scene.lane.nodes[main].call_count = 12;
	follow_look(scene.follow);
	follow_look(scene.follow);
	assert_int_equal(
		ledger_get(&scene.follow->paths, path, FOLLOW_CALLS, LEDGER_ZERO), 3);
	assert_int_equal(
		ledger_get(&scene.follow->paths, path, FOLLOW_CALLS, LEDGER_LOOK), 0);
	end(&scene);
}

static void open_calls_count_up_to_now(void **state)
{
	struct scene scene;
	uint32_t main;
	int64_t first, second;

	(void)state;
	set_the_scene(&scene);
	main = make_call(&scene.lane, 1, MAIN, 1, 0);
	make_frame(&scene.lane, main, MAKE_START);
	begin(&scene);
	follow_look(scene.follow);
	first = ledger_get(&scene.follow->paths, 1, FOLLOW_SELF_TICKS, LEDGER_ALL);
	assert_true(first > 0);
	assert_true(gained(scene.follow, "0x1000", FOLLOW_SELF_TICKS) > 0);
	/* it ends with less than was told: nothing is added, nor taken back */
	scene.lane.lane->frames.count = 0;
	scene.lane.nodes[main].total_ticks = (uint64_t)first - 1;
	follow_look(scene.follow);
	second = ledger_get(&scene.follow->paths, 1, FOLLOW_SELF_TICKS, LEDGER_ALL);
	assert_int_equal(first, second);
	end(&scene);
}

static void counted_calls_are_of_functions(void **state)
{
	struct scene scene;
	uint32_t number, leaf;

	(void)state;
	set_the_scene(&scene);
	leaf = make_call(&scene.lane, make_call(&scene.lane, 1, MAIN, 1, 1000), LEAF, 4,
			 80);
	number = make_mode(scene.process, LEAF, SEGMENT_RECORDING_COUNTED);
	make_count(&scene.lane, number, 100);
	begin(&scene);
	make_count(&scene.lane, number, 150);
	follow_look(scene.follow);
	assert_true(leaf > 0);
	leaf = scene.follow->merge.paths[path_of(scene.follow, "0x3000")].function;
	assert_int_equal(ledger_get(&scene.follow->functions, leaf, FOLLOW_COUNTED_CALLS,
				    LEDGER_ALL),
			 150);
	assert_int_equal(scene.follow->recordings[leaf], SEGMENT_RECORDING_COUNTED);
	end(&scene);
}

static void sites_have_what_they_gained(void **state)
{
	struct scene scene;
	struct segment_site *site;

	(void)state;
	set_the_scene(&scene);
	site = make_site(scene.process, &scene.lane,
			 make_call(&scene.lane, 1, MAIN, 1, 1000), 5, 500, 1, 100);
	begin(&scene);
	site->alloc_count = 8;
	site->alloc_bytes = 900;
	site->free_count = 3;
	follow_look(scene.follow);
	assert_int_equal(scene.follow->sites.count, 1);
	assert_int_equal(
		ledger_get(&scene.follow->sites, 0, FOLLOW_SITE_ALLOCS, LEDGER_LOOK), 3);
	assert_int_equal(
		ledger_get(&scene.follow->sites, 0, FOLLOW_SITE_BYTES, LEDGER_LOOK), 400);
	assert_int_equal(
		ledger_get(&scene.follow->sites, 0, FOLLOW_SITE_FREES, LEDGER_LOOK), 2);
	assert_int_equal(
		ledger_get(&scene.follow->sites, 0, FOLLOW_SITE_FREED_BYTES, LEDGER_ALL),
		100);
	end(&scene);
}

/* A number that grows from look to look, whatever bits it has. */
static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 11;
}

static void damage(struct scene *scene, uint64_t *seed)
{
	uint64_t *words[] = {(uint64_t *)scene->lane.lane, (uint64_t *)scene->process,
			     (uint64_t *)scene->lane.nodes,
			     (uint64_t *)scene->lane.frames};
	static const size_t sizes[] = {sizeof(struct segment_lane), 1200, 4096, 400};
	size_t which = next(seed) % 4;
	uint64_t value = next(seed);

	if (value % 3 == 0)
		value = ~0ull;
	else if (value % 3 == 1)
		value %= 100;
	words[which][next(seed) % (sizes[which] / 8)] = value;
	/* else it is left alone at once */
	scene->lane.lane->magic = SEGMENT_MAGIC_LANE;
	scene->process->magic = SEGMENT_MAGIC_PROCESS;
}

static void damage_harms_nobody(void **state)
{
	uint64_t seed = 20261123;

	(void)state;
	for (int turn = 0; turn < 30; turn++) {
		struct scene scene;

		set_the_scene(&scene);
		make_call(&scene.lane, make_call(&scene.lane, 1, MAIN, 1, 1000), LEAF, 4,
			  80);
		make_site(scene.process, &scene.lane, 2, 5, 500, 1, 100);
		make_frame(&scene.lane, 2, MAKE_START);
		begin(&scene);
		for (int i = 0; i < 40; i++) {
			damage(&scene, &seed);
			assert_int_equal(follow_look(scene.follow), 0);
		}
		end(&scene);
	}
}

static void a_cut_file_harms_nobody(void **state)
{
	struct scene scene;
	char path[512];

	(void)state;
	set_the_scene(&scene);
	make_call(&scene.lane, 1, MAIN, 7, 1000);
	begin(&scene);
	snprintf(path, sizeof(path), "%s/1-1.segment", scene.run.directory);
	assert_int_equal(truncate(path, 4096), 0);
	assert_int_equal(follow_look(scene.follow), 0);
	assert_int_equal(ledger_get(&scene.follow->paths, 1, FOLLOW_CALLS, LEDGER_ALL),
			 7);
	assert_true(follow_has_ended(scene.follow));
	assert_int_equal(truncate(path, (off_t)(MAKE_SLOT_BYTES * MAKE_SLOTS)), 0);
	end(&scene);
}

static void foreign_directories_are_left_alone(void **state)
{
	struct follow *follow;
	char error[256] = "";

	(void)state;
	assert_true(follow_open_run(&follow, "/nonexistent/run.db-spool/0123456789abcdef",
				    error, sizeof(error)) < 0);
	assert_true(*error);
	*error = 0;
	assert_true(follow_open_process(&follow, (int)getpid(), error, sizeof(error)) <
		    0);
	assert_non_null(strstr(error, "is not being recorded"));
}

static void sums_end_where_numbers_do(void **state)
{
	struct ledger ledger = {.width = 2};

	(void)state;
	ledger_grow(&ledger, 3);
	ledger_begin(&ledger, 5);
	ledger_add(&ledger, 2, 1, INT64_MAX);
	ledger_add(&ledger, 2, 1, 5);
	assert_true(ledger_get(&ledger, 2, 1, LEDGER_ALL) == INT64_MAX);
	assert_int_equal(ledger.touched_count, 1);
	ledger_begin(&ledger, 9);
	assert_int_equal(ledger.touched_count, 0);
	assert_int_equal(ledger_get(&ledger, 2, 1, LEDGER_LOOK), 0);
	assert_int_equal(ledger_span_ns(&ledger, LEDGER_LOOK), 4);
	ledger_grow(&ledger, 1000);
	assert_true(ledger_get(&ledger, 2, 1, LEDGER_ALL) == INT64_MAX);
	assert_int_equal(ledger_get(&ledger, 999, 0, LEDGER_ALL), 0);
	for (uint64_t look = 10; look < 13; look++) {
		ledger_begin(&ledger, look);
		for (uint32_t row = 0; look < 12 && row < 1000; row++)
			ledger_add(&ledger, row, 0, row % 2 ? INT64_MAX - 3 : row);
	}
	assert_true(ledger_get(&ledger, 999, 0, LEDGER_ALL) == INT64_MAX);
	assert_int_equal(ledger_get(&ledger, 998, 0, LEDGER_ALL), 2 * 998);
	ledger_done(&ledger);
}

/* With few and with many rows at a look, which are settled in different ways. */
static void columns_are_what_rows_are(void **state)
{
	static const enum ledger_since all[] = {LEDGER_ALL, LEDGER_LOOK, LEDGER_ZERO};
	struct ledger ledger = {.width = 3};

	(void)state;
	ledger_grow(&ledger, 100);
	for (uint64_t look = 1; look < 12; look++) {
		ledger_begin(&ledger, look);
		for (uint32_t row = 0; row < 100; row += look % 3 ? 1 : 50)
			ledger_add(&ledger, row, 0, (int64_t)look * row);
		ledger_add(&ledger, 7, 1, look == 1 ? INT64_MAX : -1);
		if (look == 5)
			ledger_set_zero(&ledger);
		for (size_t at = 0; at < 3 * 3 * 100; at++) {
			enum ledger_since since = all[at / 300];
			struct ledger_column column =
				ledger_column(&ledger, at / 100 % 3, since);

			assert_int_equal(
				ledger_column_get(&column, at % 100),
				ledger_get(&ledger, at % 100, at / 100 % 3, since));
		}
	}
	/* 1 + 2 + 4 + 5 + 7 + 8 + 10 + 11 */
	assert_int_equal(ledger_get(&ledger, 99, 0, LEDGER_ALL), 48 * 99);
	assert_int_equal(ledger_get(&ledger, 99, 0, LEDGER_ZERO), 36 * 99);
	assert_int_equal(ledger_get(&ledger, 99, 2, LEDGER_ALL), 0);
	ledger_done(&ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_look_tells_what_was_gained),
		cmocka_unit_test(zero_is_where_it_is_set),
		cmocka_unit_test(open_calls_count_up_to_now),
		cmocka_unit_test(counted_calls_are_of_functions),
		cmocka_unit_test(sites_have_what_they_gained),
		cmocka_unit_test(damage_harms_nobody),
		cmocka_unit_test(a_cut_file_harms_nobody),
		cmocka_unit_test(foreign_directories_are_left_alone),
		cmocka_unit_test(sums_end_where_numbers_do),
		cmocka_unit_test(columns_are_what_rows_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

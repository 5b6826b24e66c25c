/* SPDX-License-Identifier: MIT */
/*
 * What this is:  nodes that are reached by levels without frames: their paths, the sums
 * of times, and arrivals that no recorder makes. Runs on:       tests. See also:
 * common/segment_tree.h, collector/merge/place.c
 *
 * All numbers are computed by hand from what the comments say.
 */
#include <sqlite3.h>

#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

#define CHAINS                                                                           \
	"WITH RECURSIVE chain(path_id, names, calls, raw, recording) AS (SELECT "        \
	"path_id, SUBSTR(name, 1, 6), calls, raw_self_ns, recording FROM call_paths "    \
	"WHERE parent_path_id IS NULL UNION ALL SELECT c.path_id, names || '>' || "      \
	"SUBSTR(c.name, 3, 4), c.calls, c.raw_self_ns, c.recording FROM call_paths c "   \
	"JOIN chain ON c.parent_path_id = chain.path_id) SELECT names, calls, raw, "     \
	"recording FROM chain ORDER BY names"

#define SUM "SELECT TOTAL(raw_self_ns) FROM call_paths"

struct scene {
	struct check_one f;
	uint32_t main;
};

/* 0x2000 and 0x3000 have calls that were only counted. */
static void set_the_scene(struct scene *scene)
{
	struct check_one *f = &scene->f;

	check_begin(f);
	scene->main = make_call(&f->lane, 1, 0x1000, 1, 100000);
	make_count(&f->lane, make_mode(f->process, 0x2000, SEGMENT_RECORDING_COUNTED),
		   50);
	make_count(&f->lane, make_mode(f->process, 0x3000, SEGMENT_RECORDING_COUNTED),
		   60);
}

static void damaged(struct scene *scene, const char *count, const char *chains)
{
	struct sqlite3 *db = check_ingest(&scene->f.run, NULL);

	check_rows(db, "SELECT TOTAL(value) FROM trust WHERE name = 'damaged_segments'",
		   count);
	check_rows(db, CHAINS, chains);
	check_rows(db, SUM, "100000.0");
	check_end(&scene->f, db);
}

TEST(a_path_has_its_levels)
{
	struct scene scene;
	struct sqlite3 *db;
	uint32_t level;

	set_the_scene(&scene);
	level = make_level(&scene.f.lane, scene.main, 0x2000);
	level = make_level(&scene.f.lane, level, 0x3000);
	make_detour(&scene.f.lane, scene.main, level, 0x4000, 10, 1000);
	db = check_ingest(&scene.f.run, NULL);
	check_rows(db, CHAINS,
		   "0x1000|1|99000|exact;0x1000>2000|50|0|counted;"
		   "0x1000>2000>3000|60|0|counted;0x1000>2000>3000>4000|10|1000|exact");
	check_rows(db, SUM, "100000.0");
	check_rows(db, "SELECT TOTAL(value) FROM trust WHERE name = 'damaged_segments'",
		   "0.0");
	check_end(&scene.f, db);
}

/* Who calls a function by different ways has a path for each; timed calls of the same way
 * are on the same path. */
TEST(ways_are_told_apart)
{
	struct scene scene;
	struct sqlite3 *db;
	uint32_t one, other, timed;

	set_the_scene(&scene);
	make_call(&scene.f.lane, scene.main, 0x4000, 1, 100);
	one = make_level(&scene.f.lane, scene.main, 0x2000);
	other = make_level(&scene.f.lane, scene.main, 0x3000);
	make_detour(&scene.f.lane, scene.main, one, 0x4000, 2, 200);
	make_detour(&scene.f.lane, scene.main, other, 0x4000, 3, 300);
	timed = make_call(&scene.f.lane, scene.main, 0x3000, 4, 4000);
	make_call(&scene.f.lane, timed, 0x4000, 5, 500);
	db = check_ingest(&scene.f.run, NULL);
	check_rows(db, CHAINS,
		   "0x1000|1|95400|exact;0x1000>2000|50|0|counted;"
		   "0x1000>2000>4000|2|200|exact;0x1000>3000|64|3500|counted;"
		   "0x1000>3000>4000|8|800|exact;0x1000>4000|1|100|exact");
	check_rows(db, SUM, "100000.0");
	check_end(&scene.f, db);
}

/* One path has 4 timed calls, another is a level without any, which stands for one: of 60
 * calls that were counted it has 60 * 1 / 5. */
TEST(counted_calls_are_divided)
{
	struct scene scene;
	struct sqlite3 *db;
	uint32_t level;

	set_the_scene(&scene);
	make_call(&scene.f.lane, make_call(&scene.f.lane, scene.main, 0x5000, 1, 5000),
		  0x3000, 4, 4000);
	level = make_level(&scene.f.lane, scene.main, 0x3000);
	make_detour(&scene.f.lane, scene.main, level, 0x4000, 10, 1000);
	db = check_ingest(&scene.f.run, NULL);
	check_rows(db,
		   "SELECT p.name, c.calls FROM call_paths c JOIN call_paths p ON "
		   "p.path_id = c.parent_path_id WHERE c.name LIKE '0x3000%' ORDER BY 1",
		   "0x1000 (unknown module)|12;0x5000 (unknown module)|52");
	check_rows(db, SUM, "100000.0");
	check_end(&scene.f, db);
}

/* The outer part of the hooks is in main, around the level: 99000 - 10 * 20 there, and
 * 1000 - 10 * 10 in the function itself. The level's 50 calls, which nobody timed, have
 * no time. */
TEST(hooks_cost_the_owner)
{
	struct scene scene;
	struct sqlite3 *db;
	uint32_t level;

	set_the_scene(&scene);
	scene.f.run.page->inner_cost_ticks = 10;
	scene.f.run.page->outer_cost_ticks = 20;
	level = make_level(&scene.f.lane, scene.main, 0x2000);
	make_detour(&scene.f.lane, scene.main, level, 0x4000, 10, 1000);
	db = check_ingest(&scene.f.run, NULL);
	check_rows(db,
		   "SELECT SUBSTR(name, 1, 6), self_ns FROM call_paths WHERE calls > 0 "
		   "AND name NOT LIKE '0x3%' ORDER BY name",
		   "0x1000|98790;0x2000|0;0x4000|900");
	check_end(&scene.f, db);
}

/* A level of the same function twice is recursion, whose inner call is the caller; one of
 * a function that has frames is none. */
TEST(only_counted_functions_once)
{
	struct scene scene;
	struct sqlite3 *db;
	uint32_t level;

	set_the_scene(&scene);
	make_call(&scene.f.lane, scene.main, 0x6000, 1, 1);
	level = make_level(&scene.f.lane, scene.main, 0x2000);
	level = make_level(&scene.f.lane, level, 0x6000);
	level = make_level(&scene.f.lane, level, 0x7000);
	level = make_level(&scene.f.lane, level, 0x3000);
	level = make_level(&scene.f.lane, level, 0x2000);
	make_detour(&scene.f.lane, scene.main, level, 0x4000, 10, 1000);
	db = check_ingest(&scene.f.run, NULL);
	check_rows(db,
		   "SELECT COUNT(*) FROM call_paths c JOIN call_paths p ON p.path_id = "
		   "c.parent_path_id JOIN call_paths q ON q.path_id = p.parent_path_id "
		   "WHERE c.name LIKE '0x4%' AND p.name LIKE '0x2%' AND q.name LIKE "
		   "'0x3%'",
		   "1");
	check_rows(db, "SELECT COUNT(*) FROM call_paths", "6");
	check_end(&scene.f, db);
}

/* The level stays, with nothing below it. */
#define PLAIN                                                                            \
	"0x1000|1|99000|exact;0x1000>2000|0|0|counted;0x1000>4000|10|1000|exact;"        \
	"0x2000|50|0|counted;0x3000|60|0|counted"

/* What the level leads to is not a node, a level, of another parent, another function,
 * one without the flag, or has another way already. */
TEST(arrivals_are_checked)
{
	static const uint64_t wrong[] = {0, 1, 2, 3, 1u << 30, UINT64_MAX};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]) + 4; i++) {
		struct scene scene;
		uint32_t level, node;

		set_the_scene(&scene);
		level = make_level(&scene.f.lane, scene.main, 0x2000);
		node = make_detour(&scene.f.lane, scene.main, level, 0x4000, 10, 1000);
		if (i < 6)
			scene.f.lane.nodes[node - 1].call_count = wrong[i];
		else if (i == 6)
			scene.f.lane.nodes[level].parent = 1;
		else if (i == 7)
			scene.f.lane.nodes[node - 1].key += 8;
		else if (i == 8)
			scene.f.lane.nodes[node].unfinished = 0;
		else
			scene.f.lane.nodes[level].parent = node;
		if (i == 0) /* it leads nowhere yet */
			damaged(&scene, "0.0", PLAIN);
		else if (i == 6)
			damaged(&scene, "1.0",
				"0x1000|1|99000|exact;0x1000>4000|10|1000|exact;"
				"0x2000|50|0|counted;0x3000|60|0|counted");
		else if (i == 9) /* the level and the arrival have no place */
			damaged(&scene, "2.0",
				"0x1000|1|99000|exact;0x1000>4000|10|1000|exact;"
				"0x2000|50|0|counted;0x3000|60|0|counted");
		else
			damaged(&scene, "1.0", PLAIN);
	}
}

TEST(the_first_way_counts)
{
	struct scene scene;
	uint32_t one, other, node;

	set_the_scene(&scene);
	one = make_level(&scene.f.lane, scene.main, 0x2000);
	other = make_level(&scene.f.lane, scene.main, 0x3000);
	make_level(&scene.f.lane, other, 0x4000 - 1);
	node = make_detour(&scene.f.lane, scene.main, one, 0x4000, 10, 1000);
	scene.f.lane.nodes[node - 2].call_count = node;
	damaged(&scene, "1.0",
		"0x1000|1|99000|exact;0x1000>2000|0|0|counted;0x1000>3000|60|0|counted;"
		"0x1000>3000>4000|10|1000|exact;0x2000|50|0|counted");
}

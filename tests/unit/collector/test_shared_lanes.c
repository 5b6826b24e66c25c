/* SPDX-License-Identifier: MIT */
/*
 * What this is:  lanes of short processes that follow each other in one row.
 * Runs on:       tests.
 * See also:      collector/merge/shared_lanes.c
 */
#include <sqlite3.h>

#include "collector/merge/merge.h"
#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

#define SHORT_TICKS 1000u
#define PROCESSES 20u

struct image {
	struct make_file file;
	struct segment_process *process;
};

/* main() calls two functions; begin: after the start of the run. */
static void make_image(struct image *image, const struct make_run *run, int pid,
		       const char *program, uint64_t begin, uint64_t ticks)
{
	struct make_lane lane;
	uint32_t slot, node;
	char name[32];

	snprintf(name, sizeof(name), "%d-1", pid);
	make_file(&image->file, run, name);
	image->process = make_process(&image->file, pid, MAKE_START + begin,
				      MAKE_START + begin + ticks, &slot);
	snprintf(image->process->executable, sizeof(image->process->executable), "%s",
		 program);
	make_lane(&lane, &image->file, image->process, slot);
	node = make_call(&lane, 1, 0x1000, 1, ticks / 2);
	make_call(&lane, node, 0x2000, 3, ticks / 4);
	make_site(image->process, &lane, node, 2, 20, 0, 0);
}

/* One after the other, but for every fourth: it begins while the one before it lives. */
static void make_images(struct image *images, const struct make_run *run)
{
	for (uint32_t i = 0; i < PROCESSES; i++)
		make_image(&images[i], run, 100 + (int)i, "/bin/short",
			   i * SHORT_TICKS - (i % 4 == 3 ? SHORT_TICKS / 2 : 0),
			   SHORT_TICKS);
}

static void free_images(struct image *images, uint32_t count, struct make_run *run)
{
	for (uint32_t i = 0; i < count; i++)
		make_file_free(&images[i].file);
	make_run_free(run);
}

TEST(enough_room)
{
	const struct ingest_watch watch = {0};
	struct image images[PROCESSES];
	struct make_run run;
	struct sqlite3 *db;

	make_run(&run, MAKE_TOKEN);
	make_images(images, &run);
	db = check_ingest(&run, &watch);
	check_invariants(db);
	check_rows(db, "SELECT COUNT(*), COUNT(DISTINCT lane_id) FROM path_lane",
		   "40|20");
	check_rows(db, "SELECT value FROM trust WHERE name = 'shared_lanes'", "0");
	sqlite3_close(db);
	free_images(images, PROCESSES, &run);
}

/* Sums are as before, each thread has a lane, and no two of one lived at one time. */
TEST(shared)
{
	const struct ingest_watch watch = {.share_limit = 1};
	struct image images[PROCESSES];
	struct make_run run;
	struct sqlite3 *db;

	make_run(&run, MAKE_TOKEN);
	make_images(images, &run);
	db = check_ingest(&run, &watch);
	check_invariants(db);
	check_rows(db, "SELECT SUM(calls), SUM(self_ns), SUM(alloc_count) FROM path_lane",
		   "80|10000|40");
	check_rows(db, "SELECT COUNT(*) FROM process", "20");
	check_rows(db, "SELECT COUNT(*) FROM thread t JOIN lane USING (lane_id)", "20");
	check_rows(db,
		   "SELECT COUNT(*) FROM thread a JOIN thread b USING (lane_id) "
		   "WHERE a.thread_id < b.thread_id AND a.started_ns < b.started_ns + "
		   "b.wall_ns AND b.started_ns < a.started_ns + a.wall_ns",
		   "0");
	check_rows(db, "SELECT COUNT(*) FROM lane", "6");
	check_rows(db, "SELECT value FROM trust WHERE name = 'shared_lanes'", "14");
	sqlite3_close(db);
	free_images(images, PROCESSES, &run);
}

/* Who lived longest has a lane of its own, and so have other programs and ranks. */
TEST(own_lanes)
{
	const struct ingest_watch watch = {.share_limit = 1};
	struct image images[PROCESSES + 3];
	struct make_run run;
	struct sqlite3 *db;

	make_run(&run, MAKE_TOKEN);
	make_images(images, &run);
	make_image(&images[PROCESSES], &run, 200, "/bin/short", 50 * SHORT_TICKS,
		   2 * SHORT_TICKS);
	make_image(&images[PROCESSES + 1], &run, 201, "/bin/other", 60 * SHORT_TICKS,
		   SHORT_TICKS);
	make_image(&images[PROCESSES + 2], &run, 202, "/bin/short", 70 * SHORT_TICKS,
		   SHORT_TICKS);
	snprintf(images[PROCESSES + 2].process->job.name,
		 sizeof(images[PROCESSES + 2].process->job.name), "job");
	db = check_ingest(&run, &watch);
	check_invariants(db);
	check_rows(db,
		   "SELECT pid FROM process p WHERE pid >= 200 AND (SELECT COUNT(*) "
		   "FROM thread WHERE lane_id = (SELECT lane_id FROM thread WHERE "
		   "process_id = p.process_id)) = 1 ORDER BY pid",
		   "200;201;202");
	sqlite3_close(db);
	free_images(images, PROCESSES + 3, &run);
}

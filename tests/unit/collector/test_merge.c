/* SPDX-License-Identifier: MIT */
/*
 * What this is:  merging of lanes into paths, times, functions, edges and sites.
 * Runs on:       tests.
 * See also:      collector/merge/merge.h
 */
#include <dlfcn.h>
#include <link.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/account/account.h"
#include "collector/merge/place.h"
#include "collector/read/segment_file.h"
#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

static struct check_one f;
static struct sqlite3 *db;

static int begin(void **state)
{
	(void)state;
	check_begin(&f);
	return 0;
}

static int end(void **state)
{
	(void)state;
	check_end(&f, db);
	return 0;
}

TEST_WITH(nested_calls, begin, end)
{
	uint32_t outer, middle;

	outer = make_call(&f.lane, 1, 0x1000, 1, 9000);
	middle = make_call(&f.lane, outer, 0x2000, 3, 6000);
	make_call(&f.lane, middle, 0x3000, 30, 3000);
	make_call(&f.lane, outer, 0x3000, 10, 1000);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT depth, name, calls, total_ns, self_ns FROM call_paths "
		   "ORDER BY path_id",
		   "1|0x1000 (unknown module)|1|9000|2000;"
		   "2|0x2000 (unknown module)|3|6000|3000;"
		   "3|0x3000 (unknown module)|30|3000|3000;"
		   "2|0x3000 (unknown module)|10|1000|1000");
	check_rows(db,
		   "SELECT calls, total_ns, self_ns, min_ns, p50_ns, p99_ns, max_ns, "
		   "recording FROM functions WHERE name LIKE '0x3000%'",
		   "40|4000|4000|100|100|100|100|exact");
	check_rows(db,
		   "SELECT caller, callee, calls, total_ns FROM call_edges ORDER BY 1, 2",
		   "0x1000 (unknown module)|0x2000 (unknown module)|3|6000;"
		   "0x1000 (unknown module)|0x3000 (unknown module)|10|1000;"
		   "0x2000 (unknown module)|0x3000 (unknown module)|30|3000");
	check_rows(db, "SELECT value FROM trust WHERE name = 'hook_calls'", "44");
	check_rows(db, "SELECT value FROM trust WHERE name = 'unresolved_functions'",
		   "3");
	check_rows(db, "SELECT COUNT(*) FROM path_lane", "0");
}

/* f calls itself: its own time counts on every level, its total on the outermost. */
TEST_WITH(recursion, begin, end)
{
	uint32_t node;

	node = make_call(&f.lane, 1, 0x1000, 1, 4000);
	node = make_call(&f.lane, node, 0x1000, 2, 3000);
	node = make_call(&f.lane, node, 0x2000, 2, 2000); /* mutual */
	make_call(&f.lane, node, 0x1000, 4, 1000);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT calls, total_ns, self_ns FROM functions ORDER BY function_id",
		   "7|4000|3000;2|2000|1000");
	check_rows(db, "SELECT calls, total_ns FROM call_edges ORDER BY caller, callee",
		   "2|3000;2|2000;4|1000");
}

/* The edge f -> g occurs twice on one path: only the outer one counts. */
TEST_WITH(recursive_edge, begin, end)
{
	uint32_t node;

	node = make_call(&f.lane, 1, 0x1000, 1, 4000);
	node = make_call(&f.lane, node, 0x2000, 1, 3000);
	node = make_call(&f.lane, node, 0x1000, 1, 2000);
	make_call(&f.lane, node, 0x2000, 1, 1000);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT calls, total_ns FROM call_edges WHERE caller LIKE '0x1000%'",
		   "2|3000");
}

TEST_WITH(several_lanes, begin, end)
{
	struct make_lane second;
	uint32_t node;

	make_lane(&second, &f.file, f.process, f.process_slot);
	node = make_call(&f.lane, 1, 0x1000, 1, 5000);
	make_call(&f.lane, node, 0x2000, 5, 500);
	node = make_call(&second, 1, 0x1000, 2, 7000);
	make_call(&second, node, 0x2000, 1, 300);
	make_call(&second, node, 0x3000, 1, 900);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT calls, total_ns, self_ns FROM call_paths ORDER BY path_id",
		   "3|12000|10300;6|800|800;1|900|900");
	check_rows(db,
		   "SELECT path_id, lane_id, calls, total_ns, self_ns FROM path_lane "
		   "ORDER BY 1, 2",
		   "1|1|1|5000|4500;1|2|2|7000|5800;2|1|5|500|500;2|2|1|300|300;"
		   "3|2|1|900|900");
	check_rows(db, "SELECT tid, name, started_ns, wall_ns, lane_id FROM threads",
		   "101|worker|0|10000000|1;102|worker|0|10000000|2");
	check_rows(db, "SELECT min_ns, max_ns FROM functions WHERE name LIKE '0x2000%'",
		   "100|300");
}

/* A signal handler may have added the same child while it was being added. */
TEST_WITH(duplicate_siblings, begin, end)
{
	uint32_t first, second;

	first = make_call(&f.lane, 1, 0x1000, 1, 100);
	second = make_call(&f.lane, 1, 0x1000, 2, 200);
	make_call(&f.lane, first, 0x2000, 1, 10);
	make_call(&f.lane, second, 0x2000, 1, 20);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT depth, calls, total_ns FROM call_paths", "1|3|300;2|2|30");
}

/* Frames that are open when the process exits, end with it. */
TEST_WITH(open_frames, begin, end)
{
	uint32_t outer, inner;

	outer = make_call(&f.lane, 1, 0x1000, 0, 0);
	inner = make_call(&f.lane, outer, 0x2000, 2, 1000);
	f.lane.nodes[outer].call_count = 1;
	f.lane.nodes[inner].call_count = 3;
	make_frame(&f.lane, outer, CHECK_END - 9000);
	make_frame(&f.lane, inner, CHECK_END - 500);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT calls, total_ns, self_ns FROM call_paths",
		   "1|9000|7500;3|1500|1500");
	check_rows(db, "SELECT value FROM trust WHERE name = 'open_frames'", "2");
	check_rows(db, "SELECT min_ns, p50_ns, max_ns FROM functions",
		   "9000|9000|9000;500|500|500");
	check_rows(db, "SELECT complete, exit_code, wall_ns FROM runs", "1|0|10000000");
}

/* Outer's code has inner, which calls leaf, as outer does; inner is called, too. */
TEST_WITH(inlined_copies, begin, end)
{
	uint32_t outer, inner;

	outer = make_call(&f.lane, 1, 0x1000, 2, 9000);
	inner = make_call(&f.lane, outer, 0x2000, 4, 3000);
	f.lane.nodes[inner].unfinished = SEGMENT_NODE_INLINED | 1;
	make_call(&f.lane, inner, 0x3000, 5, 1000);
	make_call(&f.lane, outer, 0x3000, 1, 500);
	make_call(&f.lane, 1, 0x2000, 3, 700);
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT inlined, host_path_id, calls, inlined_calls, self_ns FROM "
		   "call_paths",
		   "0|1|2|0|5500;1|1|4|4|2000;0|3|5|0|1000;0|4|1|0|500;0|5|3|0|700");
	check_rows(db,
		   "SELECT calls, inlined_calls, unwound_count, total_ns, self_ns, "
		   "hooked_total_ns, hooked_self_ns FROM functions",
		   "2|0|0|9000|7500|9000|5500;7|4|1|700|700|3700|2700;"
		   "6|0|0|1500|1500|1500|1500");
	check_rows(db,
		   "SELECT caller_id, callee_id, calls, inlined_calls, total_ns FROM "
		   "call_edges",
		   "1|2|4|4|0;1|3|6|0|1500");
}

/* Killed, and nobody saw when: the last trace of life is when the calls that the open
 * function has made were over. */
TEST_WITH(open_frames_of_the_killed, begin, end)
{
	uint32_t outer;

	f.process->state = SEGMENT_PROCESS_RUNNING;
	f.process->end_ticks = 0;
	outer = make_call(&f.lane, 1, 0x1000, 0, 0);
	f.lane.nodes[outer].call_count = 1;
	make_call(&f.lane, outer, 0x2000, 4, 4000000);
	make_frame(&f.lane, outer, MAKE_START + 1000);
	((struct segment_thread *)((char *)f.process + f.process->threads.offset))
		->end_ticks = 0;
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT total_ns, self_ns FROM call_paths",
		   "4000000|0;4000000|4000000");
	check_rows(db, "SELECT complete, exit_code, exit_signal, wall_ns FROM runs",
		   "0|||4001000");
}

/* Killed, and the collector saw it. */
TEST_WITH(seen_death, begin, end)
{
	struct ending_death death = {
		.pid = 100,
		.start_ticks = MAKE_START,
		.monotonic_ns = MAKE_START + 5000000,
		.status = {.is_known = 1, .exit_signal = 9},
	};
	struct ingest_watch watch = {.deaths = &death, .death_count = 1};
	uint32_t node;

	f.process->state = SEGMENT_PROCESS_RUNNING;
	node = make_call(&f.lane, 1, 0x1000, 0, 0);
	f.lane.nodes[node].call_count = 1;
	make_frame(&f.lane, node, MAKE_START + 1000000);
	db = check_ingest(&f.run, &watch);
	check_rows(db, "SELECT total_ns FROM call_paths", "4000000");
	check_rows(db, "SELECT complete, exit_code, exit_signal, wall_ns FROM runs",
		   "0||9|5000000");
}

/* self = raw self - inner * calls - outer * calls of children. What that is less than 0,
 * the caller is charged with: its own hooks then cost more. */
TEST_WITH(correction, begin, end)
{
	uint32_t outer;

	f.run.page->inner_cost_ticks = 10;
	f.run.page->outer_cost_ticks = 20;
	outer = make_call(&f.lane, 1, 0x1000, 1, 11000);
	make_call(&f.lane, outer, 0x2000, 100, 5000);
	make_call(&f.lane, outer, 0x3000, 100, 500); /* less than its hooks cost */
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT raw_total_ns, raw_self_ns, total_ns, self_ns FROM call_paths "
		   "ORDER BY path_id",
		   "11000|5500|4990|990;5000|5000|4000|4000;500|500|0|0");
	check_rows(db,
		   "SELECT min_ns, p50_ns, max_ns FROM functions ORDER BY function_id",
		   "10990|10990|10990;40|40|40;0|0|0");
	check_rows(db, "SELECT hook_cost_ns FROM runs", "30.0");
}

TEST_WITH(percentiles, begin, end)
{
	uint32_t *histogram;

	make_call(&f.lane, 1, 0x1000, 100, 100 * 1000);
	histogram = f.lane.functions[1].histogram;
	memset(histogram, 0, sizeof(f.lane.functions[1].histogram));
	histogram[segment_histogram_bucket(500)] = 90;
	histogram[segment_histogram_bucket(4000)] = 9;
	histogram[segment_histogram_bucket(60000)] = 1;
	f.lane.nodes[2].min_ticks = 490;
	f.lane.nodes[2].max_ticks = 60123;
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT min_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns FROM functions",
		   "490|496|496|3968|3968|60123");
	check_rows(db, "SELECT HEX(histogram) FROM function", "375A18091F01");
}

/* A process with two sites; the second has changed since the peak, the first not. */
TEST_WITH(sites_and_peak, begin, end)
{
	struct segment_site *site;
	uint32_t node, call;

	f.process->peak_bytes = 5000;
	f.process->below_peak = 1000;
	f.process->peak_generation = 7;
	node = make_call(&f.lane, 1, 0x1000, 1, 100);
	call = make_return(&f.lane, node, 0x1010);
	site = make_site(f.process, &f.lane, call, 10, 3000, 5, 1000);
	site->peak_generation = 6; /* untouched since: what is live was live then */
	call = make_return(&f.lane, node, 0x1020);
	site = make_site(f.process, &f.lane, call, 4, 4000, 2, 2000);
	site->peak_generation = 7;
	site->at_peak_bytes = 3000;
	site->at_peak_count = 3;
	site->temporary_count = 1;
	site->largest_bytes = 1000;
	db = check_ingest(&f.run, NULL);
	/* without symbols both calls are on an unknown line of the same function */
	check_rows(
		db,
		"SELECT alloc_count, alloc_bytes, free_count, free_bytes, live_count, "
		"live_bytes, peak_bytes, at_peak_bytes, at_peak_count, temporary_count, "
		"largest_bytes FROM allocation_sites",
		"14|7000|7|3000|7|4000|7000|5000|8|1|1000");
	check_rows(db,
		   "SELECT peak_bytes, live_bytes_at_exit, alloc_count, free_count FROM "
		   "runs",
		   "5000|4000|14|7");
	check_rows(db, "SELECT kind, alloc_count, live_bytes, peak_bytes FROM call_paths",
		   "function|14|4000|5000");
}

/* Only the process with the highest peak has a share of the run's peak. */
TEST_WITH(peak_of_two_processes, begin, end)
{
	struct segment_process *other;
	struct make_lane lane;
	uint32_t slot, node;

	other = make_process(&f.file, 101, MAKE_START + 1, CHECK_END, &slot);
	other->forked_from_slot = f.process_slot;
	other->parent_pid = 100;
	make_lane(&lane, &f.file, other, slot);
	f.process->peak_bytes = 100;
	other->peak_bytes = 300;
	node = make_call(&f.lane, 1, 0x1000, 1, 100);
	make_site(f.process, &f.lane, node, 1, 100, 0, 0)->peak_generation = 9;
	node = make_call(&lane, 1, 0x1000, 1, 100);
	make_site(other, &lane, node, 1, 300, 0, 0)->peak_generation = 9;
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT peak_bytes, peak_process_id FROM run", "300|2");
	check_rows(db, "SELECT alloc_bytes, at_peak_bytes FROM allocation_sites",
		   "400|300");
	check_rows(db, "SELECT pid, parent_process_id, peak_bytes FROM processes",
		   "100||100;101|1|300");
}

/* A program without hooks: the whole chain is frames, the innermost has the site. */
TEST_WITH(unwound_chain, begin, end)
{
	uint32_t node;

	node = make_return(&f.lane, 1, 0x5000);
	node = make_return(&f.lane, node, 0x6000);
	make_site(f.process, &f.lane, node, 2, 64, 0, 0);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT depth, name, kind, calls, alloc_count FROM call_paths",
		   "1|0x5000 (unknown module)|frame||0;2|0x6000 (unknown "
		   "module)|frame||2");
	check_rows(db, "SELECT name, alloc_bytes FROM allocation_sites",
		   "0x6000 (unknown module)|64");
	check_rows(db, "SELECT DISTINCT recording FROM functions", "unwound");
}

/* The first return address below a function is a call in it, farther ones are frames. */
TEST_WITH(hybrid_chain, begin, end)
{
	uint32_t node;

	node = make_call(&f.lane, 1, 0x1000, 1, 100);
	node = make_return(&f.lane, node, 0x1010);
	node = make_return(&f.lane, node, 0x6000);
	make_site(f.process, &f.lane, node, 2, 64, 0, 0);
	make_site(f.process, &f.lane, 1, 1, 8, 0, 0); /* nothing open, nothing unwound */
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT depth, name, kind FROM call_paths",
		   "1|0x1000 (unknown module)|function;2|0x6000 (unknown module)|frame;"
		   "1|[outside of any function]|frame");
}

/* A child's sites begin after its parent's ids. */
TEST_WITH(forked_sites, begin, end)
{
	uint32_t node;

	f.process->sites.first = f.process->sites.count = 20;
	node = make_call(&f.lane, 1, 0x1000, 1, 100);
	make_site(f.process, &f.lane, node, 3, 30, 1, 10);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT alloc_count, live_bytes FROM allocation_sites", "3|20");
}

/* As the shim does for a file without a build-id. */
static void identify_by_file(struct segment_module *module)
{
	struct stat info;

	assert_int_equal(stat(module->path, &info), 0);
	module->device = info.st_dev;
	module->inode = info.st_ino;
	module->size_bytes = (uint64_t)info.st_size;
	module->mtime_ns =
		info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec;
}

__attribute__((noinline)) static int named_function(int value)
{
	return value + 1;
}

/* Addresses of this very program, in two processes with different load addresses. */
TEST_WITH(resolved_functions, begin, end)
{
	static int (*volatile function)(int) = named_function;
	uint64_t address = (uint64_t)(uintptr_t)function;
	uint64_t page = address & ~0xfffull;
	extern char __executable_start;
	struct segment_process *other;
	struct make_lane lane;
	uint32_t slot;
	char path[400] = "";

	assert_int_equal(function(1), 2);
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	identify_by_file(make_module(f.process, path, page, page + 0x2000,
				     (uint64_t)(uintptr_t)&__executable_start));
	make_call(&f.lane, 1, address, 1, 100);
	other = make_process(&f.file, 101, MAKE_START + 1, CHECK_END, &slot);
	make_lane(&lane, &f.file, other, slot);
	identify_by_file(
		make_module(other, path, page + 0x700000, page + 0x702000,
			    (uint64_t)(uintptr_t)&__executable_start + 0x700000));
	make_call(&lane, 1, address + 0x700000, 1, 100);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT name, calls, total_ns FROM functions",
		   "named_function|2|200");
	check_rows(db, "SELECT COUNT(*) FROM module", "1");
	check_rows(db, "SELECT naming FROM functions", "exact");
	check_rows(db, "SELECT trouble FROM module", "");
}

/* One of the system's libraries that is there, and one that is not; a program that is
 * stripped, and one of which nothing is known. */
TEST_WITH(unnamed_functions, begin, end)
{
	struct segment_module *module;
	struct dl_find_object found;

	assert_int_equal(_dl_find_object((void *)(uintptr_t)&getpid, &found), 0);
	module = make_module(f.process, found.dlfo_link_map->l_name, 0x100000, 0x600000,
			     0x100000);
	assert_non_null(strstr(module->path, "/libc.so.6"));
	identify_by_file(module);
	make_module(f.process, "/usr/lib/gone.so", 0x700000, 0x800000, 0x700000)->inode =
		1;
	make_module(f.process, "[vdso]", 0x800000, 0x900000, 0x800000);
	make_module(f.process, "app", 0x900000, 0xa00000, 0x900000);
	/* the ELF header: before all code, far from any exported function */
	make_call(&f.lane, 1, 0x100010, 1, 100);
	make_call(&f.lane, 1, 0x100020, 1, 100);
	make_call(&f.lane, 1, 0x700010, 1, 100);
	make_call(&f.lane, 1, 0x800010, 1, 100);
	make_call(&f.lane, 1, 0x900010, 1, 100);
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT name, naming, calls FROM functions ORDER BY name",
		   "0x10 (app)|none|1;0x10 (gone.so)|none|1;[in libc.so.6]|near|2;"
		   "[vdso]|near|1");
	check_rows(db, "SELECT path, trouble FROM module WHERE trouble NOT NULL",
		   "/usr/lib/gone.so|gone;app|unknown");
	check_rows(db,
		   "SELECT name, value FROM trust WHERE name IN ('unresolved_functions', "
		   "'system_functions') ORDER BY name",
		   "system_functions|2;unresolved_functions|2");
}

/* The same path in another process, which went on with another program by exec. */
TEST_WITH(exec_images, begin, end)
{
	struct make_file file;
	struct segment_process *image;
	uint32_t slot;

	f.process->state = SEGMENT_PROCESS_RUNNING;
	make_file(&file, &f.run, "100-2");
	image = make_process(&file, 100, MAKE_START + 4000000, CHECK_END, &slot);
	image->exit_code = 3;
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT pid, wall_ns, exit_code, complete FROM processes",
		   "100|4000000||1;100|6000000|3|1");
	check_rows(db, "SELECT complete, exit_code, command FROM runs",
		   "1|3|made 'it'\\''s one'");
	make_file_free(&file);
}

/* Notes of the run page and of processes, and sums of their counters. */
TEST_WITH(trust_rows, begin, end)
{
	struct segment_process *other;
	uint32_t slot;

	other = make_process(&f.file, 101, MAKE_START + 1, CHECK_END, &slot);
	other->notes = SEGMENT_NOTE_NO_SPACE;
	other->counters[SEGMENT_COUNTER_LOST_FREES] = 2;
	f.process->counters[SEGMENT_COUNTER_LOST_FREES] = 3;
	f.process->counters[SEGMENT_COUNTER_TOOL_BYTES] = 1ull << 40;
	f.run.state->notes = SEGMENT_NOTE_SETTING_IGNORED | SEGMENT_NOTE_SLOTS_EXHAUSTED;
	f.run.state->lost_process_count = 1;
	strcpy(f.run.page->setting_ignored, "PROFSHIM_WAIT=soon");
	f.lane.lane->repaired_frame_count = 4;
	f.lane.lane->orphan_exit_count = 5;
	f.lane.lane->orphan_region_count = 7;
	f.lane.lane->folded_call_count = 6;
	db = check_ingest(&f.run, NULL);
	check_rows(db,
		   "SELECT name, value, text FROM trust WHERE value <> 0 ORDER BY name",
		   "folded_paths|6|;lost_frees|5|;lost_processes|1|all places of the "
		   "recording "
		   "were taken;"
		   "note_no_space|1|the disk was full;"
		   "note_setting_ignored|1|a setting was ignored: PROFSHIM_WAIT=soon;"
		   "note_slots_exhausted|1|too many threads and processes;"
		   "notes|100|;orphan_exits|5|;orphan_regions|7|;repaired_frames|4|;"
		   "tool_memory_bytes|1099511627776|;uncompared_processes|2|;"
		   "unsplit_processes|2|");
	check_rows(db, "SELECT complete FROM runs", "0");
}

/* What is library is not read by the shim, so that it cannot tell. */
TEST(a_wrong_library_is_told)
{
	static const struct {
		const char *library, *ignored, *told;
	} cases[] = {
		{"^acme::\n(", "",
		 "a setting was ignored: PROFSHIM_LIBRARY=^acme::\n(: it is no regular "
		 "expression"},
		{"(", "PROFSHIM_WAIT=soon",
		 "a setting was ignored: PROFSHIM_WAIT=soon; PROFSHIM_LIBRARY=(: it is "
		 "no regular expression"},
		{"^acme::", "", ""},
		{"", "", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check_one one;
		struct sqlite3 *stored;

		check_begin(&one);
		strcpy(one.run.page->library, cases[i].library);
		strcpy(one.run.page->setting_ignored, cases[i].ignored);
		if (*cases[i].ignored)
			one.run.state->notes = SEGMENT_NOTE_SETTING_IGNORED;
		stored = check_ingest(&one.run, NULL);
		check_rows(stored,
			   "SELECT text FROM trust WHERE name = 'note_setting_ignored'",
			   cases[i].told);
		check_end(&one, stored);
	}
}

/* Samples find their process by pid and start; a thread that has left no name gets the
 * one that was seen. */
TEST_WITH(samples_and_names, begin, end)
{
	struct resource_sample samples[] = {
		{.pid = 100,
		 .start_ticks = MAKE_START,
		 .monotonic_ns = MAKE_START + 7000,
		 .cpu_percent = 50,
		 .rss_bytes = 4096,
		 .minor_faults = 3,
		 .major_faults = 1,
		 .read_bytes = -1,
		 .write_bytes = 9,
		 .thread_count = 2,
		 .cpu_wait_ns = 77},
		{.pid = 100, .start_ticks = 5, .monotonic_ns = MAKE_START + 8000},
	};
	struct resource_thread seen = {100, 101, "seen", -1, -1};
	struct resources resources = {
		.samples = samples, .count = 2, .threads = &seen, .thread_count = 1};
	struct ingest_watch watch = {.resources = &resources};
	struct segment_thread *thread;

	thread = (void *)((char *)f.process + f.process->threads.offset);
	memset(thread->name, 0, sizeof(thread->name));
	db = check_ingest(&f.run, &watch);
	check_rows(db,
		   "SELECT process_id, time_ns, cpu_percent, rss_bytes, minor_faults, "
		   "major_faults, read_bytes, write_bytes, thread_count, cpu_wait_ns "
		   "FROM resources",
		   "1|7000|50.0|4096|3|1||9|2|77");
	check_rows(db, "SELECT name FROM threads", "seen");
	sqlite3_close(db);
	thread->tid = 100; /* the main thread, seen by nobody */
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT name FROM threads", "made");
}

/* As a process can have written them: each has its row. */
TEST_WITH(every_note_at_once, begin, end)
{
	make_call(&f.lane, 1, 0x1000, 1, 100);
	f.process->notes = UINT32_MAX;
	f.run.state->notes = UINT32_MAX;
	db = check_ingest(&f.run, NULL);
	check_rows(db, "SELECT COUNT(*) > 10 FROM trust WHERE name LIKE 'note_%'", "1");
}

/* A look at a living process: what has been read of it is older than what is read. */
struct later {
	struct check_one f;
	struct read_run run;
	struct ending end;
	struct merge merge;
};

static void later_begin(struct later *ret)
{
	char error[1024];

	*ret = (struct later){.end = {.end_ticks = CHECK_END, .is_alive = 1}};
	check_begin(&ret->f);
	make_mode(ret->f.process, 0x3000, SEGMENT_RECORDING_EXACT);
	assert_int_equal(
		read_run_open(&ret->run, &ret->f.run.rundir, NULL, error, sizeof(error)),
		0);
}

static void later_merge(struct later *later)
{
	struct ticks ticks;

	ticks_calibrate(&ticks, &later->run.page, &later->run.state);
	run_merge(&later->merge, &later->run, &ticks, &later->end, NULL, 0, 0);
}

static void later_end(struct later *later)
{
	merge_done(&later->merge);
	read_run_close(&later->run);
	make_file_free(&later->f.file);
	make_run_free(&later->f.run);
}

/* A lane that began after the lanes were listed is no damage; one that is nowhere is. */
TEST(a_lane_begins_meanwhile)
{
	struct segment_site *site;
	struct make_lane late;
	struct later l;

	for (uint32_t away = 0; away < 2; away++) {
		later_begin(&l);
		make_lane(&late, &l.f.file, l.f.process, l.f.process_slot);
		site = make_site(l.f.process, &late, make_return(&late, 1, 0x1010), 2, 20,
				 1, 10);
		site->lane_slot += away;
		later_merge(&l);
		assert_int_equal(l.merge.damaged_count, away);
		later_end(&l);
	}
}

/* Likewise a file that was opened after the files were listed. */
TEST(a_file_is_opened_meanwhile)
{
	struct segment_reader reader;
	struct segment_transfer *transfer;
	struct segment_target *target;
	struct later l;

	for (uint32_t away = 0; away < 2; away++) {
		later_begin(&l);
		assert_int_equal(read_open_file(&l.run, 0, &reader), 0);
		read_process_parts(&l.run.processes[0], &reader, 100);
		segment_reader_close(&reader);
		l.f.process->targets = (struct segment_array){
			.offset = 98304 + 16384, .capacity = 4, .count = 2};
		target = (void *)((char *)l.f.process + l.f.process->targets.offset);
		target[1].kind = SEGMENT_TARGET_FILE;
		l.f.lane.lane->transfers = (struct segment_array){
			.offset = 11 << 20, .capacity = 4, .count = 2};
		transfer = (void *)((char *)l.f.lane.lane + (11 << 20));
		transfer[1].node = make_call(&l.f.lane, 1, 0x1000, 1, 100);
		transfer[1].target = 1 + away;
		later_merge(&l);
		assert_int_equal(l.merge.damaged_count, away);
		later_end(&l);
	}
}

/* And a function that began to be counted. */
TEST(a_function_is_counted_meanwhile)
{
	struct later l;

	for (uint32_t away = 0; away < 2; away++) {
		later_begin(&l);
		make_count(&l.f.lane,
			   make_mode(l.f.process, 0x1000, SEGMENT_RECORDING_COUNTED) +
				   away,
			   7);
		later_merge(&l);
		assert_int_equal(l.merge.damaged_count, away);
		later_end(&l);
	}
}

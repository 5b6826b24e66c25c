/* SPDX-License-Identifier: MIT */
/* What this is: looks, screens, frames and the log, of a recording whose numbers are
 * known; no terminal. */
#include "tests/unit/tests.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "analyzer/live/show.h"
#include "common/base/text.h"
#include "tests/unit/collector/make_segment.h"

#define MAIN 0x1000
#define WORK 0x2000
#define LEAF 0x3000

struct scene {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	struct make_lane lane;
	uint32_t main, work, leaf;
	struct top top;
};

static void set_the_scene(struct scene *scene)
{
	int boot = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
	struct source source;
	char error[256];
	uint32_t slot;

	*scene = (struct scene){.main = 0};
	make_run(&scene->run, MAKE_TOKEN);
	assert_int_equal(read(boot, scene->run.page->boot_id, 36), 36);
	close(boot);
	make_file(&scene->file, &scene->run, "1-1");
	scene->process = make_process(&scene->file, 1234, MAKE_START, 0, &slot);
	make_lane(&scene->lane, &scene->file, scene->process, slot);
	scene->main = make_call(&scene->lane, 1, MAIN, 1, 1000000);
	scene->work = make_call(&scene->lane, scene->main, WORK, 10, 600000);
	scene->leaf = make_call(&scene->lane, scene->work, LEAF, 3, 3000);
	assert_int_equal(
		source_open_run(&source, scene->run.directory, error, sizeof(error)), 0);
	live_init(&scene->top.live, &source, screen_find("function"));
	assert_int_equal(top_look(&scene->top), 0);
}

/* main computes 1 ms, work 2 ms in 20 calls, a leaf 1 ms in 100. */
static void go_on(struct scene *scene)
{
	scene->lane.nodes[scene->main].total_ticks += 4000000;
	scene->lane.nodes[scene->work].total_ticks += 3000000;
	scene->lane.nodes[scene->work].call_count += 20;
	scene->lane.nodes[scene->leaf].total_ticks += 1000000;
	scene->lane.nodes[scene->leaf].call_count += 100;
	assert_int_equal(top_look(&scene->top), 0);
}

static void end(struct scene *scene)
{
	live_done(&scene->top.live);
	make_file_free(&scene->file);
	make_run_free(&scene->run);
}

static struct table *rows(const struct scene *scene, size_t most, size_t *ret_total)
{
	uint32_t *paths;
	struct table *table = screen_table(&scene->top.live, most, &paths);

	*ret_total = table->row_count;
	free(paths);
	return table;
}

static const char *name_at(const struct table *table, size_t row, const char *column)
{
	return table_cell(table, row, column)->text;
}

TEST(functions_are_ranked_by_what_they_computed)
{
	struct scene scene;
	struct table *table;
	size_t total;
	double per_s;

	set_the_scene(&scene);
	scene.lane.nodes[scene.work].max_ticks = 250000;
	go_on(&scene);
	table = rows(&scene, 2, &total);
	assert_int_equal(total, 2);
	assert_non_null(strstr(name_at(table, 0, "name"), "0x2000"));
	per_s = 1 / live_span_s(&scene.top.live);
	assert_true(fabs(cell_number(table_cell(table, 0, "self_cpu_per_s_ns")) -
			 2000000 * per_s) < 2);
	assert_true(fabs(cell_number(table_cell(table, 0, "total_per_s_ns")) -
			 3000000 * per_s) < 2);
	assert_true(fabs(cell_number(table_cell(table, 0, "calls_per_s")) - 20 * per_s) <
		    1);
	assert_int_equal(cell_number(table_cell(table, 0, "mean_ns")), 150000);
	assert_int_equal(cell_number(table_cell(table, 0, "max_ns")), 250000);
	assert_int_equal(cell_number(table_cell(table, 1, "max_ns")), 1000000);
	table_free(table);
	end(&scene);
}

/* What of a function lies elsewhere is not told below a path. */
TEST(the_longest_call_is_of_what_is_shown)
{
	struct scene scene;
	struct table *table;
	uint32_t other;
	size_t total;

	set_the_scene(&scene);
	other = make_call(&scene.lane, scene.main, LEAF, 1, 90000);
	scene.lane.nodes[other].max_ticks = 90000;
	scene.lane.nodes[scene.leaf].max_ticks = 20000;
	go_on(&scene);
	scene.top.live.filter[0] = '3';
	table = rows(&scene, 1, &total);
	assert_int_equal(cell_number(table_cell(table, 0, "max_ns")), 90000);
	table_free(table);
	scene.top.live.zoom = 2;
	table = rows(&scene, 1, &total);
	assert_int_equal(cell_number(table_cell(table, 0, "max_ns")), 20000);
	table_free(table);
	end(&scene);
}

/* A text that lives until the next call. */
static const char *sorted_by(const struct scene *scene)
{
	static char name[64];
	struct table *table = screen_table(&scene->top.live, 0, NULL);

	snprintf(name, sizeof(name), "%s",
		 screen_sorted_by(&scene->top.live, table)->name);
	table_free(table);
	return name;
}

TEST(the_order_can_be_chosen)
{
	struct scene scene;
	struct table *table;
	size_t total;

	set_the_scene(&scene);
	go_on(&scene);
	screen_sort_by_next(&scene.top.live, -1); /* from the first to the last number */
	assert_string_equal(sorted_by(&scene), "allocs_per_s");
	screen_sort_by_next(&scene.top.live, 1);
	screen_sort_by_next(&scene.top.live, 1);
	assert_string_equal(sorted_by(&scene), "calls_per_s");
	table = rows(&scene, 10, &total);
	assert_non_null(strstr(name_at(table, 0, "name"), "0x3000"));
	table_free(table);
	scene.top.live.is_reversed = true;
	table = rows(&scene, 1, &total);
	assert_non_null(strstr(name_at(table, 0, "name"), "0x1000"));
	table_free(table);
	end(&scene);
}

TEST(zoom_and_filter_leave_out_the_rest)
{
	struct keys keys = {0};
	struct scene scene;
	struct table *table;
	size_t total;

	set_the_scene(&scene);
	go_on(&scene);
	keys_press(&keys, &scene.top, KEYS_ENTER, 2);
	assert_string_equal(scene.top.live.screen->name, "path");
	assert_int_equal(scene.top.live.zoom, 2);
	table = rows(&scene, 10, &total);
	assert_int_equal(total, 2);
	assert_null(strstr(name_at(table, 0, "path"), "0x1000"));
	table_free(table);
	keys_press(&keys, &scene.top, KEYS_BACK, 0);
	assert_int_equal(scene.top.live.zoom, 1);
	for (const char *key = "/0x3"; *key; key++)
		keys_press(&keys, &scene.top, *key, 0);
	table = rows(&scene, 10, &total);
	assert_int_equal(total, 1);
	assert_non_null(strstr(name_at(table, 0, "path"), "0x3000"));
	table_free(table);
	keys_press(&keys, &scene.top, KEYS_ESCAPE, 0);
	table_free(rows(&scene, 10, &total));
	assert_int_equal(total, 3);
	strbuf_free(&keys.message);
	end(&scene);
}

/* Of the leaf, in the span that is shown. */
static double leaf_calls(const struct scene *scene)
{
	struct live live = scene->top.live;
	struct table *table;
	uint32_t *paths;
	double calls;

	live.screen = screen_find("path");
	live.zoom = 3;
	live.sort = -1;
	table = screen_table(&live, 1, &paths);
	free(paths);
	calls = cell_number(table_cell(table, 0, "calls_per_s")) * live_span_s(&live);
	table_free(table);
	return calls;
}

TEST(keys_change_what_they_say)
{
	struct keys keys = {0};
	struct scene scene;

	set_the_scene(&scene);
	go_on(&scene);
	scene.top.live.facts.is_over = false; /* else its last picture stays */
	keys_press(&keys, &scene.top, 'z', 0);
	go_on(&scene);
	go_on(&scene);
	assert_true(scene.top.live.is_since_zero);
	assert_true(fabs(leaf_calls(&scene) - 200) < 1);
	keys_press(&keys, &scene.top, 'r', 0);
	assert_true(fabs(leaf_calls(&scene) - 100) < 1);
	keys_press(&keys, &scene.top, ' ', 0);
	assert_true(keys.is_frozen);
	/* nobody is there: told, not done */
	keys_press(&keys, &scene.top, 'n', 0);
	assert_non_null(strstr(strbuf_text(&keys.message), "has ended"));
	for (size_t i = 0; i < screen_registry_count; i++) {
		keys_press(&keys, &scene.top, screen_registry[i].key, 0);
		assert_ptr_equal(scene.top.live.screen, &screen_registry[i]);
	}
	keys_press(&keys, &scene.top, '?', 0);
	keys_press(&keys, &scene.top, 'q', 0);
	assert_false(keys.is_done); /* it ended the help */
	keys_press(&keys, &scene.top, 'q', 0);
	assert_true(keys.is_done);
	strbuf_free(&keys.message);
	end(&scene);
}

TEST(frames_fit_where_they_are_shown)
{
	struct scene scene;

	set_the_scene(&scene);
	go_on(&scene);
	for (size_t width = 20; width < 120; width += 7) {
		for (size_t i = 0; i < screen_registry_count; i++) {
			struct frame_style style = {.width = width,
						    .height = 9,
						    .rows_most = 9,
						    .utf8 = true};
			struct frame frame;

			scene.top.live.screen = &screen_registry[i];
			frame_make(&frame, &scene.top.live, &style);
			assert_true(frame.line_count <= 9);
			for (size_t line = 0; line < frame.line_count; line++)
				assert_true(utf8_width(frame.lines[line]) <= width);
			frame_done(&frame);
		}
	}
	end(&scene);
}

static char *log_of(struct scene *scene)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	log_look(out, &scene->top.live, 5);
	fclose(out);
	return text;
}

TEST(names_cannot_write_lines_of_the_log)
{
	static const char evil[] = "x\"\nend pid=1 \x1b[31m\xe2\x80\xae name=\"y\\";
	struct scene scene;
	char *text, *at;
	size_t lines = 0;

	set_the_scene(&scene);
	snprintf(scene.process->executable, sizeof(scene.process->executable), "%s",
		 evil);
	go_on(&scene);
	text = log_of(&scene);
	for (at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 1 + 3 + 3); /* look, functions, paths */
	assert_null(strchr(text, '\x1b'));
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_null(strstr(text, "\nend"));
	assert_non_null(strstr(text, "program=\"x\\\"?end pid=1"));
	free(text);
	end(&scene);
}

/* Of many looks the views say the same as of one that is as long. */
TEST(looks_add_up)
{
	struct scene scene;

	set_the_scene(&scene);
	scene.top.live.is_since_zero = true;
	for (int i = 0; i < 5; i++)
		go_on(&scene);
	assert_true(fabs(leaf_calls(&scene) - 500) < 1);
	end(&scene);
}

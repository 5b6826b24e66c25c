/* SPDX-License-Identifier: MIT */
/* What this is: what the exporters write of a flame. */
#include "analyzer/export/export.h"
#include "common/base/xalloc.h"
#include "tests/unit/tests.h"

#include <math.h>

#define MARGIN 10 /* of a picture, in pixels */
#define WIDTH 1200

static const struct exporter *find(const char *name)
{
	for (size_t i = 0; i < exporter_registry_count; i++)
		if (strcmp(exporter_registry[i]->name, name) == 0)
			return exporter_registry[i];
	fail_msg("no exporter %s", name);
	return NULL;
}

static uint32_t add(struct flame *flame, uint32_t parent, const char *name, int64_t self)
{
	struct flame_box *box = flame_add(flame, parent, name);

	box->self = self;
	box->presence = FLAME_AFTER;
	return (uint32_t)flame->count - 1;
}

/* Owned by caller. */
static char *write_as(const char *format, struct flame *flame)
{
	struct doc doc = {.flame = flame};
	struct export_context context = {.width = WIDTH};
	char *text = NULL;
	size_t size = 0;

	context.out = open_memstream(&text, &size);
	find(format)->write(&doc, &context);
	fclose(context.out);
	return text;
}

TEST(names_do_not_break_lines)
{
	struct flame *flame = flame_new(FLAME_TIME, false);
	uint32_t root = add(flame, FLAME_WHOLE, "a;b\nc 7", 0);
	char *text;

	add(flame, root, "operator new(unsigned long)", 5);
	add(flame, root, "\xff", 9);
	flame_sum(flame);
	text = write_as("folded", flame);
	assert_string_equal(text, "a:b?c 7;operator new(unsigned long) 5\n"
				  "a:b?c 7;\xef\xbf\xbd 9\n");
	free(text);
}

static void put_place(const char *svg, const char *name, double *ret_x, double *ret_width)
{
	char title[32];
	const char *at;

	snprintf(title, sizeof(title), "<title>%s\n", name);
	at = strstr(svg, title);
	assert_non_null(at);
	at = strstr(at, "<rect x=\"");
	assert_int_equal(
		sscanf(at, "<rect x=\"%lf\" y=\"%*f\" width=\"%lf", ret_x, ret_width), 2);
}

/* What lies a second from the left and takes nanoseconds can be zoomed into: its callees
 * stand where they belong, by a hundredth of its width. */
TEST(narrow_frames_have_exact_places)
{
	struct flame *flame = flame_new(FLAME_TIME, false);
	uint32_t narrow;
	double x, width, first_x, first_width, second_x, second_width;
	char *text;

	add(flame, FLAME_WHOLE, "long", 7000000000);
	narrow = add(flame, FLAME_WHOLE, "narrow", 0);
	add(flame, narrow, "first", 60);
	add(flame, narrow, "second", 40);
	flame_sum(flame);
	flame_lay_out(flame, 0);
	flame->title = flame->subject = "a test";
	text = write_as("svg", flame);
	put_place(text, "narrow", &x, &width);
	put_place(text, "first", &first_x, &first_width);
	put_place(text, "second", &second_x, &second_width);
	assert_true(x > MARGIN + 1000);
	assert_true(fabs(first_x - x) < width / 100);
	assert_true(fabs(second_x - (x + 0.6 * width)) < width / 100);
	assert_true(fabs(second_width - 0.4 * width) < width / 100);
	free(text);
}

static void add_span(struct timeline *timeline, int64_t track, int64_t start_ns,
		     int64_t duration_ns)
{
	struct timeline_event *event = timeline_add(timeline);

	event->kind = TIMELINE_SPAN;
	event->track = track;
	event->start_ns = start_ns;
	event->duration_ns = duration_ns;
}

TEST(spans_of_a_track_do_not_overlap)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));

	add_span(timeline, 2, 5, 10);
	add_span(timeline, 1, 20, 10);
	add_span(timeline, 1, 25, 20);
	add_span(timeline, 1, 26, 2);
	add_span(timeline, 1, INT64_MAX - 1, INT64_MAX);
	assert_int_equal(timeline_settle(timeline), 2);
	assert_int_equal(timeline->count, 4);
	assert_int_equal(timeline->events[0].start_ns, 20);
	assert_int_equal(timeline->events[1].start_ns, 30);
	assert_int_equal(timeline->events[1].duration_ns, 15);
	assert_int_equal(timeline->events[3].track, 2);
}

/* Begin and duration are rounded each: what follows lasts as long as it did. */
TEST(rounding_takes_nothing_from_spans)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));

	add_span(timeline, 1, 1000, 501);
	add_span(timeline, 1, 1500, 101);
	add_span(timeline, 1, 1600, 1000);
	assert_int_equal(timeline_settle(timeline), 0);
	assert_int_equal(timeline->count, 3);
	assert_int_equal(timeline->events[1].start_ns, 1501);
	assert_int_equal(timeline->events[1].duration_ns, 101);
	assert_int_equal(timeline->events[2].start_ns, 1602);
	assert_int_equal(timeline->events[2].duration_ns, 1000);
}

/* A chain of so many nodes; owned by caller. */
static struct profile *make_chain(uint32_t depth)
{
	struct calltree *tree = calltree_new();

	for (uint32_t i = 0; i < depth; i++)
		calltree_add_path(tree, i + 1, i, 0);
	calltree_link(tree);
	return profile_new(tree);
}

TEST(deep_stacks_lack_their_middle)
{
	struct profile *profile = make_chain(3 * PROFILE_STACK_MOST);
	uint32_t chain[PROFILE_STACK_MOST];

	assert_int_equal(profile_chain(profile, 10, chain), 11);
	assert_int_equal(chain[0], 10);
	assert_int_equal(profile_chain(profile, 3 * PROFILE_STACK_MOST - 1, chain),
			 PROFILE_STACK_MOST);
	for (uint32_t i = 0; i < PROFILE_STACK_MOST / 2; i++) {
		assert_int_equal(chain[i], 3 * PROFILE_STACK_MOST - 1 - i);
		assert_int_equal(chain[PROFILE_STACK_MOST - 1 - i], i);
	}
}

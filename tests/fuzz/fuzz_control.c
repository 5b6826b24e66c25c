/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libFuzzer target: a run's control file, damaged, followed by a
 * recorded process, and read and written by who sets. Whatever stands there, no function
 * outside of the object may be decided on, nothing behind the tables may be read, and the
 * budget must be one. Runs on:       tests; libFuzzer or replay.c. See also:
 * common/segment_control.h; shim/core/answers.h, shim/budget/settings.h,
 *                shim/image/selection.h; collector/live/control.h
 *
 * An input is a list of 12-byte changes: 1 byte how, 3 bytes where, 8 bytes what. Bits
 * 0-1 of how: 1, 2, 4 or 8 bytes wide; the others choose one of the places below. With an
 * odd rest of bytes the process follows once more.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/live/control.h"
#include "collector/read/settings.h"
#include "common/segment_control.h"
#include "shim/budget/settings.h"
#include "shim/core/answers.h"
#include "shim/image/selection.h"
#include "shim/image/symbols.h"
#include "shim/lane/upcalls.h"
#include "shim/patch/selected.h"
#include "shim/record/calls.h"
#include "tests/unit/shim/fixture.h"

#define BASE 0x10000000ull
#define MODULE_BYTES 0x100000ull
#define FUNCTIONS 16u
#define FUNCTION_BYTES 64u
#define SETTINGS 3u
#define CHANGE_BYTES 12u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rundir rundir = RUNDIR_NONE;
static struct segment_control *control; /* with the right to write */
static uint64_t generation;		/* of the setting in force: a new one each time */
static struct segment_module module = {
	.start = BASE,
	.end = BASE + MODULE_BYTES,
	.bias = BASE,
	.build_id_size = 4,
	.build_id = "ID",
	.path = "/bin/none",
};

#define PLACE(member, size)                                                              \
	{                                                                                \
		offsetof(struct segment_control, member), size                           \
	}
static const struct {
	size_t offset, size;
} places[] = {
	PLACE(setting_generation, 16),
	PLACE(settings, (SETTINGS + 1) * sizeof(struct segment_setting)),
	PLACE(tables[1], 16 + 4 * sizeof(struct segment_answer)),
	PLACE(tables[1].fittings, FUNCTIONS * sizeof(struct segment_fitting)),
	PLACE(tables[0], 16 + 4 * sizeof(struct segment_answer)),
	PLACE(magic, 16),
};
#define PLACES (sizeof(places) / sizeof(places[0]))

/* In the place of an ELF file's. */
void symbols_each(const struct segment_module *object, symbols_look look, void *data)
{
	static const char *const names[] = {"main", "step", "_ZN4ring4turnEv",
					    "step.part.0"};

	for (uint32_t i = 0; i < 4; i++)
		look(data, &(struct symbols_function){
				   names[i], object->start + i * FUNCTION_BYTES, 0, 0});
}

static void decide(uint64_t address)
{
	(void)address;
	selection_decide(&module);
}

static void use(const struct segment_setting *setting)
{
	if (!memchr(setting->only, 0, sizeof(setting->only)) ||
	    !memchr(setting->skip, 0, sizeof(setting->skip)))
		abort();
	selection_use(setting);
}

static void make_setting(uint32_t number, const char *only, const char *skip)
{
	struct segment_setting *setting = &control->settings[number];

	*setting = (struct segment_setting){.generation = generation - SETTINGS + number,
					    .rules_generation =
						    generation - SETTINGS + number,
					    .overhead_percent = 10.0 * number};
	strcpy(setting->only, only);
	strcpy(setting->skip, skip);
}

static void make_table(struct segment_table *table)
{
	memset(table->answers, 0, 4 * sizeof(table->answers[0]));
	memset(table->fittings, 0, 2ul * FUNCTIONS * sizeof(table->fittings[0]));
	table->rules_generation = generation;
	table->answer_count = 2;
	table->fitting_count = FUNCTIONS;
	table->answers[0] =
		(struct segment_answer){.build_id_size = 4, .build_id = "no", .count = 4};
	table->answers[1] = (struct segment_answer){
		.build_id_size = 4, .build_id = "ID", .first = 4, .count = FUNCTIONS - 4};
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		table->fittings[i] =
			(struct segment_fitting){i * FUNCTION_BYTES, 1u << i % 3};
}

static void make_file(void)
{
	control->magic = SEGMENT_MAGIC_CONTROL;
	control->token = process_facts.run->token;
	generation += generation ? SEGMENT_SETTING_LIMIT : SETTINGS;
	control->setting_generation = generation;
	control->table_generation = 2 * generation + 1;
	make_setting(0, "", "");
	make_setting(1, "main", "");
	make_setting(2, "", "step,namespace:ring");
	make_setting(3, "file:src/ring.c,component:net*", "file:main.c");
	make_table(&control->tables[0]);
	make_table(&control->tables[1]);
}

static void damage(const uint8_t *data, size_t size)
{
	for (; size >= CHANGE_BYTES; data += CHANGE_BYTES, size -= CHANGE_BYTES) {
		size_t place = (data[0] >> 2) % PLACES, width = 1u << (data[0] & 3);
		size_t where = data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16;

		where = where % (places[place].size / width) * width;
		memcpy((char *)control + places[place].offset + where, data + 4, width);
	}
}

static void map_control(const char *directory)
{
	char error[256];
	int fd;

	if (rundir_open(&rundir, directory, error, sizeof(error)) < 0)
		abort();
	fd = openat(rundir.fd, SEGMENT_CONTROL_NAME, O_RDWR | O_CLOEXEC);
	control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || control == MAP_FAILED)
		abort();
	close(fd);
}

/* Functions that are known when settings come: in the object, and beside it. */
static void call_functions(void)
{
	for (uint64_t i = 0; i < 2ull * FUNCTIONS; i++) {
		void *function = (void *)(BASE + i * MODULE_BYTES / FUNCTIONS);

		calls_enter(function, function);
		calls_exit(function, function);
	}
}

static void begin(void)
{
	char directory[SEGMENT_PATH_MAX];

	fixture_begin(1000);
	atexit(fixture_end);
	snprintf(directory, sizeof(directory), "%s", process_file_path);
	*strrchr(directory, '/') = '\0';
	map_control(directory);
	upcalls.select_module = decide;
	upcalls.use_rules = use;
	call_functions();
}

static void look(void *data, uint64_t address, uint64_t rules)
{
	uint64_t *count = data;

	(void)rules;
	if (address < module.start || address >= module.end)
		abort();
	++*count;
}

/* Are all of these fittings of one of the tables? */
static int is_inside(const struct answer *answer)
{
	for (uint32_t i = 0; i < 2; i++) {
		const struct segment_fitting *all =
			process_facts.control->tables[i].fittings;

		if (answer->fittings >= all &&
		    answer->fittings + answer->count <= all + SEGMENT_FITTING_LIMIT)
			return 1;
	}
	return 0;
}

static void ask(uint64_t rules_generation, int is_sound)
{
	struct answer answer;
	uint64_t count = 0;

	if (!answers_find(&module, rules_generation, &answer)) {
		if (is_sound)
			abort();
		return;
	}
	if (!is_inside(&answer))
		abort();
	answers_each(&answer, &module, look, &count);
	answers_hash(&answer);
	if (count > answer.count || !answers_hold(&answer) ||
	    (is_sound && count != FUNCTIONS - 4))
		abort();
}

static void follow(int is_sound)
{
	uint64_t mask;

	settings_take_over(lane_self);
	if (!(process_facts.overhead_percent >= 0) ||
	    process_facts.overhead_percent > 1000)
		abort();
	ask(settings_rules(), is_sound);
	if (!process_lock(&mask))
		abort();
	selection_decide(&module);
	process_unlock(&mask);
	for (uint64_t i = 0; i < FUNCTIONS; i++)
		selected_find(BASE + i * FUNCTION_BYTES);
	call_functions();
}

/* Those who set: their own settings are there afterwards, whatever was. */
static void set(void)
{
	struct segment_setting setting;
	struct control writer;

	if (control_open(&writer, rundir.fd, process_facts.run->token) < 0)
		return;
	control_setting(&writer, process_facts.run, &setting);
	if (!memchr(setting.only, 0, sizeof(setting.only)))
		abort();
	strcpy(setting.only, "main");
	if (control_set(&writer, process_facts.run, &setting) == 0) {
		control_setting(&writer, process_facts.run, &setting);
		if (strcmp(setting.only, "main") != 0)
			abort();
	}
	if (control_begin_table(&writer, 1, 1))
		control_publish_table(&writer);
	control_close(&writer);
}

/* Those who show what was asked for. */
static void read_all(void)
{
	struct read_settings settings;

	if (read_settings(&rundir, process_facts.run->token, &settings) == 0 &&
	    settings.count > SEGMENT_SETTING_LIMIT)
		abort();
	for (uint32_t i = 0; i < settings.count; i++) {
		double percent = settings.all[i].overhead_percent;

		if (!isfinite(percent) || percent < 0 ||
		    !memchr(settings.all[i].skip, 0, sizeof(settings.all[i].skip)))
			abort();
	}
	read_settings_done(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!control)
		begin();
	make_file();
	damage(data, size);
	follow(size < CHANGE_BYTES);
	read_all();
	set();
	if (size % CHANGE_BYTES & 1)
		follow(0);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* One table for all objects of a run, written anew when there are more. */
#include "collector/selection/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/strbuf.h"
#include "collector/live/control.h"
#include "collector/live/shared_map.h"
#include "collector/processes/ticks.h"
#include "collector/read/rundir.h"
#include "collector/selection/map_file.h"

/* The table is written whole: the first objects have it at once, many together. */
#define PUBLISHED_AT_ONCE 64
#define PUBLISHED_EVERY_NS 20000000

#define HEADER_BYTES offsetof(struct segment_control, settings)

static void note_trouble(struct answers *answers, const char *what, const char *why)
{
	if (!answers->trouble_count++)
		snprintf(answers->trouble, sizeof(answers->trouble), "%.160s: %s", what,
			 why);
}

void answers_begin(struct answers *ret, int directory_fd, const struct segment_run *run)
{
	int fd = rundir_open_file(directory_fd, SEGMENT_CONTROL_NAME, O_RDONLY);

	*ret = (struct answers){.directory_fd = directory_fd, .run = run};
	if (fd < 0)
		return;
	if (lseek(fd, 0, SEEK_END) >= (off_t)sizeof(struct segment_control))
		ret->shared = shared_map(fd, 0, HEADER_BYTES, PROT_READ);
	close(fd);
}

static void forget(struct answers *answers)
{
	for (uint32_t i = 0; i < answers->count; i++)
		free(answers->all[i].fittings);
	free(answers->all);
	map_done(&answers->numbers);
	resolver_free(answers->resolver);
	component_map_free(&answers->map);
	answers->all = NULL;
	answers->resolver = NULL;
	answers->count = 0;
	answers->fitting_count = 0;
	answers->is_published = true;
}

void answers_end(struct answers *answers)
{
	forget(answers);
	shared_unmap(answers->shared);
}

/* Rules about components without a map fit nothing. */
static void read_map(struct answers *answers)
{
	struct strbuf error = {0};

	if (selection_of_kind(&answers->selection, SELECTION_COMPONENT) &&
	    map_file_read(answers->run->components, &answers->map, &error) < 0)
		note_trouble(answers, "PROFSHIM_COMPONENTS", strbuf_text(&error));
	strbuf_free(&error);
}

static void use(struct answers *answers, const struct segment_setting *setting)
{
	forget(answers);
	answers->has_setting = true;
	answers->setting = *setting;
	if (selection_read(&answers->selection, answers->setting.only,
			   answers->setting.skip) ||
	    !selection_sources(&answers->selection))
		return;
	read_map(answers);
	answers->resolver = resolver_new(&answers->selection, &answers->map);
}

bool answers_follow(struct answers *answers)
{
	struct segment_setting setting;
	struct control control;

	/* acquire: pairs with the release of who publishes a setting */
	if (!answers->shared ||
	    (answers->has_setting &&
	     __atomic_load_n(&answers->shared->setting_generation, __ATOMIC_ACQUIRE) ==
		     answers->setting.generation) ||
	    control_open(&control, answers->directory_fd, answers->run->token) < 0)
		return false;
	control_setting(&control, answers->run, &setting);
	if (control_close(&control) < 0)
		return false;
	if (answers->has_setting &&
	    setting.rules_generation == answers->setting.rules_generation) {
		answers->setting.generation = setting.generation;
		return false;
	}
	use(answers, &setting);
	return true;
}

/* Which object it is, as it is copied into the answer. */
static struct segment_answer identify(const struct segment_module *module)
{
	struct segment_answer answer = {
		.build_id_size = module->build_id_size,
		.device = module->device,
		.inode = module->inode,
		.size_bytes = module->size_bytes,
		.mtime_ns = module->mtime_ns,
	};

	memcpy(answer.build_id, module->build_id, sizeof(answer.build_id));
	return answer;
}

static uint64_t hash_of(const void *data, size_t size, uint64_t hash)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull; /* FNV-1a */
	return hash;
}

/* Has it been read? */
static bool is_known(struct answers *answers, const struct segment_answer *object)
{
	uint64_t one = hash_of(object, sizeof(*object), 0xcbf29ce484222325ull);
	uint64_t other = hash_of(object, sizeof(*object), one);

	for (uint64_t i = 0;; i++) {
		uint32_t number = map_get(&answers->numbers, one, other, i);

		if (number == MAP_NONE) {
			map_put(&answers->numbers, one, other, i, answers->count);
			return false;
		}
		if (memcmp(&answers->all[number].answer, object,
			   offsetof(struct segment_answer, first)) == 0)
			return true;
	}
}

static void read_object(struct answers *answers, const struct segment_module *module,
			struct answered *answered)
{
	struct resolved resolved;

	resolver_read(answers->resolver, module, &resolved);
	if (resolved.trouble)
		note_trouble(answers, module->path, resolved.trouble);
	if (!resolved.has_hooks && !resolved.trouble) {
		answered->is_left_out = true;
		return;
	}
	if (resolved.count > SEGMENT_FITTING_LIMIT - answers->fitting_count) {
		note_trouble(answers, module->path, "too many functions fit");
		answered->is_left_out = true;
		free(resolved.fittings);
		return;
	}
	answered->fittings = resolved.fittings;
	answered->answer.first = (uint32_t)answers->fitting_count;
	answered->answer.count = (uint32_t)resolved.count;
	answers->fitting_count += resolved.count;
}

void answers_add(struct answers *answers, const struct segment_module *module)
{
	struct segment_answer object = identify(module);
	struct answered *answered;

	if (!answers->resolver || is_known(answers, &object))
		return;
	if (answers->count == SEGMENT_ANSWER_LIMIT) {
		note_trouble(answers, module->path, "too many objects");
		return;
	}
	answers->all = array_room(answers->all, answers->count, sizeof(*answers->all));
	answered = &answers->all[answers->count++];
	answered->answer = object;
	read_object(answers, module, answered);
	if (answered->is_left_out)
		return;
	answers->is_published = false;
	if (answers->count <= PUBLISHED_AT_ONCE ||
	    ticks_monotonic_ns() - answers->published_ns > PUBLISHED_EVERY_NS)
		answers_publish(answers);
}

static void fill(const struct answers *answers, struct segment_table *table)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < answers->count; i++) {
		const struct answered *answered = &answers->all[i];

		if (answered->is_left_out)
			continue;
		table->answers[count++] = answered->answer;
		if (answered->answer.count)
			memcpy(&table->fittings[answered->answer.first],
			       answered->fittings,
			       answered->answer.count * sizeof(*answered->fittings));
	}
	table->rules_generation = answers->setting.rules_generation;
	table->answer_count = count;
	table->fitting_count = (uint32_t)answers->fitting_count;
}

void answers_publish(struct answers *answers)
{
	struct segment_setting setting;
	struct segment_table *table;
	struct control control;

	if (answers->is_published || !answers->resolver ||
	    control_open(&control, answers->directory_fd, answers->run->token) < 0)
		return;
	answers->is_published = true;
	answers->published_ns = ticks_monotonic_ns();
	control_setting(&control, answers->run, &setting);
	if (setting.rules_generation == answers->setting.rules_generation) {
		table = control_begin_table(&control, answers->count,
					    (uint32_t)answers->fitting_count);
		if (table) {
			fill(answers, table);
			control_publish_table(&control);
		} else {
			note_trouble(answers, "answers", "there is no space for them");
		}
	}
	control_close(&control);
}

/* SPDX-License-Identifier: MIT */
/*
 * Applies rules function by function; what is the same for a whole source file is
 * evaluated once.
 */
#include "collector/selection/selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arrays.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"
#include "collector/symbols/confined.h"
#include "collector/symbols/reader.h"
#include "collector/symbols/strings.h"
#include "collector/symbols/elf.h"

#define NO_LINES "no function has a source line: built without -g?"
#define LIMIT "reading it takes too long, or fails"
#define TOO_MANY "too many functions fit"
#define CPU_LEAST_NS INT64_C(1000000000)
#define OBJECT_SECONDS 3

/* A source file, identified by the address of its path, which the reader keeps. */
struct source {
	uint64_t rules; /* about files */
	bool is_named;	/* a rule names it: "helper [a.c]" */
};

struct resolver {
	const struct selection *selection;
	struct whole_name whole_names;
	bool has_names, has_files;
	bool files_of_named; /* only whole-name rules need source files */
	int64_t cpu_left_ns;
	struct map source_numbers;
	struct source *sources;
	const char *module; /* that is being read */
	struct resolved *resolved;
};

struct resolver *resolver_new(const struct selection *selection)
{
	struct resolver *resolver = xcalloc(1, sizeof(*resolver));

	resolver->selection = selection;
	resolver->has_names = selection_of_kind(selection, SELECTION_WHOLE_NAME) != 0;
	whole_name_begin(&resolver->whole_names, selection);
	resolver->has_files = selection_of_kind(selection, SELECTION_FILE) != 0;
	resolver->files_of_named =
		!resolver->has_files && whole_name_has_files(&resolver->whole_names);
	resolver->cpu_left_ns = CONFINED_CPU_NS;
	return resolver;
}

void resolver_free(struct resolver *resolver)
{
	if (!resolver)
		return;
	whole_name_done(&resolver->whole_names);
	map_done(&resolver->source_numbers);
	free(resolver->sources);
	free(resolver);
}

static const struct source *source_of(struct resolver *resolver, const char *file)
{
	bool is_new;
	uint32_t number =
		map_number(&resolver->source_numbers, (uintptr_t)file, 0, 0, &is_new);

	if (is_new) {
		resolver->sources =
			array_room(resolver->sources, number, sizeof(*resolver->sources));
		resolver->sources[number] = (struct source){
			selection_fit(resolver->selection, SELECTION_FILE, file),
			whole_name_has_file(&resolver->whole_names, file)};
	}
	return &resolver->sources[number];
}

static bool wish(void *context, const char *file)
{
	const struct source *source = source_of(context, file);

	return source->rules || source->is_named;
}

static bool may_fit(void *context, const char *linkage_name, size_t size)
{
	struct resolver *resolver = context;

	return whole_name_may_fit(&resolver->whole_names, linkage_name, size);
}

static uint64_t rules_of(struct resolver *resolver, const struct symbol *symbol)
{
	uint64_t rules = 0;

	if (symbol->file)
		rules |= source_of(resolver, symbol->file)->rules;
	if (symbol->name && resolver->has_names)
		rules |= whole_name_fit(&resolver->whole_names,
					&(struct whole_function){symbol->name,
								 symbol->file,
								 resolver->module});
	return rules;
}

static void look(void *context, uint64_t address, const struct symbol *symbol)
{
	struct resolver *resolver = context;
	struct resolved *resolved = resolver->resolved;
	uint64_t rules = rules_of(resolver, symbol);

	if (!rules)
		return;
	ARRAY_ADD(resolved->fittings, resolved->count) =
		(struct segment_fitting){address, rules};
}

static const char *trouble_of(enum symbols_trouble trouble)
{
	static const char *const words[] = {
		[SYMBOLS_SOUND] = NULL,
		[SYMBOLS_GONE] = "its file is gone",
		[SYMBOLS_CHANGED] = "its file is another one now",
		[SYMBOLS_UNREADABLE] = "its file cannot be read",
		[SYMBOLS_UNKNOWN] = "its file is not known",
		[SYMBOLS_LIMIT] = LIMIT,
	};

	return trouble < SYMBOLS_TROUBLE_COUNT ? words[trouble] : LIMIT;
}

/* What the child sends before the fittings. */
struct reading {
	uint64_t count;
	uint32_t trouble; /* enum symbols_trouble */
	uint8_t has_hooks, has_lines, unused[2];
};

struct object {
	struct resolver *resolver;
	const struct segment_module *file;
};

/* Runs in the child. */
static void read_object(FILE *questions, FILE *answers, void *context)
{
	const struct object *object = context;
	struct resolver *resolver = object->resolver;
	const struct reader_question question = {
		.has_names = resolver->has_names,
		.may_fit = may_fit,
		.wish = resolver->has_files || resolver->files_of_named ? wish : NULL,
		.is_wish_of_named = resolver->files_of_named,
		.look = look,
		.context = resolver,
	};
	struct reader_module *module;
	struct resolved resolved = {.fittings = NULL};
	struct reading reading = {.has_lines = true};

	confined_allow_seconds(OBJECT_SECONDS);
	module = reader_open(strings_new(), object->file, false);
	reading.trouble = reader_trouble(module);
	resolver->resolved = &resolved;
	reading.has_hooks = !reading.trouble && reader_import(module, ELF_HOOK);
	if (reading.has_hooks)
		reading.has_lines = reader_each(module, &question);
	reading.count = resolved.count;
	(void)questions;
	(void)fwrite(&reading, sizeof(reading), 1, answers);
	if (resolved.count)
		(void)fwrite(resolved.fittings, sizeof(*resolved.fittings),
			     resolved.count, answers);
}

/* Receives the fittings. Returns false when they are invalid. */
static bool receive_fittings(struct confined *child, struct resolved *ret)
{
	if (!ret->count)
		return true;
	ret->fittings = xcalloc(ret->count, sizeof(*ret->fittings));
	if (!confined_receive(child, ret->fittings, ret->count * sizeof(*ret->fittings)))
		return false;
	for (size_t i = 1; i < ret->count; i++)
		if (ret->fittings[i - 1].address >= ret->fittings[i].address)
			return false;
	return true;
}

static bool receive_object(struct confined *child, struct resolved *ret)
{
	struct reading reading;

	if (!confined_receive(child, &reading, sizeof(reading)))
		return false;
	ret->has_hooks = reading.has_hooks != 0;
	ret->trouble = reading.has_lines ? NULL : NO_LINES;
	if (reading.trouble)
		ret->trouble = trouble_of((enum symbols_trouble)reading.trouble);
	ret->count = (size_t)reading.count;
	if (reading.count > SEGMENT_FITTING_LIMIT) {
		ret->count = 0;
		ret->trouble = TOO_MANY;
	}
	return receive_fittings(child, ret);
}

void resolver_read(struct resolver *resolver, const struct segment_module *module,
		   struct resolved *ret)
{
	struct object object = {resolver, module};
	struct confined child = {.pid = 0};

	*ret = (struct resolved){.fittings = NULL};
	resolver->module = module->path;
	if (resolver->cpu_left_ns < CPU_LEAST_NS ||
	    confined_start(&child, read_object, &object, resolver->cpu_left_ns) < 0 ||
	    !receive_object(&child, ret)) {
		free(ret->fittings);
		*ret = (struct resolved){.trouble = LIMIT};
	}
	resolver->cpu_left_ns -= confined_end(&child);
}

/* Notes a problem; called once for each object of a run. */

static void note_trouble(struct answers *answers, const char *what, const char *why)
{
	if (!answers->trouble_count++)
		snprintf(answers->trouble, sizeof(answers->trouble), "%.160s: %s", what,
			 why);
}

void answers_begin(struct answers *ret, int directory_fd, const struct segment_run *run)
{
	*ret = (struct answers){.run = run};
	if (selection_read(&ret->selection, run->only, run->skip) ||
	    !selection_sources(&ret->selection) ||
	    control_open(&ret->control, directory_fd, run->token) < 0)
		return;
	ret->resolver = resolver_new(&ret->selection);
}

void answers_end(struct answers *answers)
{
	if (!answers->resolver)
		return;
	free(answers->all);
	map_done(&answers->numbers);
	resolver_free(answers->resolver);
	control_close(&answers->control);
	answers->resolver = NULL;
}

/* The object's identity, as it is copied into the answer. */
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

/* Has the object been read? Marks it as read. */
static bool is_known(struct answers *answers, const struct segment_answer *object)
{
	uint64_t hash = hash_bytes(object, sizeof(*object));

	for (uint64_t i = 0;; i++) {
		uint32_t number = map_get(&answers->numbers, hash, i, 0);

		if (number == MAP_NONE) {
			map_put(&answers->numbers, hash, i, 0, answers->count);
			break;
		}
		if (memcmp(&answers->all[number], object, sizeof(*object)) == 0)
			return true;
	}
	ARRAY_ADD(answers->all, answers->count) = *object;
	return false;
}

void answers_add(struct answers *answers, const struct segment_module *module)
{
	struct segment_answer object = identify(module);
	struct resolved resolved;
	int result = 0;

	if (!answers->resolver || is_known(answers, &object))
		return;
	resolver_read(answers->resolver, module, &resolved);
	if (resolved.trouble)
		note_trouble(answers, module->path, resolved.trouble);
	/* nobody asks about an object without hooks */
	if (resolved.has_hooks || resolved.trouble)
		result = control_answer(&answers->control, &object, resolved.fittings,
					(uint32_t)resolved.count);
	if (result == -E2BIG)
		note_trouble(answers, module->path, "too many functions fit");
	else if (result < 0)
		note_trouble(answers, "answers", strerror(-result));
	free(resolved.fittings);
}

uint32_t listed_count(const struct segment_reader *reader, uint32_t slot)
{
	struct segment_array array = {.count = 0};

	(void)segment_reader_bytes(reader, slot, array_kinds[ARRAY_MODULES].at, &array,
				   sizeof(array));
	return array.count;
}

void listed_show(struct answers *answers, const struct segment_reader *reader,
		 uint32_t slot, int32_t pid)
{
	struct segment_process header;
	auto_free struct segment_module *modules = NULL;
	uint32_t count;

	if (segment_reader_process(reader, slot, &header) < 0 || header.pid != pid)
		return;
	modules = segment_reader_entries(reader, slot, ARRAY_MODULES, &header, &count);
	for (uint32_t i = 0; i < count; i++) {
		struct segment_module *module = &modules[i];

		module->path[sizeof(module->path) - 1] = '\0';
		if (module->build_id_size > sizeof(module->build_id))
			module->build_id_size = 0;
		if (strcmp(module->path, "[vdso]") != 0)
			answers_add(answers, module);
	}
}

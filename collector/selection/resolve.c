/* SPDX-License-Identifier: MIT */
/*
 * Rules asked function by function, with what is the same for a whole source file asked
 * once.
 */
#include "collector/selection/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"
#include "collector/selection/whole_name.h"
#include "collector/symbols/symbols.h"

#define HOOK "__cyg_profile_func_enter"

#define NO_LINES "no function has a source line: built without -g?"
#define LIMIT "more to read than the limits allow"

/* A source file, by the address of its path, which the symbolizer keeps. */
struct source {
	uint64_t rules; /* about files */
	bool is_named;	/* in a rule: "helper [a.c]" */
};

struct resolver {
	const struct selection *selection;
	struct whole_name whole_names;
	bool has_names, has_files;
	bool files_of_named; /* source files are asked for of whole names only */
	struct symbolizer *symbolizer;
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
	resolver->symbolizer = symbols_new();
	return resolver;
}

void resolver_free(struct resolver *resolver)
{
	if (!resolver)
		return;
	symbols_free(resolver->symbolizer);
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
	resolved->fittings = array_room(resolved->fittings, resolved->count,
					sizeof(*resolved->fittings));
	resolved->fittings[resolved->count++] = (struct segment_fitting){address, rules};
}

static const char *trouble_of(const char *word)
{
	static const char *const words[][2] = {
		{SYMBOLS_GONE, "its file is gone"},
		{SYMBOLS_CHANGED, "its file is another one now"},
		{SYMBOLS_UNREADABLE, "its file cannot be read"},
		{SYMBOLS_UNKNOWN, "its file is not known"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i][0]) == 0)
			return words[i][1];
	}
	return LIMIT;
}

void resolver_read(struct resolver *resolver, const struct segment_module *module,
		   struct resolved *ret)
{
	const struct symbol_file file = {
		.path = module->path,
		.build_id = module->build_id,
		.build_id_size = module->build_id_size,
		.device = module->device,
		.inode = module->inode,
		.size_bytes = module->size_bytes,
		.mtime_ns = module->mtime_ns,
	};
	const struct symbol_question question = {
		.has_names = resolver->has_names,
		.may_fit = may_fit,
		.wish = resolver->has_files || resolver->files_of_named ? wish : NULL,
		.is_wish_of_named = resolver->files_of_named,
		.look = look,
		.context = resolver,
	};
	struct symbol_module *symbols = symbols_open(resolver->symbolizer, &file);

	*ret = (struct resolved){.fittings = NULL};
	resolver->module = module->path;
	resolver->resolved = ret;
	ret->has_hooks = !symbols_trouble(symbols) && symbols_import(symbols, HOOK);
	if (ret->has_hooks && !symbols_each(symbols, &question))
		ret->trouble = NO_LINES;
	if (symbols_trouble(symbols))
		ret->trouble = trouble_of(symbols_trouble(symbols));
	/* a program may be large, and have many objects */
	symbols_forget(resolver->symbolizer);
	map_done(&resolver->source_numbers);
}

/* SPDX-License-Identifier: MIT */
/*
 * Functions that share a name all get the next longer form. Must not compare all pairs:
 * texts get numbers, and numbers are counted.
 */
#include "common/names/name_set.h"

#include "common/names/cxx_canonical.h"
#include "common/base/map.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum form { SHORT, PARAMETERS, FULL, FILE_NAME, MODULE };

static void put_base(struct strbuf *text, const char *path)
{
	if (path && *basename(path))
		strbuf_printf(text, " [%s]", basename(path));
}

void libc_name_put(struct strbuf *text, const char *name)
{
	static const char *const marks[] = {"_evex",	"_avx",	      "_sse",
					    "_fma",	"_unaligned", "_erms",
					    "_generic", "_internal"};
	static const char *const starts[] = {"__GI_", "__isoc99_"};
	const char *start = name, *end = name + strlen(name), *cut;

	if (strncmp(name, "__", 2) != 0 || strstr(name, "::")) {
		strbuf_puts(text, name);
		return;
	}
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if ((cut = strstr(name, marks[i])) && cut < end)
			end = cut;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			start += strlen(starts[i]);
	if (start > name || *end)
		start += strspn(start, "_");
	if (start < end)
		strbuf_add(text, start, (size_t)(end - start));
	else
		strbuf_puts(text, name);
}

/* Is the module the C library, or what it has for mathematics? */
static bool is_libc(const char *module)
{
	const char *base = module ? basename(module) : "";

	return strncmp(base, "libc.so.", 8) == 0 || strncmp(base, "libm.so.", 8) == 0;
}

void name_set_put_form(struct strbuf *text, const struct named *one, unsigned form)
{
	if (form == SHORT && is_libc(one->module))
		libc_name_put(text, one->full);
	else if (form == SHORT)
		cxx_canonical(text, one->full, CXX_NAME);
	else if (form == FULL)
		strbuf_puts(text, one->full);
	else
		cxx_canonical(text, one->full, CXX_PARAMETERS);
	if (form == FILE_NAME || form == MODULE)
		put_base(text, one->file);
	if (form == MODULE)
		put_base(text, one->module);
}

/* A set of texts, and the number of functions of each. */
struct tally {
	struct intern texts;
	uint32_t *counts, *numbers;
};

static uint32_t count_text(struct tally *tally, const char *text)
{
	bool is_new;
	uint32_t number = intern_text(&tally->texts, text, &is_new);

	if (is_new)
		tally->counts = array_room(tally->counts, number, sizeof(*tally->counts));
	tally->counts[number]++;
	return number;
}

/* Names all functions whose form of this kind is unique; returns how many are left. */
static size_t name_by(struct named *all, size_t count, enum form form)
{
	struct tally tally = {.numbers =
				      xreallocarray(NULL, count + 1, sizeof(uint32_t))};
	struct strbuf text = {0};
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		if (all[i].name)
			continue;
		strbuf_reset(&text);
		name_set_put_form(&text, &all[i], form);
		tally.numbers[i] = count_text(&tally, strbuf_text(&text));
	}
	for (size_t i = 0; i < count; i++) {
		if (all[i].name)
			continue;
		if (tally.counts[tally.numbers[i]] == 1)
			all[i].name =
				xstrdup(intern_name(&tally.texts, tally.numbers[i]));
		else
			left++;
	}
	strbuf_free(&text);
	intern_free(&tally.texts);
	free(tally.counts);
	free(tally.numbers);
	return left;
}

/* Numbers those that no form tells apart, and forms that are another one's name. */
static void number_rest(struct named *all, size_t count)
{
	struct tally tally = {0};
	struct strbuf text = {0};

	for (size_t i = 0; i < count; i++) {
		uint32_t number, numbered, times;

		strbuf_reset(&text);
		if (all[i].name)
			strbuf_puts(&text, all[i].name);
		else
			name_set_put_form(&text, &all[i], MODULE);
		number = count_text(&tally, strbuf_text(&text));
		times = tally.counts[number];
		while (times > 1) {
			strbuf_reset(&text);
			strbuf_printf(&text, "%s [%u]", intern_name(&tally.texts, number),
				      times);
			/* counting a text may move the counts */
			numbered = count_text(&tally, strbuf_text(&text));
			if (tally.counts[numbered] == 1)
				break;
			times = ++tally.counts[number];
		}
		free(all[i].name);
		all[i].name = xstrdup(strbuf_text(&text));
	}
	strbuf_free(&text);
	intern_free(&tally.texts);
	free(tally.counts);
}

void name_set_tell_apart(struct named *all, size_t count)
{
	for (enum form form = SHORT; form < NAME_SET_FORMS; form++)
		if (!name_by(all, count, form))
			break;
	number_rest(all, count);
}

void name_set_done(struct named *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(all[i].name);
	free(all);
}

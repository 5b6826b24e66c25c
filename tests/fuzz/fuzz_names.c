/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libFuzzer target: names of functions, through all that respells,
 *                shortens and compares them.
 * Runs on:       tests; libFuzzer or replay.c.
 * See also:      cxx_canonical.h, name_set.h, short_name.h, name_pool.h, symbol.h
 *
 * The first byte of an input says what the rest is (r: one name, which is repeated until
 * it has 100 KB; l: names, one on each line; else: each byte is a piece of a name).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/model/meant.h"
#include "analyzer/names/name_pool.h"
#include "collector/symbols/symbol.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "common/names/cxx_canonical.h"
#include "common/names/name_set.h"
#include "common/names/short_name.h"

#define LONG_NAME 100000
#define MOST_NAMES 64
/* Of this thread, for all that is done with an input; with sanitizers it takes 1 s. */
#define MOST_CPU_NS INT64_C(30000000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void expect(int holds, const char *what, const char *name)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %.200s\n", what, name);
	abort();
}

static void respell(const char *name)
{
	struct strbuf text = {0};
	char *readable = demangle(name);

	for (int detail = CXX_NAME; detail <= CXX_PARAMETERS; detail++) {
		strbuf_reset(&text);
		cxx_canonical(&text, name, (enum cxx_detail)detail);
		expect(!*name || text.size, "nothing is left", name);
		expect(text.size <= 4 * strlen(name) + 64, "it grew", name);
	}
	strbuf_free(&text);
	free(readable);
}

static void shorten(struct name_pool *pool, const char *name)
{
	static const size_t widths[] = {4, 13, 30, 60, 120};
	struct strbuf text = {0};

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct short_name *shortened;

		strbuf_reset(&text);
		name_pool_shorten(pool, &text, name, widths[i], "..");
		expect(utf8_width(strbuf_text(&text)) <= widths[i], "too wide", name);
		shortened = short_name_new(strbuf_text(&text));
		/* narrower there is no room to tell it */
		expect(widths[i] < 13 || strcmp(strbuf_text(&text), name) == 0 ||
			       (shortened && short_name_fits(shortened, name, NULL)),
		       "does not fit itself", name);
		short_name_free(shortened);
		(void)meant_judge(strbuf_text(&text), name, name, name);
	}
	strbuf_free(&text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Equal texts are two functions, too. */
static void tell_apart(char **names, size_t count)
{
	struct named *all = xcalloc(count + 1, sizeof(*all));
	const char **told = xcalloc(count + 1, sizeof(*told));
	struct name_pool *pool = name_pool_new();

	for (size_t i = 0; i < count; i++)
		all[i] = (struct named){.full = names[i], .file = "/src/a.c"};
	name_set_tell_apart(all, count);
	for (size_t i = 0; i < count; i++) {
		struct strbuf clean = {0};

		told[i] = all[i].name;
		utf8_clean(&clean, all[i].name);
		name_pool_add(pool, strbuf_text(&clean));
		strbuf_free(&clean);
	}
	qsort(told, count, sizeof(*told), by_text);
	for (size_t i = 1; i < count; i++)
		expect(strcmp(told[i - 1], told[i]) != 0, "twice", told[i]);
	for (size_t i = 0; i < count; i++) {
		struct strbuf clean = {0};

		utf8_clean(&clean, all[i].name);
		shorten(pool, strbuf_text(&clean));
		strbuf_free(&clean);
	}
	name_pool_free(pool);
	free(told);
	name_set_done(all, count);
}

static char *repeated(const char *text)
{
	size_t size = strlen(text), used = 0;
	char *name = xcalloc(LONG_NAME + size + 1, 1);

	while (size && used < LONG_NAME) {
		memcpy(name + used, text, size);
		used += size;
	}
	return name;
}

/* Pieces of names, in an order that no compiler would choose. */
static char *composed(const uint8_t *data, size_t size)
{
	static const char *const pieces[] = {"\n",	 "a",
					     "::",	 "<",
					     ">",	 "(",
					     ")",	 ", ",
					     "operator", "..",
					     "[abi:x]",	 "{lambda(",
					     "#1}",	 " const",
					     "std::",	 "__1::",
					     "char",	 "~",
					     " [clone ", "&&",
					     "->",	 "\xc3\xa9",
					     "[",	 "]",
					     "{",	 "}",
					     " ",	 "$_0",
					     "*",	 "a_longer_identifier",
					     "vector",	 "(anonymous namespace)"};
	struct strbuf text = {0};
	char *ret;

	for (size_t i = 0; i < size; i++)
		strbuf_puts(&text, pieces[(data[i] ^ data[i] >> 5) % 32]);
	ret = xstrdup(strbuf_text(&text));
	strbuf_free(&text);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *names[MOST_NAMES], *text, *rest;
	size_t count = 0;
	int64_t began_ns = cpu_ns();

	if (!size)
		return 0;
	text = rest = data[0] == 'r' || data[0] == 'l'
			      ? xstrndup((const char *)data + 1, size - 1)
			      : composed(data, size);
	if (data[0] == 'r')
		names[count++] = repeated(text);
	while (data[0] != 'r' && rest && *rest && count < MOST_NAMES)
		names[count++] = xstrdup(strsep(&rest, "\n"));
	for (size_t i = 0; i < count; i++)
		respell(names[i]);
	tell_apart(names, count);
	expect(cpu_ns() - began_ns < MOST_CPU_NS, "took too long", text);
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(text);
	return 0;
}

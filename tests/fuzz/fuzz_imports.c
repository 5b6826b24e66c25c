/* SPDX-License-Identifier: MIT */
/*
 * What this is:  profiles of other programs, any bytes and sound ones that are damaged,
 *                through the readers into a database.
 * Runs on:       tests; libFuzzer or replay.c.
 * Must not:      write files.
 * See also:      collector/imports/builder.h
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/imports/formats.h"
#include "collector/store/store.h"
#include "common/base/xalloc.h"
#include "fuzz_database.h"

#define SOUND_BYTES 512

static const char folded[] = "app;main;parse;ns::f<int>(int) 12\n"
			     "app;main;parse 30\n# none\napp;main;walk;walk 10\r\n\n"
			     "app;main;server.(*conn).serve 7\n";

/* Tag, size and bytes. */
static size_t put(uint8_t *to, size_t at, uint8_t field, const void *bytes, size_t size)
{
	to[at++] = (uint8_t)(field << 3 | 2);
	to[at++] = (uint8_t)size;
	memcpy(to + at, bytes, size);
	return at + size;
}

/* Two functions, a location with an inlined one, samples with values, packed and not. */
static size_t make_pprof(uint8_t *to)
{
	static const char *const strings[] = {
		"",	   "samples",	"count",   "cpu",   "nanoseconds", "main",
		"_Z3fooi", "recording", "windows", "bytes", "/bin/app"};
	static const uint8_t types[][4] = {{8, 1, 16, 2}, {8, 3, 16, 4}, {8, 9, 16, 9}};
	size_t at = 0;

	for (size_t i = 0; i < 3; i++)
		at = put(to, at, 1, types[i], 4);
	at = put(to, at, 2, "\x0a\2\2\1\x12\3\1\5\7\x1a\4\x08\7\x10\x08", 15);
	at = put(to, at, 2, "\x08\1\x10\1\x10\2\x10\3", 8);
	at = put(to, at, 3, "\x08\1\x28\x0a\x30\2", 6);
	at = put(to, at, 4, "\x08\1\x10\1\x22\4\x08\1\x10\3", 10);
	at = put(to, at, 4, "\x08\2\x10\1\x22\4\x08\2\x10\4\x22\4\x08\1\x10\5", 16);
	at = put(to, at, 5, "\x08\1\x10\5\x18\5\x20\x0a\x28\3", 10);
	at = put(to, at, 5, "\x08\2\x10\6\x18\6", 6);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		at = put(to, at, 6, strings[i], strlen(strings[i]));
	memcpy(to + at, "\x48\1\x50\5\x60\1", 6);
	return put(to, at + 6, 11, types[1], 4);
}

/* Pairs of place and byte. */
static void damage(uint8_t *sound, size_t size, const uint8_t *data, size_t data_size)
{
	for (; data_size >= 3; data += 3, data_size -= 3)
		sound[(data[0] | data[1] << 8) % size] = data[2];
}

/* Returns whether it was a profile. */
static bool read_and_store(const struct import_format *format, struct source *source)
{
	const struct import_unit unit = {BUILDER_SAMPLES, 1000000};
	struct builder builder = {.stack_count = 0};
	struct import_head head = {.label_count = 0};
	char error[512];
	bool is_sound;

	builder_begin(&builder);
	is_sound =
		format->read(&builder, source, &unit, &head, error, sizeof(error)) == 0 &&
		builder_finish(&builder, head.started_ns, head.duration_ns, "fuzz",
			       head.executable, error, sizeof(error)) == 0;
	if (is_sound) {
		builder_fact(&builder, "imported_stacks", builder.stack_count, "fuzz");
		if (store_run_into(fuzz_database(), &builder.run, error, sizeof(error)) <
		    0) {
			fprintf(stderr, "%s\n", error);
			abort();
		}
	}
	builder_done(&builder);
	return is_sound;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte: which format, and whether the rest is a profile or damage to one. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t sound[SOUND_BYTES];
	struct source source;
	size_t sound_size;
	char error[512];
	bool is_folded = size && (data[0] & 1), is_sound;

	if (!size)
		return 0;
	if (data[0] & 2) {
		if (source_unpack(&source, data + 1, size - 1, error, sizeof(error)) < 0)
			return 0;
	} else {
		sound_size = is_folded ? sizeof(folded) - 1 : make_pprof(sound);
		if (is_folded)
			memcpy(sound, folded, sound_size);
		damage(sound, sound_size, data + 1, size - 1);
		source_unpack(&source, sound, sound_size, error, sizeof(error));
	}
	is_sound = read_and_store(is_folded ? &import_folded : &import_pprof, &source);
	if (!is_sound && size == 1 && !(data[0] & 2))
		abort(); /* a sound one without damage must not be refused */
	source_done(&source);
	return 0;
}

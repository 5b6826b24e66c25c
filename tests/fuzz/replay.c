/* SPDX-License-Identifier: MIT */
/*
 * What this is:  runs a fuzz target over the files named, over COUNT inputs made from a
 *                fixed seed, or from SEED in the environment, and, of texts, which such
 *                inputs never are, over CHANGED damaged copies of the files.
 *                usage: replay COUNT[+CHANGED] FILE...
 * Runs on:       tests, without libFuzzer.
 * See also:      fuzz_segment.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES (1 << 22)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* 0, or 1 when it cannot be read. */
static int read_file(const char *path, uint8_t *data, size_t *ret_size)
{
	FILE *file = fopen(path, "rbe");

	if (!file) {
		perror(path);
		return 1;
	}
	*ret_size = fread(data, 1, FILE_BYTES, file);
	fclose(file);
	return 0;
}

static int replay(const char *path)
{
	static uint8_t data[FILE_BYTES];
	size_t size;

	if (read_file(path, data, &size))
		return 1;
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, size);
	return 0;
}

/* One change, behind the first byte: it says what kind of text follows. */
static size_t damage(uint8_t *data, size_t size)
{
	static const char marks[] =
		"{}[]\"\\:,*;/#-+.0189eEx%=<>()|^$ \t\n\r\x1b\xff\xc3";
	size_t at, length, to;

	if (size < 2)
		return size;
	at = 1 + next_random() % (size - 1);
	length = 1 + next_random() % 40 % (size - at);
	switch (next_random() % 5) {
	case 0:
		data[at] ^= (uint8_t)(1 << next_random() % 8);
		return size;
	case 1:
		data[at] = (uint8_t)marks[next_random() % sizeof(marks)];
		return size;
	case 2: /* taken out */
		memmove(data + at, data + at + length, size - at - length);
		return size - length;
	case 3: /* twice */
		if (size + length > FILE_BYTES)
			return size;
		memmove(data + at + length, data + at, size - at);
		return size + length;
	default: /* moved over another place */
		to = 1 + next_random() % (size - length);
		memmove(data + to, data + at, length);
		return size;
	}
}

static int replay_changed(const char *path)
{
	static uint8_t data[FILE_BYTES];
	size_t size, changes = 1 + next_random() % 8;

	if (read_file(path, data, &size))
		return 1;
	for (size_t i = 0; i < changes; i++)
		size = damage(data, size);
	LLVMFuzzerTestOneInput(data, size);
	return 0;
}

/* Small numbers, all ones and single bits break more than noise does. */
static uint64_t interesting(void)
{
	switch (next_random() % 4) {
	case 0:
		return next_random() % 8;
	case 1:
		return UINT64_MAX - next_random() % 8;
	case 2:
		return 1ull << next_random() % 64;
	default:
		return next_random();
	}
}

static void replay_random(void)
{
	uint8_t data[8 * 12 + 1] = {0};
	size_t changes = 1 + next_random() % 8;

	for (size_t i = 0; i < changes; i++) {
		uint64_t what = interesting();
		uint32_t where = (uint32_t)next_random();

		/* headers more often than what follows them */
		if (next_random() % 2)
			where = (uint32_t)(next_random() % 5 * 16384 +
					   next_random() % 400);
		data[12 * i] = (uint8_t)next_random() & (next_random() % 8 ? 3 : 15);
		for (int byte = 0; byte < 3; byte++)
			data[12 * i + 1 + (size_t)byte] = (uint8_t)(where >> 8 * byte);
		for (int byte = 0; byte < 8; byte++)
			data[12 * i + 4 + (size_t)byte] = (uint8_t)(what >> 8 * byte);
	}
	LLVMFuzzerTestOneInput(data, 12 * changes + next_random() % 2);
}

int main(int argc, char **argv)
{
	long count, changed = 0;
	int failed = 0;
	char *end;

	if (argc < 3) {
		fprintf(stderr, "usage: %s COUNT[+CHANGED] FILE...\n", argv[0]);
		return 2;
	}
	count = strtol(argv[1], &end, 10);
	if (*end == '+')
		changed = strtol(end + 1, NULL, 10);
	if (getenv("SEED"))
		random_state ^= strtoull(getenv("SEED"), NULL, 10);
	for (int i = 2; i < argc; i++)
		failed |= replay(argv[i]);
	for (long i = 0; i < count; i++)
		replay_random();
	for (long i = 0; i < changed; i++)
		failed |= replay_changed(argv[2 + next_random() % (uint64_t)(argc - 2)]);
	printf("%d files, %ld inputs\n", argc - 2, count + changed);
	return failed;
}

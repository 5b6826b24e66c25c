/* SPDX-License-Identifier: MIT */
/*
 * What this is:  runs a fuzz target over the files named, and over COUNT inputs made from
 *                a fixed seed, or from SEED in the environment.
 *                usage: replay COUNT FILE...
 * Runs on:       tests, without libFuzzer.
 * See also:      fuzz_segment.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static int replay(const char *path)
{
	static uint8_t data[1 << 16];
	FILE *file = fopen(path, "rbe");
	size_t size;

	if (!file) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	printf("%s\n", path);
	fflush(stdout);
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
	uint8_t data[8 * 12 + 1];
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
	int failed = 0, count;

	if (argc < 2) {
		fprintf(stderr, "usage: %s COUNT FILE...\n", argv[0]);
		return 2;
	}
	count = atoi(argv[1]);
	if (getenv("SEED"))
		random_state ^= strtoull(getenv("SEED"), NULL, 10);
	for (int i = 2; i < argc; i++)
		failed |= replay(argv[i]);
	for (int i = 0; i < count; i++)
		replay_random();
	printf("%d files, %d inputs\n", argc - 2, count);
	return failed;
}

/* SPDX-License-Identifier: MIT */
/* What this is: runs a libFuzzer target once over each file named. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rbe");
	uint8_t *data;
	size_t size;
	long end;

	if (!file || fseek(file, 0, SEEK_END) < 0 || (end = ftell(file)) < 0) {
		perror(path);
		return 1;
	}
	rewind(file);
	data = malloc((size_t)end + 1);
	size = data ? fread(data, 1, (size_t)end, file) : 0;
	fclose(file);
	/* Named first: a crash shows which one it was. */
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	printf("%d files\n", argc - 1);
	return failed;
}

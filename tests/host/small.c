/* SPDX-License-Identifier: MIT */
/* A first program: some calls, some blocks, a line of output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *repeat(const char *word, size_t times)
{
	char *text = calloc(strlen(word) * times + 1, 1);

	for (size_t i = 0; text && i < times; i++)
		strcat(text, word);
	return text;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(void)
{
	time_t now = 0;
	char *words[] = {repeat("b", 3), repeat("a", 5), strdup("c")};

	if (!localtime(&now)) /* allocates deep inside of libc */
		return 1;
	qsort(words, 3, sizeof(words[0]), by_text);
	for (int i = 0; i < 3; i++) {
		puts(words[i]);
		free(words[i]);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program that counts words, to be changed: compare.py builds it as it
 *                is, with an allocation more in a loop (-DCOPIES), and with a linear
 *                search in place of the hash (-DLINEAR).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4096
#define WORDS 1500
#define ROUNDS 20

struct word {
	char *text;
	unsigned count;
};

static struct word table[SLOTS];
static unsigned used;

static unsigned hash(const char *text)
{
	unsigned value = 5381;

	for (; *text; text++)
		value = value * 33 + (unsigned char)*text;
	return value;
}

#ifdef LINEAR
static struct word *lookup(const char *text)
{
	unsigned slot = 0;

	(void)hash;
	while (slot < used && strcmp(table[slot].text, text) != 0)
		slot++;
	return &table[slot];
}
#else
static struct word *lookup(const char *text)
{
	unsigned slot = hash(text) % SLOTS;

	while (table[slot].text && strcmp(table[slot].text, text) != 0)
		slot = (slot + 1) % SLOTS;
	return &table[slot];
}
#endif

static void count_word(const char *text)
{
	struct word *word;
#ifdef COPIES
	char *copy = strdup(text);

	word = lookup(copy);
#else
	word = lookup(text);
#endif
	if (!word->text) {
		word->text = strdup(text);
		used++;
	}
	word->count++;
#ifdef COPIES
	free(copy);
#endif
}

static void read_round(unsigned round)
{
	char text[32];

	for (unsigned i = 0; i < WORDS; i++) {
		snprintf(text, sizeof(text), "word%u", (i * 7 + round) % WORDS);
		count_word(text);
	}
}

static unsigned long report(void)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < SLOTS; i++) {
		sum += table[i].count;
		free(table[i].text);
	}
	return sum;
}

int main(void)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		read_round(round);
	return report() == (unsigned long)WORDS * ROUNDS ? 0 : 1;
}

/* SPDX-License-Identifier: MIT */
/* Edit distance between short words. Must not allocate. */
#include "common/base/nearest.h"

#include <ctype.h>
#include <string.h>

#define LONGEST 63

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned nearest_distance(const char *a, const char *b)
{
	size_t a_size = strnlen(a, LONGEST), b_size = strnlen(b, LONGEST);
	unsigned rows[3][LONGEST + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= b_size; j++)
		last[j] = before[j] = (unsigned)j;
	for (size_t i = 1; i <= a_size; i++) {
		unsigned *oldest = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= b_size; j++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[j - 1]);
			unsigned best = smaller(last[j], now[j - 1]) + 1;

			best = smaller(best, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				best = smaller(best, before[j - 2] + 1);
			now[j] = best;
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[b_size];
}

const char *nearest_word(const char *wanted, const char *const *words, size_t count)
{
	unsigned best = (unsigned)(strlen(wanted) > 4 ? 3 : 2);
	const char *nearest = NULL;

	for (size_t i = 0; i < count; i++) {
		unsigned distance = nearest_distance(wanted, words[i]);

		if (distance < best) {
			best = distance;
			nearest = words[i];
		}
	}
	return nearest;
}

/* SPDX-License-Identifier: MIT */
/* Sums in an array, found through a map of their keys. */
#include "analyzer/rundb/sums.h"

#include <stdlib.h>

#include "common/base/xalloc.h"
#include "common/quantities.h"

int64_t *sums_of(struct sums *sums, int64_t a, int64_t b, int64_t c, bool *is_new)
{
	uint32_t number =
		map_number(&sums->numbers, (uint64_t)a, (uint64_t)b, (uint64_t)c, NULL);

	if (is_new)
		*is_new = number == sums->count;
	if (number == sums->count) {
		sums->all = array_room(sums->all, sums->count, sizeof(*sums->all));
		sums->all[sums->count++] = (struct sum){{a, b, c}, 0};
	}
	return &sums->all[number].value;
}

void sums_add(struct sums *sums, int64_t a, int64_t b, int64_t c, int64_t value)
{
	quantity_add(sums_of(sums, a, b, c, NULL), value);
}

void sums_done(struct sums *sums)
{
	map_done(&sums->numbers);
	free(sums->all);
	*sums = (struct sums){.count = 0};
}

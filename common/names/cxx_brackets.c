/* SPDX-License-Identifier: MIT */
/* Brackets matched with a stack. Must not recurse: names nest as deep as they like. */
#include "common/names/cxx_brackets.h"

#include "common/names/cxx_name.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static char opener_of(char closer)
{
	return closer == ')' ? '(' : closer == ']' ? '[' : closer == '}' ? '{' : '<';
}

/* The bracket that this one closes; what "(a < b)" and "(a > b)" left open does not
 * count. *depth is what stays open. */
static uint32_t find_open(const char *name, const uint32_t *open, size_t *depth,
			  char closer)
{
	char opener = opener_of(closer);
	size_t at = *depth;

	while (closer != '>' && at && name[open[at - 1]] == '<')
		at--;
	if (!at || name[open[at - 1]] != opener)
		return UINT32_MAX;
	*depth = at - 1;
	return open[at - 1];
}

uint32_t *cxx_brackets(const char *name)
{
	size_t size = strlen(name), depth = 0;
	uint32_t *partner = xcalloc(size + 1, sizeof(*partner));
	uint32_t *open = xcalloc(size + 1, sizeof(*open));

	for (size_t i = 0; i <= size; i++)
		partner[i] = (uint32_t)i;
	for (size_t i = 0; i < size; i++) {
		if (cxx_name_is_operator(name, name + i)) {
			i = (size_t)(cxx_name_skip_operator(name + i) - name) - 1;
		} else if (strchr("(<[{", name[i])) {
			open[depth++] = (uint32_t)i;
		} else if (strchr(")]}>", name[i]) &&
			   !(name[i] == '>' && i && name[i - 1] == '-')) {
			uint32_t from = find_open(name, open, &depth, name[i]);

			if (from == UINT32_MAX)
				continue;
			partner[from] = (uint32_t)i;
			partner[i] = from;
		}
	}
	free(open);
	return partner;
}

/* SPDX-License-Identifier: MIT */
/* Counting down. Must not begin again once something was over. */
#include "collector/symbols/budget.h"

#include <time.h>

static int64_t cpu_now_ns(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + 1;
}

static void take(struct budget *budget, int64_t entries, int64_t elapsed_ns)
{
	budget->entries -= entries;
	budget->cpu_ns -= elapsed_ns;
	if (budget->cpu_ns < 0 || budget->entries < 0)
		budget->is_over = true;
}

bool budget_look(struct budget *budget)
{
	int64_t now = cpu_now_ns(), entries, elapsed_ns;

	elapsed_ns = budget->looked_ns ? now - budget->looked_ns : 0;
	entries = budget->unlooked < INT32_MAX ? (int64_t)budget->unlooked : INT32_MAX;
	budget->looked_ns = now;
	budget->unlooked = 0;
	take(budget, entries, elapsed_ns);
	if (budget->whole) {
		take(budget->whole, entries, elapsed_ns);
		budget->is_over |= budget->whole->is_over;
	}
	return !budget->is_over;
}

bool budget_take_memory(struct budget *budget, uint64_t bytes)
{
	struct budget *at;

	for (at = budget; at; at = at->whole) {
		if (bytes > (uint64_t)INT64_MAX / 2 ||
		    (at->memory_bytes -= (int64_t)bytes) < 0)
			at->is_over = true;
	}
	if (budget->whole)
		budget->is_over |= budget->whole->is_over;
	return !budget->is_over;
}

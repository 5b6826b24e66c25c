/* SPDX-License-Identifier: MIT */
/*
 * What this is:  counts the entries of every function, and does nothing else: what the
 * counts of a recorder are held against. Preloaded; at exit it writes a line "count
 *                offset module" for each function into the file that FIDELITY_COUNTS
 * names.
 *
 * Each thread counts in a table of its own, so that no count is lost and none needs a
 * lock. The tables outlive their threads. The program must not run functions with hooks
 * in signal handlers, nor fork, nor end by _exit(); more functions than a table holds are
 * told of.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define TABLE_SLOTS (1u << 16)

struct count {
	void *function;
	uint64_t entries;
};

struct table {
	struct table *next;
	uint64_t used, lost;
	struct count counts[TABLE_SLOTS];
};

static _Thread_local struct table *own_table __attribute__((tls_model("initial-exec")));
static _Atomic(struct table *) all_tables;

static struct table *new_table(void)
{
	struct table *table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (table == MAP_FAILED)
		abort();
	table->next = atomic_load(&all_tables);
	while (!atomic_compare_exchange_weak(&all_tables, &table->next, table))
		;
	own_table = table;
	return table;
}

static struct count *slot_of(struct table *table, void *function)
{
	uint64_t place = (uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) >> 48;

	while (table->counts[place].function && table->counts[place].function != function)
		place = (place + 1) % TABLE_SLOTS;
	return &table->counts[place];
}

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_enter(void *function, void *call_site)
{
	struct table *table = own_table ? own_table : new_table();
	struct count *count = slot_of(table, function);

	(void)call_site;
	if (!count->function) {
		/* Half full at most, so that a search ends soon. */
		if (table->used == TABLE_SLOTS / 2) {
			table->lost++;
			return;
		}
		table->used++;
		count->function = function;
	}
	count->entries++;
}

void __cyg_profile_func_exit(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)function;
	(void)call_site;
}

static void write_count(FILE *file, const struct count *count)
{
	Dl_info module;

	if (!count->function || !dladdr(count->function, &module))
		return;
	fprintf(file, "%" PRIu64 " %" PRIxPTR " %s\n", count->entries,
		(uintptr_t)count->function - (uintptr_t)module.dli_fbase,
		module.dli_fname);
}

__attribute__((destructor)) static void write_counts(void)
{
	const char *path = getenv("FIDELITY_COUNTS");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	for (struct table *table = atomic_load(&all_tables); table; table = table->next) {
		for (unsigned int i = 0; i < TABLE_SLOTS; i++)
			write_count(file, &table->counts[i]);
		if (table->lost)
			fprintf(file, "%" PRIu64 " lost\n", table->lost);
	}
	fclose(file);
}

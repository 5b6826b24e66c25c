/* SPDX-License-Identifier: MIT */
/*
 * The modules of a run: one number for the same file in several processes, and its
 * symbols. Must not read the spool.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/read/process.h"
#include "common/base/map.h"
#include "common/base/pool.h"

#define MODULE_NONE UINT32_MAX

struct module {
	const struct segment_module *from; /* the first one; borrowed from the run */
	struct symbol_module *symbols;	   /* NULL: not asked for yet */
};

struct modules {
	struct symbolizer *symbolizer;
	struct module *all;
	size_t count;
	struct map map;
};

/* The modules of a process whose addresses are looked up. */
struct module_list {
	const struct read_process *process;
	uint32_t *numbers; /* of each of its modules */
	uint32_t last;	   /* the module found last */
};

void modules_init(struct modules *modules);
void modules_done(struct modules *modules);
/* The list's numbers are in the pool. */
void modules_list(struct modules *modules, struct pool *pool,
		  const struct read_process *process, struct module_list *ret);

/* Finds the module (MODULE_NONE: none) that the key (struct segment_node) lies in, and
 * its address in that file; without a module, the plain address. */
uint32_t modules_locate(struct module_list *list, uint64_t key, uint64_t *ret_address);

/* Returns a module's symbols, opened on first use: most modules are never asked for. */
struct symbol_module *modules_symbols(struct modules *modules, uint32_t number);

/* Why the module's names are missing, a word of symbols.h; NULL: they are not. */
const char *module_trouble(const struct module *module);

int module_is_vdso(const struct module *module);

/* Is it a library of the distribution, whose symbols are in another package? */
int module_is_system_library(const struct module *module);

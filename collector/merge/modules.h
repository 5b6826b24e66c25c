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

#define MODULE_NONE UINT32_MAX

struct module {
	const struct segment_module
		*from;		       /* the first of its kind; borrowed from the run */
	struct symbol_module *symbols; /* NULL: nobody has asked yet */
};

struct modules {
	struct symbolizer *symbolizer;
	struct module *all;
	size_t count;
	struct map map;
};

/* Those of a process whose addresses are asked for. */
struct module_list {
	const struct read_process *process;
	uint32_t *numbers; /* owned: free; of each of its modules */
	uint32_t last;	   /* the module that was hit last */
};

void modules_init(struct modules *modules);
void modules_done(struct modules *modules);
void modules_list(struct modules *modules, const struct read_process *process,
		  struct module_list *ret);

/* Where the key (struct segment_node) lies: the module's number (MODULE_NONE: none) and
 * the address in its file, or the plain address. */
uint32_t modules_locate(struct module_list *list, uint64_t key, uint64_t *ret_address);

/* A module's symbols, opened when first asked for: most modules never are. */
struct symbol_module *modules_symbols(struct modules *modules, uint32_t number);

/* Why names of the module are missing, a word of symbols.h; NULL: nothing is wrong. */
const char *module_trouble(const struct module *module);

int module_is_vdso(const struct module *module);

/* A library that a package brought, whose symbols are in another package. */
int module_is_system_library(const struct module *module);

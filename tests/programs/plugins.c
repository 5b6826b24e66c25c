/* SPDX-License-Identifier: MIT */
/* Libraries that come and go: the second is loaded where the first one was, and each
 * keeps its own names. */
// plugin: plugin_one.c
// plugin: plugin_two.c
// expect-sql: SELECT name, SUM(calls), COUNT(DISTINCT module), MIN(module) LIKE
//     '%/plugin_one.so' FROM functions WHERE name = 'one_step' GROUP BY name =>
//     one_step|10000|1|1
// expect-sql: SELECT name, SUM(calls), MIN(module) LIKE '%/plugin_two.so' FROM functions
//     WHERE name = 'two_step' GROUP BY name => two_step|20000|1
// expect-sql: SELECT module LIKE '%/plugin_one.so', SUM(calls) FROM functions WHERE name GLOB
//     'plugin_run*' GROUP BY 1 ORDER BY 1 => 0|10; 1|10
// expect-sql: SELECT SUM(s.alloc_bytes), SUM(s.alloc_count) FROM allocation_sites s WHERE
//     s.name GLOB 'plugin_run*' => 3000|20
// expect-sql: SELECT COUNT(*) FROM functions WHERE name LIKE '0x%' AND calls > 0 => 0
#include "truth.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Beside the program, wherever that is. */
ALONE static int load_and_run(const char *name, int count)
{
	void (*run)(int);
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
	void *plugin;

	if (length < 0)
		return 1;
	path[length] = 0;
	strcpy(strrchr(path, '/') + 1, name);
	plugin = dlopen(path, RTLD_NOW);
	if (!plugin)
		return 1;
	run = (void (*)(int))(uintptr_t)dlsym(plugin, "plugin_run");
	run(count);
	return dlclose(plugin);
}

int main(void)
{
	int i;

	for (i = 0; i < 10; i++)
		if (load_and_run("plugin_one.so", 1000) ||
		    load_and_run("plugin_two.so", 2000))
			return 1;
	return 0;
}

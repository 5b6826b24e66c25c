/* SPDX-License-Identifier: MIT */
/* A library with hooks in the second image of a process, where our mappings lie below all
 * libraries, one behind the other: its call sites are rewritten as in the first image. */
// plugin: exec_libraries_plugin.c link
// settings: PROFSHIM_OVERHEAD=1
// tolerate: sampled_functions stopped_functions
// expect-sql: SELECT calls FROM functions WHERE name = 'leaf' => 2000000
// expect-trust: early_sites => 0
#include "truth.h"
#include <unistd.h>

int library_leaves(int count);

int main(int argc, char **argv)
{
	if (argc == 1) {
		execl("/proc/self/exe", argv[0], "again", NULL);
		return 1;
	}
	return library_leaves(2000000) == 2000000 ? 0 : 2;
}

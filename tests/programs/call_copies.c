/* SPDX-License-Identifier: MIT */
/* A call of libc from inlined copies that are only counted: samples inside of it are the
 * call's, and those who called it are above it, not below. */
// settings: PROFSHIM_OVERHEAD=1 PROFSHIM_SPANS=off
// tolerate: sampled_functions stopped_functions
// expect-sql: SELECT SUM(calls) FROM functions WHERE name IN ('put_cell', 'put_end') => 300000
// expect-sql: SELECT calls FROM functions WHERE name = 'write' => 300000
// expect-sql: SELECT COUNT(*) FROM call_paths c JOIN call_paths p ON p.path_id =
//     c.parent_path_id WHERE p.name = 'write' => 0
#include "truth.h"
#include <fcntl.h>
#include <unistd.h>

#define INLINE static inline __attribute__((always_inline))
#define ROWS 50000

static int out;

INLINE void put(const char *text)
{
	if (write(out, text, 1) != 1)
		_exit(1);
}

INLINE void put_cell(void)
{
	put("x");
}

INLINE void put_end(int is_last)
{
	put(is_last ? "\n" : ",");
}

ALONE static void put_row(void)
{
	for (int i = 0; i < 3; i++) {
		put_cell();
		put_end(i == 2);
	}
}

int main(void)
{
	out = open("/dev/null", O_WRONLY);
	for (int i = 0; i < ROWS; i++)
		put_row();
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* A function that reads in one of many calls is only counted. Its reads stay below it, and it
 * below the function that has a frame. */
// settings: PROFSHIM_OVERHEAD=2
// tolerate: sampled_functions counted_functions stopped_functions
// expect-sql: SELECT recording FROM recordings WHERE name = 'get_byte' => counted
// expect-sql: SELECT caller || '>' || callee, calls FROM call_edges WHERE callee IN ('get_byte',
//     'pread') ORDER BY 1 => get_byte>pread|1000; read_all>get_byte|20000000
// expect-sql: SELECT COUNT(*) FROM call_paths c JOIN call_paths p ON p.path_id =
//     c.parent_path_id WHERE c.name = 'pread' AND p.name <> 'get_byte' => 0
#include <fcntl.h>
#include <unistd.h>

#include "truth.h"

#define BYTES 20000u
#define TIMES 1000

static volatile unsigned sum;
static int file;
static char buffer[BYTES];

ALONE static unsigned get_byte(unsigned at)
{
	if (at == 0 && pread(file, buffer, sizeof(buffer), 0) < 0)
		return 0;
	return (unsigned)buffer[at];
}

ALONE static void read_all(void)
{
	for (unsigned at = 0; at < BYTES; at++)
		sum += get_byte(at);
}

int main(void)
{
	file = open("/dev/zero", O_RDONLY);
	for (int i = 0; i < TIMES; i++)
		read_all();
	return sum;
}

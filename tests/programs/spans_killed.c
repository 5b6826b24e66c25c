/* SPDX-License-Identifier: MIT */
/* A SIGKILL keeps the slow calls, and those that were open then. */
// variants: once
// settings: PROFSHIM_SPANS=10ms
// signal: 9
// expect-sql: SELECT name, ended, COUNT(*), MIN(duration_ns) >= 19000000 FROM spans WHERE name IN
//     ('slow', 'kill_me', 'main') GROUP BY 1, 2 ORDER BY 1 => kill_me|open|1|1; main|open|1|1;
//     slow|exit|5|1
// expect-sql: SELECT COUNT(*) FROM spans s JOIN spans m ON m.name = 'main' WHERE s.started_ns + 2 <
//     m.started_ns OR s.started_ns + s.duration_ns > m.started_ns + m.duration_ns + 2 => 0
#include "truth.h"
#include <signal.h>
#include <time.h>

ALONE static void slow(void)
{
	struct timespec time = {0, 20000000};

	nanosleep(&time, NULL);
}

ALONE static void kill_me(void)
{
	for (int i = 0; i < 5; i++)
		slow();
	raise(SIGKILL);
}

int main(void)
{
	kill_me();
	return 0;
}

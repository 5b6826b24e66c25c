/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: the settings are opened and read for each request.
 */
// expect: I3 open-again read_settings
#include "background.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static __attribute__((noinline)) void read_settings(const char *name)
{
	int file = open(name, O_RDONLY);
	char text[64];

	if (file < 0)
		return;
	if (read(file, text, sizeof(text)) > 0)
		background_sink += (uint64_t)text[0];
	close(file);
}

int main(void)
{
	char name[] = "settings-XXXXXX";
	int file = mkstemp(name);

	if (file < 0 || write(file, "colour\n", 7) != 7)
		return 1;
	close(file);
	for (int i = 0; i < 20000; i++) {
		read_settings(name);
		background(1, 20);
	}
	return unlink(name) != 0;
}

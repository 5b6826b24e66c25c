/* SPDX-License-Identifier: MIT */
/*
 * The exported calls behind profshim.h's regions, steps and counters. Must not change
 * errno.
 */
#include "shim/wrap/begin.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "common/attributes.h"
#include "shim/profshim.h"
#include "shim/events/events.h"

/* No call of libc is made here or below, nor a wrapped one: errno is safe. */
exported void profshim_record_region_begin(const char *component, const char *name)
{
	region_begin(component, name, (uintptr_t)__builtin_dwarf_cfa());
}

exported void profshim_record_region_end(const char *component, const char *name)
{
	region_end(component, name, (uintptr_t)__builtin_dwarf_cfa());
}

exported void profshim_record_step(const char *name)
{
	pause_step(name);
	series_step(name);
}

exported void profshim_record_counter(const char *name, double value)
{
	series_counter(name, value);
}

exported void profshim_record_pause(void)
{
	pause_begin();
}

exported void profshim_record_resume(void)
{
	pause_end();
}

/*
 * The snapshots that the program or its user asks for: the exported call of profshim.h,
 * and a signal. Runs on: any thread and context; snapshots_begin: the constructor. Must
 * not replace a handler of the program's, or change errno.
 */

exported void profshim_record_snapshot(const char *label)
{
	int saved_errno = errno;

	snapshot_take(label, SEGMENT_SNAPSHOT_CALL);
	errno = saved_errno;
}

static void handle(int signal_number)
{
	int saved_errno = errno;

	(void)signal_number;
	snapshot_take("signal", SEGMENT_SNAPSHOT_SIGNAL);
	errno = saved_errno;
}

/* The program may install its own handler later; then there are no snapshots by it. */
void snapshots_watch_signal(int signal_number)
{
	struct sigaction action = {.sa_handler = handle,
				   .sa_flags = SA_RESTART | SA_ONSTACK};
	struct sigaction old;

	if (!signal_number || sigaction(signal_number, NULL, &old) < 0 ||
	    old.sa_handler != SIG_DFL)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(signal_number, &action, NULL);
}

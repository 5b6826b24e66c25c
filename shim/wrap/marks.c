/* SPDX-License-Identifier: MIT */
/*
 * The exported calls behind profshim.h's regions, steps and counters. Must not change
 * errno.
 */
#include <errno.h>
#include <stdint.h>

#include "common/attributes.h"
#include "shim/profshim.h"
#include "shim/record/pause.h"
#include "shim/record/marks/region.h"
#include "shim/record/marks/series.h"

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

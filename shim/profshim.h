/* SPDX-License-Identifier: MIT */
/*
 * profshim.h: what a program may tell profshim, in C and C++.
 *
 * A program that uses this needs no library to link with, and runs as ever without the
 * shim: each call is then a test of a pointer.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define PROFSHIM_INLINE                                                                  \
	static inline __attribute__((always_inline, no_instrument_function, unused))
#define PROFSHIM_METHOD inline __attribute__((always_inline, no_instrument_function))

/* Defined by libprofshim.so when it is loaded; use the functions below. */
void profshim_record_snapshot(const char *label) __attribute__((weak));
void profshim_record_region_begin(const char *component, const char *name)
	__attribute__((weak));
void profshim_record_region_end(const char *component, const char *name)
	__attribute__((weak));
void profshim_record_step(const char *name) __attribute__((weak));
void profshim_record_counter(const char *name, double value) __attribute__((weak));
void profshim_record_pause(void) __attribute__((weak));
void profshim_record_resume(void) __attribute__((weak));

/* The linker gives weak references of position dependent programs up; these ask by name
 * (dlsym, which is in libc since glibc 2.34). */
#ifndef __PIC__
void *profshim_find_symbol(void *scope, const char *name) __asm__("dlsym")
	__attribute__((weak));

/* What a name stands for, looked up once: into a pointer that is kept. */
PROFSHIM_INLINE int profshim_find_call(void **call, const char *name)
{
	static char none;
	void *found = __atomic_load_n(call, __ATOMIC_RELAXED);

	if (!found) {
		if (profshim_find_symbol)
			found = profshim_find_symbol(0, name);
		if (!found)
			found = &none;
		__atomic_store_n(call, found, __ATOMIC_RELAXED);
	}
	return found != &none;
}
#endif

/*
 * Takes a snapshot under this label: what every allocation site has allocated and still
 * has, and the calls and times of every call path, at this moment. Several may have the
 * same label. At most 95 bytes of it are kept. Any thread, signal handlers included;
 * 4,095 snapshots in a process. Other threads go on meanwhile.
 */
PROFSHIM_INLINE void profshim_snapshot(const char *label)
{
#ifdef __PIC__
	if (profshim_record_snapshot)
		profshim_record_snapshot(label);
#else
	void (*record)(const char *) = 0;

	if (profshim_find_symbol)
		*(void **)&record = profshim_find_symbol(0, "profshim_record_snapshot");
	if (record)
		record(label);
#endif
}

/*
 * A region is a part of the program with a name of its own: a node of the call tree, with
 * calls, times and allocations like a function's; what is called inside of it is below
 * it. Regions nest. component: to what part of the program it belongs, as in
 * `prof-analyze components`. At most 63 bytes of it and 119 of the name are kept, and
 * 1,022 different regions of a program.
 *
 * A region belongs to the thread and to the function that begins it: one that is open
 * when that function returns ends with it, and that is counted as a repair. So functions
 * that only begin a region for their caller must be without hooks: PROFSHIM_INLINE, or
 * __attribute__((no_instrument_function)). An end without its begin is ignored and
 * counted. Any thread, signal handlers included.
 */
PROFSHIM_INLINE void profshim_region_begin(const char *component, const char *name)
{
#ifdef __PIC__
	if (profshim_record_region_begin)
		profshim_record_region_begin(component, name);
#else
	static void (*record)(const char *, const char *);

	if (profshim_find_call((void **)&record, "profshim_record_region_begin"))
		record(component, name);
#endif
}

PROFSHIM_INLINE void profshim_region_end(const char *component, const char *name)
{
#ifdef __PIC__
	if (profshim_record_region_end)
		profshim_record_region_end(component, name);
#else
	static void (*record)(const char *, const char *);

	if (profshim_find_call((void **)&record, "profshim_record_region_end"))
		record(component, name);
#endif
}

/*
 * Marks one iteration of a loop: a step of this name lasts from one mark to the next of
 * the same thread. Kept are exact totals, a histogram, the five slowest and fastest, the
 * course over the run and the last 512, with the live bytes of the process at each: see
 * `prof-analyze steps`. At most 111 bytes of the name, and 256 names of steps and
 * counters in a thread. Any thread, signal handlers included.
 */
PROFSHIM_INLINE void profshim_step(const char *name)
{
#ifdef __PIC__
	if (profshim_record_step)
		profshim_record_step(name);
#else
	static void (*record)(const char *);

	if (profshim_find_call((void **)&record, "profshim_record_step"))
		record(name);
#endif
}

/* Notes a number that changes over time: a queue's length, a loss, a temperature. Kept
 * like steps. What is not finite is not recorded, and counted. */
PROFSHIM_INLINE void profshim_counter(const char *name, double value)
{
#ifdef __PIC__
	if (profshim_record_counter)
		profshim_record_counter(name, value);
#else
	static void (*record)(const char *, double);

	if (profshim_find_call((void **)&record, "profshim_record_counter"))
		record(name, value);
#endif
}

/*
 * Pauses the recording of this process, all of its threads, and goes on with it. In a
 * pause calls, regions, steps and counters are not recorded. What was open stays open,
 * and the pause is in no time. Allocations are recorded in one place, "[paused]", so that
 * what is live is right whenever it was allocated or freed. A function or region that
 * begins in a pause is not recorded even when it ends after it. To pause what is paused,
 * and to resume what is not, does nothing. Any thread, signal handlers included; a forked
 * child is paused when its parent was.
 */
PROFSHIM_INLINE void profshim_pause(void)
{
#ifdef __PIC__
	if (profshim_record_pause)
		profshim_record_pause();
#else
	static void (*record)(void);

	if (profshim_find_call((void **)&record, "profshim_record_pause"))
		record();
#endif
}

PROFSHIM_INLINE void profshim_resume(void)
{
#ifdef __PIC__
	if (profshim_record_resume)
		profshim_record_resume();
#else
	static void (*record)(void);

	if (profshim_find_call((void **)&record, "profshim_record_resume"))
		record();
#endif
}

#ifdef __cplusplus
}

namespace profshim
{
/* A region that ends with its scope, exceptions included: profshim::region r("io",
 * "load");
 */
class region
{
      public:
	PROFSHIM_METHOD region(const char *component, const char *name)
	    : component_(component), name_(name)
	{
		profshim_region_begin(component, name);
	}
	PROFSHIM_METHOD ~region()
	{
		profshim_region_end(component_, name_);
	}
	region(const region &) = delete;
	region &operator=(const region &) = delete;

      private:
	const char *component_, *name_;
};
} // namespace profshim
#endif

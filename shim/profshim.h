/* SPDX-License-Identifier: MIT */
/*
 * profshim.h: what a program may tell profshim, in C and C++.
 *
 * A program that uses this needs no library to link with, and runs as ever without the
 * shim: each call is then a test of a pointer.
 */
#ifndef PROFSHIM_H
#define PROFSHIM_H

#ifdef __cplusplus
extern "C" {
#endif

#define PROFSHIM_INLINE                                                                  \
	static inline __attribute__((always_inline, no_instrument_function, unused))

/* Defined by libprofshim.so when it is loaded; use the functions below. */
void profshim_record_snapshot(const char *label) __attribute__((weak));

/* The linker gives weak references of position dependent programs up; these ask by name
 * (dlsym, which is in libc since glibc 2.34). */
#ifndef __PIC__
void *profshim_find_symbol(void *scope, const char *name) __asm__("dlsym")
	__attribute__((weak));
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

#ifdef __cplusplus
}
#endif

#endif

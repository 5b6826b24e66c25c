/* SPDX-License-Identifier: MIT */
/* The order in which the shim starts; its only constructor. Runs on: the thread that
 * starts the process: start() before every other constructor (the shim is linked -z
 * initfirst), __libc_start_main() after all of them. Must not abort the host, or print
 * more than one line. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/attributes.h"
#include "common/plain_text.h"
#include "shim/boot/boot.h"
#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"
#include "shim/image/image.h"
#include "shim/lane/functions.h"
#include "shim/memory/early_heap.h"
#include "shim/memory/shadow.h"
#include "shim/patch/stubs.h"
#include "shim/patch/text.h"
#include "shim/events/events.h"
#include "shim/events/allocation.h"
#include "shim/events/context.h"
#include "shim/samples/drain.h"
#include "shim/study/study.h"
#include "shim/waits/off_cpu.h"
#include "shim/waits/switches.h"
#include "shim/wrap/begin.h"
#include "shim/wrap/libc_call.h"
#include "shim/wrap/real.h"
#include "shim/wrap/waits/locks.h"

/*
 * Who else interposes: whether the program's calls come to us, and what the allocator
 * behind us is like. Must not run later than the constructor: dlsym takes the loader's
 * lock.
 */

/* True when the first definition of a name that the loader finds is in this library. */
static int is_ours(const char *name)
{
	Dl_info found, own;
	void *address = dlsym(RTLD_DEFAULT, name);

	return address && dladdr(address, &found) && dladdr((void *)is_ours, &own) &&
	       found.dli_fbase == own.dli_fbase;
}

/* Are we among the program's own libraries, and not in a namespace of dlmopen()? */
static int is_with_program(void)
{
	const struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1((void *)is_ours, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return 0;
	while (map->l_prev)
		map = map->l_prev;
	return map->l_name[0] == '\0'; /* the program comes first, without a name */
}

/* A reference of a library to what the program may have: null in all but ours. */
extern const char profshim_own_program exported __attribute__((weak));

/* Is this a program to be recorded: none of ours (common/attributes.h), and does the
 * loader find us before libc? Not when somebody loads us with dlopen: then no hook will
 * ever be called. */
static int interposition_is_wanted(void)
{
	if (&profshim_own_program || !is_with_program())
		return 0;
	/* the program may define any of them itself, but hardly all */
	return is_ours("__libc_start_main") || is_ours("__cyg_profile_func_enter") ||
	       is_ours("dlclose");
}

/* True when the first malloc that the loader finds is defined by somebody else. Then
 * nothing of the allocators may be called as early as this: GCL's own malloc (in maxima)
 * is not ready, and expects that libc's has not moved the program break. */
static int malloc_is_defined_elsewhere(void)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info found;

	return dladdr1(dlsym(RTLD_DEFAULT, "malloc"), &found, (void **)&symbol,
		       RTLD_DL_SYMENT) &&
	       symbol && symbol->st_shndx != SHN_UNDEF && !is_ours("malloc");
}

/* Otherwise asked by calling it: what dlsym gives is the program's own PLT entry when a
 * program that is not position independent takes the address of malloc. */
static int malloc_is_ours(void)
{
	void *block;
	int ours;

	if (malloc_is_defined_elsewhere())
		return 0;
	block = malloc(1);
	ours = block && shadow_take((uintptr_t)block).site == SHADOW_SITE_TOOL;
	if (ours)
		real_free(block);
	else
		free(block);
	return ours;
}

/* Does this object, neither a library of C++ nor the allocator, call operator new? */
static int calls_new(struct dl_phdr_info *object, size_t size, void *allocator)
{
	const char *name = object->dlpi_name;

	(void)size;
	return object->dlpi_addr != (uintptr_t)allocator &&
	       !strstr(name, "/libstdc++.") && !strstr(name, "/libc++") &&
	       (object_calls(object, "_Znwm") || object_calls(object, "_Znam"));
}

/* An allocator that serves operator new does not call the malloc that everybody finds. */
static int new_is_served(void)
{
	Dl_info allocator, operators;
	void *found;

	if (resolve_is_libc((const void *)real_malloc))
		return 0;
	found = dlsym(RTLD_DEFAULT, "_Znwm");
	if (!found) {
		dlerror(); /* the program must not find it */
		dlerror();
		return 0;
	}
	return dladdr(found, &operators) &&
	       dladdr((const void *)real_malloc, &allocator) &&
	       operators.dli_fbase == allocator.dli_fbase &&
	       dl_iterate_phdr(calls_new, allocator.dli_fbase);
}

/* Notes when the program's own malloc or hooks come before ours. Within
 * lane_begin_own_work(). */
static void interposition_check(void)
{
	if (shadow_directory && !malloc_is_ours())
		process_note(SEGMENT_NOTE_OWN_ALLOCATOR);
	else if (shadow_directory && new_is_served())
		process_note(SEGMENT_NOTE_OTHER_NEW);
	if (!is_ours("__cyg_profile_func_enter"))
		process_note(SEGMENT_NOTE_OWN_HOOKS);
}

/* 3 when the allocator hands out addresses that are only 8-aligned, or 4. */
static unsigned int interposition_grain_shift(void)
{
	unsigned int shift = 4;
	void *blocks[8];

	if (malloc_is_defined_elsewhere())
		return shift;
	for (int i = 0; i < 8; i++) {
		blocks[i] = real_malloc(8);
		if ((uintptr_t)blocks[i] & 15)
			shift = 3;
	}
	for (int i = 0; i < 8; i++)
		real_free(blocks[i]);
	return shift;
}

/* "PROFSHIM_RUN=directory" for the environment of children. */
static char run_variable[SEGMENT_PATH_MAX + 16];

/* There is no run, and the user knows: children may have more luck, but are silent. */
#define RUN_NONE "none"

/* The one line a user gets to see. It quotes settings and paths, which
 * may be anybody's. */
static void say(const char *text)
{
	char plain[SEGMENT_PATH_MAX + 192], line[SEGMENT_PATH_MAX + 256];
	int length = snprintf(line, sizeof(line), "profshim: %s\n",
			      plain_text_copy(plain, sizeof(plain), text));

	if (length > 0)
		(void)!write(2, line,
			     (size_t)length < sizeof(line) ? (size_t)length
							   : sizeof(line) - 1);
}

static void say_not_recording(const struct config *config, const char *reason)
{
	char text[SEGMENT_PATH_MAX + 64];

	snprintf(run_variable, sizeof(run_variable), "PROFSHIM_RUN=" RUN_NONE);
	if (config->joined_run && !strcmp(config->joined_run, RUN_NONE))
		return;
	snprintf(text, sizeof(text), "%s; the program runs unrecorded", reason);
	say(text);
}

/* Without a collector nothing is lost, but somebody has to know. */
static void start_collector(const struct config *config)
{
	char text[SEGMENT_PATH_MAX + 128];
	int result = collector_start(config);

	if (result == 0)
		return;
	snprintf(text, sizeof(text),
		 "cannot start %s: %s; the recording stays in %s, prof-analyze takes it "
		 "from "
		 "there",
		 config->collector ? config->collector : "profshim-collect",
		 strerror(-result), run_directory());
	say(text);
}

/* The functions and marks that are studied, and whether others may be found. 0: too many,
 * or an empty name. */
static int read_studied(const char *list)
{
	upcalls.leave_call = study_leave;
	upcalls.watch_mark = triggers_of_mark;
	while (*list) {
		size_t length = strcspn(list, ",");

		if (length == 4 && !strncmp(list, "auto", 4))
			choose_begin();
		else if (!triggers_watch(list, length, TRIGGER_STUDY))
			return 0;
		list += length + (list[length] == ',');
	}
	return 1;
}

static void read_triggers(struct config *config)
{
	if (config->snapshot_at && !triggers_begin(config->snapshot_at))
		config_ignore(config, "PROFSHIM_SNAPSHOT_AT", config->snapshot_at);
	if (config->from &&
	    !triggers_watch(config->from, config->from_length, TRIGGER_FROM)) {
		config_ignore(config, "PROFSHIM_FROM", config->from);
		config->from_call = 0;
	}
	if (config->until && *config->until &&
	    !triggers_watch(config->until, strlen(config->until), TRIGGER_UNTIL))
		config_ignore(config, "PROFSHIM_UNTIL", config->until);
	if (!read_studied(config->why))
		config_ignore(config, "PROFSHIM_WHY", config->why);
}

static void begin_recording(const struct config *config)
{
	char error[SEGMENT_PATH_MAX];
	struct lane_context *context;
	int first;

	if (run_open(config, &first, error, sizeof(error)) < 0) {
		if (error[0])
			say_not_recording(config, error);
		return;
	}
	/* another image of the first process (exec) is recorded in any case */
	if (!process_facts.run->follow && process_facts.run->first_pid != getpid()) {
		process_facts.run = NULL;
		process_facts.state = NULL;
		return;
	}
	if (process_facts.run->library[0])
		headers_take_all();
	allocations_are_left = (int)process_facts.run->samples_only;
	if (!allocations_are_left)
		shadow_begin(interposition_grain_shift());
	upcalls.put_in_order = jump_put_in_order;
	selection_begin();
	if (run_create_segment(config, error, sizeof(error)) < 0) {
		__atomic_fetch_add(&process_facts.state->lost_process_count, 1,
				   __ATOMIC_RELAXED);
		if (first) {
			say_not_recording(config, error);
			run_abandon();
		}
		return;
	}
	if (!shadow_directory && !allocations_are_left)
		process_note(SEGMENT_NOTE_NO_SHADOW);
	process_count(SEGMENT_COUNTER_EARLY_BYTES, early_heap_used());
	threads_begin();
	if (!context_acquire())
		return;
	switches_begin(!config->leaves_waits);
	libc_call_is_wanted = !config->leaves_waits && !allocations_are_left;
	off_cpu_begin(lane_self);
	context = lane_begin_own_work();
	pause_watch(&(struct pause_conditions){
		config->from_call, config->until && *config->until, config->while_step});
	interposition_check();
	fork_watch();
	snapshots_watch_signal(config->snapshot_signal);
	exit_watch(first, config->wait_ms, stream_lives_exit);
	rules_list_objects();
	if (first)
		start_collector(config);
	else
		process_ring();
	rules_wait();
	if (first)
		outside_wait();
	snprintf(run_variable, sizeof(run_variable), "PROFSHIM_RUN=%s", run_directory());
	additions_begin(run_variable);
	if (first && config->run->setting_ignored[0]) {
		snprintf(error, sizeof(error),
			 "%s is not understood; the default is used",
			 config->run->setting_ignored);
		say(error);
	}
	if (libc_call_is_wanted)
		own_io_begin();
	lane_end_own_work(context);
	off_cpu_begin(lane_self);
}

#define STACK_BYTES_LEAST (64u << 10) /* the constructor takes 44 KiB */

static int stack_is_little(void)
{
	struct rlimit stack;

	return getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < STACK_BYTES_LEAST;
}

/* The linker's: where the library begins, and its code ends. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
	static struct segment_run run; /* process_facts.run */
	struct lane_context *context;
	struct config config;
	int saved_errno = errno; /* main may count on 0 */

	(void)argc;
	(void)argv;
	resolve_all();
	jumps_begin();
	locks_begin();
	stub_targets = (struct stub_targets){
		.enter_hook = (uintptr_t)calls_enter,
		.exit_hook = (uintptr_t)calls_exit,
		.enter = counted_enter,
		.pulse = counted_pulse,
		.leave = counted_exit,
		.edge = counted_edge,
	};
	table_begin((uintptr_t)__ehdr_start, (uintptr_t)etext);
	modules_begin();
	config_read(&config, &run, environment);
	read_triggers(&config);
	if (config.keeps_code)
		text_forbid();
	if (!getauxval(AT_SECURE) && !config.off && interposition_is_wanted()) {
		if (!config.keeps_code)
			heap_begin();
		if (stack_is_little())
			say_not_recording(
				&config,
				"the limit on stacks (ulimit -s) is below 64 KiB");
		else
			begin_recording(&config);
	}
	context = lane_begin_own_work();
	run_settle();
	lane_end_own_work(context);
	errno = saved_errno;
}

exported int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
			       void (*init)(void), void (*fini)(void),
			       void (*rtld_fini)(void), void *stack_end)
{
	int saved_errno = errno;

	environment_prepare(argv + argc + 1, run_variable[0] ? run_variable : NULL);
	faults_main_begins();
	errno = saved_errno;
	return real___libc_start_main(main, argc, argv, init, fini, rtld_fini, stack_end);
}

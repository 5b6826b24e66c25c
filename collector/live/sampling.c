/* SPDX-License-Identifier: MIT */
/* Tries a ring like the shim's, in a loop that sees each sample as a gap, and a timer. */
#include "collector/live/sampling.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/live/control.h"
#include "collector/processes/ticks.h"
#include "common/sampling_event.h"
#include "common/segment_samples.h"
#include "common/base/xalloc.h"

/* No thread is sampled before 12 ms of CPU time, so shorter runs need no answer. */
#define DELAY_NS 5000000u
#define PERIOD_NS 50000u
#define MEASURED_NS 2000000u
#define GAPS_MOST 64u
/* No step of the loop takes this long. */
#define GAP_LEAST_NS 400u
/* Fewer gaps say nothing. */
#define GAPS_LEAST 8u
#define PAGE_BYTES 4096u

struct sampling_answer {
	int32_t error; /* 0: allowed */
	uint32_t tick_ns;
	uint32_t timer_period_ns; /* 0: no timer */
};

static long open_event(uint64_t period_ns)
{
	struct perf_event_attr attributes = sampling_event(period_ns);

	return syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int by_size(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return ORDER(left, right);
}

/* The time of a sample: the lowest quartile, as on a busy machine most gaps are other
 * processes'. 0: too few gaps. */
static uint32_t measure_tick_ns(const struct perf_event_mmap_page *page)
{
	uint64_t gaps[GAPS_MOST], head = page->data_head, now_ns = ticks_monotonic_ns();
	uint64_t end_ns = now_ns + MEASURED_NS, last_ns = now_ns;
	size_t count = 0;

	while (now_ns < end_ns && count < GAPS_MOST) {
		now_ns = ticks_monotonic_ns();
		if (now_ns - last_ns > GAP_LEAST_NS &&
		    __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) != head) {
			gaps[count++] = now_ns - last_ns;
			head = page->data_head;
			now_ns = ticks_monotonic_ns();
		}
		last_ns = now_ns;
	}
	if (count < GAPS_LEAST)
		return 0;
	qsort(gaps, count, sizeof(*gaps), by_size);
	return (uint32_t)gaps[count / 4];
}

static void ask(struct sampling_answer *ret)
{
	long event = open_event(PERIOD_NS);
	void *page;

	ret->error = event < 0 ? errno : 0;
	if (event < 0)
		return;
	/* if we get no such page, others still may */
	page = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, (int)event,
		    0);
	if (page != MAP_FAILED) {
		ret->tick_ns = measure_tick_ns(page);
		munmap(page, 2 * PAGE_BYTES);
	}
	close((int)event);
}

static void ignore(int number)
{
	(void)number;
}

/* Does such a signal leave system calls alone? Since Linux 5.10 it is raised on the way
 * to user mode; before that it interrupted them. */
static int ends_no_calls(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname system;

	return uname(&system) == 0 &&
	       sscanf(system.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 10));
}

/* Does all that the shim does for a timer, and returns from a handler. */
static void ask_for_timer(struct sampling_answer *ret)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG};
	struct itimerspec time = {.it_value.tv_sec = 3600};
	struct sigaction action = {.sa_handler = ignore}, before;
	struct timespec tick;
	timer_t timer;

	event._sigev_un._tid = gettid();
	if (!ends_no_calls() || clock_getres(CLOCK_MONOTONIC_COARSE, &tick) < 0 ||
	    tick.tv_sec || timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) < 0)
		return;
	if (timer_settime(timer, 0, &time, NULL) == 0)
		ret->timer_period_ns = (uint32_t)tick.tv_nsec;
	timer_delete(timer);
	sigaction(SIGURG, &action, &before);
	raise(SIGURG);
	sigaction(SIGURG, &before, NULL);
}

/* Asks in a child. Returns -1: no child; 0: it was killed. */
static int ask_in_child(void (*question)(struct sampling_answer *ret),
			struct sampling_answer *ret)
{
	int ends[2], is_whole;
	pid_t child;

	if (pipe(ends) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		signal(SIGALRM, SIG_DFL);
		alarm(1);
		question(ret);
		_exit(write(ends[1], ret, sizeof(*ret)) != sizeof(*ret));
	}
	close(ends[1]);
	is_whole = child > 0 && read(ends[0], ret, sizeof(*ret)) == sizeof(*ret);
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return child < 0 ? -1 : is_whole;
}

/* Asks in a child only if there is a seccomp filter, which might kill us. */
static int ask_safely(void (*question)(struct sampling_answer *ret),
		      struct sampling_answer *ret)
{
	if (prctl(PR_GET_SECCOMP) != 0)
		return ask_in_child(question, ret);
	question(ret);
	return 1;
}

static enum segment_sampling try(struct sampling_answer *ret)
{
	int has_answer;

	*ret = (struct sampling_answer){.error = 0};
	has_answer = ask_safely(ask, ret);
	if (has_answer < 0)
		return SEGMENT_SAMPLING_UNKNOWN;
	if (!has_answer)
		*ret = (struct sampling_answer){.error = 0};
	return has_answer && !ret->error ? SEGMENT_SAMPLING_ALLOWED
					 : SEGMENT_SAMPLING_REFUSED;
}

/* Used where samples are refused, or a timer was asked for. */
static void try_timer(struct sampling_answer *ret)
{
	struct sampling_answer answer = {.error = 0};

	if (ask_safely(ask_for_timer, &answer) > 0)
		ret->timer_period_ns = answer.timer_period_ns;
}

static void tell(const struct rundir *rundir, const struct segment_run *run,
		 enum segment_sampling found, const struct sampling_answer *answer)
{
	struct control control;

	if (control_open(&control, rundir->fd, run->token) < 0)
		return;
	control.shared->sampling_error = answer->error;
	control.shared->sample_tick_ns = answer->tick_ns;
	control.shared->timer_period_ns = answer->timer_period_ns;
	/* release: the other fields are set; pairs with the acquire in samples.c */
	__atomic_store_n(&control.shared->sampling, (uint32_t)found, __ATOMIC_RELEASE);
	control_close(&control);
}

void sampling_update(struct sampling *sampling, const struct rundir *rundir,
		     const struct segment_run *run)
{
	struct sampling_answer answer = {.error = 0};

	if (sampling->is_done)
		return;
	if (!sampling->begin_ns)
		sampling->begin_ns = ticks_monotonic_ns();
	if (ticks_monotonic_ns() - sampling->begin_ns < DELAY_NS && !run->samples_only)
		return;
	sampling->is_done = 1;
	sampling->found = SEGMENT_SAMPLING_OFF;
	if (run->sample_hz != SEGMENT_SAMPLES_OFF)
		sampling->found = try(&answer);
	if (run->sample_hz == SEGMENT_SAMPLES_TIMER ||
	    sampling->found == SEGMENT_SAMPLING_REFUSED)
		try_timer(&answer);
	sampling->tick_ns = answer.tick_ns;
	if (sampling->found == SEGMENT_SAMPLING_ALLOWED)
		sampling->event = (int)open_event(0);
	tell(rundir, run, sampling->found, &answer);
}

void sampling_tell_begun(const struct rundir *rundir, const struct segment_run *run)
{
	struct control control;

	if (control_open(&control, rundir->fd, run->token) < 0)
		return;
	__atomic_store_n(&control.shared->outside_has_begun, 1, __ATOMIC_RELAXED);
	control_close(&control);
}

uint64_t sampling_wait_ns(const struct sampling *sampling, uint64_t most_ns)
{
	return sampling->is_done || most_ns < DELAY_NS ? most_ns : DELAY_NS;
}

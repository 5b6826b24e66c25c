/* SPDX-License-Identifier: MIT */
/* The words that tell of switches. */
#include "shim/waits/switches.h"

#include <linux/perf_event.h>
#include <linux/rseq.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "common/attributes.h"
#include "common/libc/calls.h"
#include "shim/core/gate.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"

#define PAGE_BYTES 4096u

/* Of glibc 2.35 and later: where each thread's area lies, 0 bytes: none is registered. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* The signature that glibc registers with on x86; the kernel wants it before the address
 * that a section is left to. */
#define RSEQ_SIGNATURE 0x53053053

static const struct {
	uint32_t never_run[7];
	uint32_t signature;
	uint32_t abort_address[4];
} nowhere __attribute__((aligned(64))) = {.signature = RSEQ_SIGNATURE};

/* The kernel wants 32 bytes of alignment; relocated once, by the loader. */
static struct rseq_cs section __attribute__((aligned(32))) written_in_children;

static enum segment_switch_source source written_in_children;

enum segment_switch_source switches_source(void)
{
	return source;
}

static struct rseq *own_area(void)
{
	struct rseq *area;

	if (!&__rseq_size || !&__rseq_offset || !__rseq_size)
		return NULL;
	area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	/* -1 or -2: nobody has registered it in this thread */
	return (int32_t)area->cpu_id >= 0 ? area : NULL;
}

static const uint64_t *rseq_word(void)
{
	struct rseq *area = own_area();

	return area ? (const uint64_t *)&area->rseq_cs : NULL;
}

/* The page of an event of the calling thread that counts nothing; NULL: refused. The
 * event lives as long as the page is mapped. */
static const struct perf_event_mmap_page *map_event(void)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long event, page;

	/* the lists of calls that services are allowed do without it, and kill */
	if (!gate_enter())
		return NULL;
	if (SYSCALL(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) != 0) {
		gate_leave();
		return NULL;
	}
	event = SYSCALL(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC,
			0);
	page = event;
	if (event >= 0) {
		page = SYSCALL(SYS_mmap, NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, event,
			       0);
		SYSCALL(SYS_close, event, 0, 0, 0, 0, 0);
	}
	gate_leave();
	return syscall_failed(page) ? NULL : (void *)page;
}

/* lock and index, which stays 0 for software: one word. */
static const uint64_t *event_word(const struct perf_event_mmap_page *page)
{
	return (const uint64_t *)(const void *)&page->lock;
}

_Static_assert(offsetof(struct perf_event_mmap_page, lock) % 8 == 0 &&
		       offsetof(struct perf_event_mmap_page, index) ==
			       offsetof(struct perf_event_mmap_page, lock) + 4,
	       "lock and index are one word");

void switches_arm(struct lane_context *context)
{
	if (source == SEGMENT_SWITCHES_RSEQ &&
	    context->switch_word != &context->switch_mark)
		*(volatile uint64_t *)(uintptr_t)context->switch_word =
			context->switch_mark;
	else
		context->switch_mark = *(volatile const uint64_t *)context->switch_word;
}

/* Does a sleep change the word? One whose timer strikes before the thread is switched out
 * is none: with a nanosecond that is so of threads of real time, and of others whose
 * timers may not be late; of the rest 55 times in 60,000 on a busy machine. */
static int is_seen(struct lane_context *context)
{
	static const long durations_ns[] = {1, 20000, 60000, 200000};

	for (unsigned int i = 0; i < sizeof(durations_ns) / sizeof(*durations_ns); i++) {
		struct timespec moment = {.tv_nsec = durations_ns[i]};

		switches_arm(context);
		SYSCALL(SYS_nanosleep, &moment, 0, 0, 0, 0, 0);
		if (switches_has_been(context))
			return 1;
	}
	return 0;
}

static int try_source(enum segment_switch_source candidate)
{
	struct lane_context *context = lane_own();
	int serves;

	source = candidate;
	switches_begin_lane(context);
	serves = context->switch_word != &context->switch_mark && is_seen(context);
	switches_end_lane(context);
	return serves;
}

void switches_begin(int is_wanted)
{
	section = (struct rseq_cs){
		.start_ip = (uintptr_t)&nowhere,
		.post_commit_offset = 4,
		.abort_ip = (uintptr_t)nowhere.abort_address,
	};
	if (!is_wanted || !lane_own() || !gate_enter())
		return;
	if (!try_source(SEGMENT_SWITCHES_RSEQ) && !try_source(SEGMENT_SWITCHES_PERF))
		source = SEGMENT_SWITCHES_UNSEEN;
	gate_leave();
	switches_begin_lane(lane_own());
}

void switches_begin_lane(struct lane_context *context)
{
	const uint64_t *word = NULL;

	context->switch_mark = 0;
	if (source == SEGMENT_SWITCHES_RSEQ) {
		word = rseq_word();
		context->switch_mark = (uintptr_t)&section;
	} else if (source == SEGMENT_SWITCHES_PERF) {
		context->switch_page = map_event();
		if (context->switch_page)
			word = event_word(context->switch_page);
	}
	context->switch_word = word ? word : &context->switch_mark;
	if (word)
		switches_arm(context);
}

void switches_end_lane(struct lane_context *context)
{
	context->switch_word = &context->switch_mark;
	if (context->switch_page && gate_enter()) {
		SYSCALL(SYS_munmap, context->switch_page, PAGE_BYTES, 0, 0, 0, 0);
		context->switch_page = NULL;
		gate_leave();
	}
}

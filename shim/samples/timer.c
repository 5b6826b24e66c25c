/* SPDX-License-Identifier: MIT */
/* A timer for each thread, and one handler for all (timer_create(2)). */
#include "shim/samples/timer.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include "common/sampling_event.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/samples/ring.h"
#include "shim/stacks/bounds.h"

/* SIGCANCEL, __SIGRTMIN */
#define TIMER_SIGNAL 32
#define MASK_BYTES 8

/* Of a thread's stack there is so much left when it gets its timer. */
#define LEAST_ROOM 32768u

/* The kernel's struct sigaction. */
struct action {
	void (*handler)(int number, siginfo_t *info, void *machine);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

#define ACTION_HAS_RESTORER 0x04000000ul

uint32_t timer_is_given_up written_in_children;

/* Debuggers and unwinders know the way back from a handler by these very bytes. */
hidden void timer_return(void);
__asm__(".text\n"
	".balign 16\n"
	"	nop\n"
	".type timer_return, @function\n"
	"timer_return:\n"
	"	movq $15, %rax\n"
	"	syscall\n"
	".size timer_return, . - timer_return\n");

_Static_assert(SYS_rt_sigreturn == 15, "the number above");

/* Below the innermost frame, as far as both are on the thread's stack: a handler may
 * interrupt the hook that is about to take the frame away. */
static uint64_t stack_bytes(const struct lane_context *context, uint64_t stack_pointer)
{
	const struct segment_frame *top = context->top;
	uint64_t bytes;

	if (top <= context->frames || stack_pointer % 8 ||
	    !paused_holds(context, stack_pointer) ||
	    !paused_holds(context, top[-1].stack_pointer) ||
	    top[-1].stack_pointer <= stack_pointer)
		return 0;
	bytes = (top[-1].stack_pointer - stack_pointer) & ~7ull;
	return bytes < SAMPLING_STACK_BYTES ? bytes : SAMPLING_STACK_BYTES;
}

/* All signals are blocked. It may interrupt any hook, which sees more samples then. */
static void handle(int number, siginfo_t *info, void *machine)
{
	const greg_t *registers = ((ucontext_t *)machine)->uc_mcontext.gregs;
	struct lane_context *context = lane_own();
	struct ring_record record = {.address = (uint64_t)registers[REG_RIP],
				     .stack_pointer = (uint64_t)registers[REG_RSP],
				     .frame_pointer = (uint64_t)registers[REG_RBP]};
	struct lane_samples *samples;
	uint64_t head, room;

	(void)number;
	if (!context || info->si_code != SI_TIMER || !timer_is_set(context))
		return;
	samples = &context->samples;
	head = samples->timer_head;
	/* no clock: so many periods it stands for */
	record.clock_ns = 1 + (info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0);
	room = samples->data.bytes - (head - context->sample_tail);
	if (room > samples->data.bytes / 2) /* the rest is for more of them without */
		record.stack_bytes = stack_bytes(context, record.stack_pointer);
	if (room < ring_record_bytes(&record)) {
		samples->timer_lost_periods += record.clock_ns;
		return;
	}
	ring_write(&samples->data, head, &record);
	__asm__ volatile("" : : : "memory");
	samples->timer_head = head + ring_record_bytes(&record);
}

static long act(const struct action *set, struct action *ret)
{
	return SYSCALL(SYS_rt_sigaction, TIMER_SIGNAL, set, ret, MASK_BYTES, 0, 0);
}

/* posix_spawn() of glibc has its own signals ignored in what it executes. */
static int is_free(const struct action *now)
{
	uintptr_t handler = (uintptr_t)now->handler;

	return handler == (uintptr_t)SIG_DFL || handler == (uintptr_t)SIG_IGN;
}

/* The signal is ours. 0: it is another's. */
static int has_handler(void)
{
	const struct action own = {
		handle, SA_SIGINFO | SA_RESTART | SA_ONSTACK | ACTION_HAS_RESTORER,
		timer_return, ~0ull};
	struct action now;

	if (act(NULL, &now) < 0)
		return 0;
	if (is_free(&now))
		return act(&own, NULL) == 0;
	return now.handler == handle;
}

static int has_room(void)
{
	uintptr_t address = (uintptr_t)__builtin_frame_address(0);
	struct extent stack;
	uint64_t mask;
	int is_known;

	if (bounds_main_stack(address, &stack))
		return 1; /* it grows */
	if (!gate_block_signals(&mask))
		return 0;
	is_known = bounds_block(address, &stack) || bounds_mapping(address, &stack);
	gate_restore_signals(&mask);
	return is_known && address - stack.low >= LEAST_ROOM;
}

/* The thread takes its signals, where there is room for a handler. */
static int is_fit(const struct lane_context *context)
{
	uint64_t blocked = 0;
	stack_t stack = {.ss_flags = SS_DISABLE};

	if (context->fiber != &context->native || (!timer_is_set(context) && !has_room()))
		return 0;
	SYSCALL(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, MASK_BYTES, 0, 0);
	SYSCALL(SYS_sigaltstack, NULL, &stack, 0, 0, 0, 0);
	return !(blocked >> (TIMER_SIGNAL - 1) & 1) &&
	       (stack.ss_flags & SS_DISABLE || stack.ss_size >= TIMER_STACK_BYTES);
}

/* Whoever takes the number out ends the timer: its number may be another's then. */
static void end(struct lane_samples *samples)
{
	uint32_t timer = __atomic_exchange_n(&samples->timer, 0, __ATOMIC_SEQ_CST);

	if (timer)
		SYSCALL(SYS_timer_delete, timer - 1, 0, 0, 0, 0, 0);
}

static long make(struct lane_context *context)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = TIMER_SIGNAL};
	int number = 0;
	long result;

	event._sigev_un._tid = context->tid;
	result = SYSCALL(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &number, 0, 0,
			 0);
	if (result < 0)
		return result;
	context->samples.data =
		(struct ring_data){context->timer_data, sizeof(context->timer_data)};
	context->sample_tail = context->samples.timer_head = 0;
	context->samples.timer_lost_periods = 0;
	__asm__ volatile("" : : : "memory");
	context->sample_head = &context->samples.timer_head;
	__atomic_store_n(&context->samples.timer, (uint32_t)number + 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int refuse(struct lane_context *context)
{
	process_note(SEGMENT_NOTE_TIMER_ENDED);
	timer_end(context);
	return -EBUSY;
}

/* Under no lock: who gives up sees the timer, or this sees that somebody has. */
static long start(struct lane_context *context, uint64_t period_ns)
{
	struct itimerspec time = {
		{(time_t)(period_ns / 1000000000u), (long)(period_ns % 1000000000u)},
		{0, 0}};
	uint32_t timer = __atomic_load_n(&context->samples.timer, __ATOMIC_SEQ_CST);

	time.it_value = time.it_interval;
	if (!timer || __atomic_load_n(&timer_is_given_up, __ATOMIC_SEQ_CST))
		return -EBUSY;
	return SYSCALL(SYS_timer_settime, timer - 1, 0, &time, NULL, 0, 0);
}

int timer_set(struct lane_context *context, uint64_t period_ns)
{
	long result = 0;

	if (__atomic_load_n(&timer_is_given_up, __ATOMIC_SEQ_CST) || !is_fit(context))
		return refuse(context);
	if (!has_handler()) {
		timer_give_up();
		return refuse(context);
	}
	if (!timer_is_set(context))
		result = make(context);
	if (result == 0)
		result = start(context, period_ns);
	if (result < 0)
		timer_end(context);
	return (int)result;
}

void timer_end(struct lane_context *context)
{
	end(&context->samples);
	context->sample_head = &context->sample_tail;
}

void timer_give_up(void)
{
	int had_one = 0;

	if (__atomic_exchange_n(&timer_is_given_up, 1, __ATOMIC_SEQ_CST))
		return;
	for (struct lane_context *context = process->lanes; context;
	     context = context->next_lane) {
		had_one |= timer_is_set(context);
		end(&context->samples);
	}
	if (had_one)
		process_note(SEGMENT_NOTE_TIMER_ENDED);
}

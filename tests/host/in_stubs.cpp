/* SPDX-License-Identifier: MIT */
/* Short functions are interrupted at any instruction, those of what leads their hooks
 * elsewhere among them. Says how often what should have been unwound was not:
 *     cancels   threads are cancelled where they are; each has an object to destroy
 *     throws    handlers throw through what they interrupted
 *     traces    handlers look for main() in their stack, and with libunwind */
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <execinfo.h>
#include <pthread.h>
#include <sys/time.h>
#ifdef WITH_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#include "short_steps.h"

extern "C" {
extern volatile int has_computed;
void compute();
}

static std::atomic<int> destroyed;
static int count = 120; /* a tenth with BRIEF in the environment */

struct Object {
	ALONE ~Object()
	{
		destroyed++;
	}
};

ALONE static void *be_cancelled(void *argument)
{
	Object object;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
	compute();
	return argument;
}

static int cancel_threads()
{
	for (int i = 0; i < count; i++) {
		timespec pause = {0, 20000 + i * 97};
		pthread_t thread;

		has_computed = 0;
		if (pthread_create(&thread, nullptr, be_cancelled, nullptr))
			return -1;
		while (!has_computed)
			sched_yield();
		nanosleep(&pause, nullptr);
		pthread_cancel(thread);
		pthread_join(thread, nullptr);
	}
	return count - destroyed;
}

static void throw_on(int)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
	throw 7;
}

static void start_timer(int which, long first_us, long next_us)
{
	itimerval timer = {{0, next_us}, {0, first_us}};

	setitimer(which, &timer, nullptr);
}

static int throw_from_handlers()
{
	int caught = 0;

	signal(SIGALRM, throw_on);
	for (int i = 0; i < count; i++) {
		try {
			Object object;

			start_timer(ITIMER_REAL, 200 + i, 0);
			compute();
		} catch (int value) {
			caught += value == 7;
		}
	}
	return 2 * count - destroyed - caught;
}

static volatile int handled, cut;
static char *of_main;

/* A frame of main()'s caller has an address that is known. */
static int reaches_main(void **stack, int count)
{
	for (int i = 0; i < count; i++) {
		if (stack[i] == of_main)
			return 1;
	}
	return 0;
}

static void trace(int)
{
	void *stack[64];
	int error = errno, is_whole = reaches_main(stack, backtrace(stack, 64));

#ifdef WITH_LIBUNWIND
	unw_context_t context;
	unw_cursor_t cursor;
	int count = 0;

	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	while (count < 64 && unw_step(&cursor) > 0) {
		unw_word_t address;

		unw_get_reg(&cursor, UNW_REG_IP, &address);
		stack[count++] = reinterpret_cast<void *>(address);
	}
	is_whole = is_whole && reaches_main(stack, count);
#endif
	handled = handled + 1;
	if (!is_whole)
		cut = cut + 1;
	errno = error;
}

static int trace_from_handlers()
{
	void *stack[64];

	backtrace(stack, 64); /* its first use loads a library */
	signal(SIGPROF, trace);
	start_timer(ITIMER_PROF, 1000, 1000);
	while (handled < count)
		steps(1000);
	start_timer(ITIMER_PROF, 0, 0);
	return cut;
}

int main(int word_count, char **words)
{
	const char *what = word_count > 1 ? words[1] : "";
	int wrong = -1;

	of_main = static_cast<char *>(__builtin_return_address(0));
	if (getenv("BRIEF"))
		count /= 10;
	else
		become_known();
	if (!strcmp(what, "cancels"))
		wrong = cancel_threads();
	else if (!strcmp(what, "throws"))
		wrong = throw_from_handlers();
	else if (!strcmp(what, "traces"))
		wrong = trace_from_handlers();
	std::printf("%s: %d not unwound\n", what, wrong);
	return wrong != 0;
}

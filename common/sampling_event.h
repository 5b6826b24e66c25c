/* SPDX-License-Identifier: MIT */
/*
 * How often threads are sampled, so that samples take no more than 2 % of what they
 * compute; and what the kernel is asked for (perf_event_open(2)): the collector tries
 * with it whether samples are allowed and what they cost, and the shim gets the same.
 * Runs on: the collector, and traced threads in any context.
 */
#pragma once

#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <stdint.h>

/* Nobody polls the descriptor. */
#define SAMPLING_EVENT_NEVER_WAKE (1u << 30)

/* The task clock, user mode only: software, so it needs no right that users lack where
 * kernel.perf_event_paranoid is 2 or less. period_ns 0: it only counts. */
static inline struct perf_event_attr sampling_event(uint64_t period_ns)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = SAMPLING_EVENT_NEVER_WAKE,
	};
}

/* Where the program is in user mode: in the kernel it is somewhere else. */
static inline void sampling_add_registers(struct perf_event_attr *attributes)
{
	attributes->sample_type |= PERF_SAMPLE_REGS_USER;
	attributes->sample_regs_user =
		1u << PERF_REG_X86_BP | 1u << PERF_REG_X86_SP | 1u << PERF_REG_X86_IP;
}

/* Of the stack, from its pointer on. With 2 KiB the frame that was open is reached in 88
 * to 98 % of the samples of SQLite, Lua, gawk, m4, tcc and cmark, with 1 KiB in 33 to 95,
 * with 512 bytes in 17 to 91. */
#define SAMPLING_STACK_BYTES 2048u

/* With each sample its stack, which costs half a microsecond more. */
static inline void sampling_add_stack(struct perf_event_attr *attributes)
{
	sampling_add_registers(attributes);
	attributes->sample_type |= PERF_SAMPLE_STACK_USER;
	attributes->sample_stack_user = SAMPLING_STACK_BYTES;
}

/* In the kernel, too: root may, and who has CAP_PERFMON, and others where
 * kernel.perf_event_paranoid is less than 2. */
static inline void sampling_add_kernel(struct perf_event_attr *attributes)
{
	sampling_add_registers(attributes);
	attributes->exclude_kernel = 0;
}

#define SAMPLING_BUDGET_SHARE 0.02
/* What a sample costs where nobody has measured it: that of a virtual machine. */
#define SAMPLING_TICK_NS 16000u
#define SAMPLING_LEAST_PERIOD_NS 250000u
/* What a switch costs more when the timer comes before the scheduler's tick. */
#define SAMPLING_SWITCH_NS 10000.0
/* The same of one that comes later. */
#define SAMPLING_SLOW_SWITCH_NS 3000.0
#define SAMPLING_SLOW_PERIOD_NS 10000000u
/* The same of one at the least period. */
#define SAMPLING_FAST_SWITCH_NS 17000.0

/* hz: PROFSHIM_SAMPLES, 0: as the budget says. tick_ns: what the collector has measured,
 * 0: nothing. Of some time, in which busy_ns were computed and the threads were switched
 * so often. 0: samples would cost too much. */
static inline uint64_t sampling_period_ns(uint32_t hz, uint64_t tick_ns, double busy_ns,
					  uint64_t switch_count)
{
	double allowed_ns = SAMPLING_BUDGET_SHARE * busy_ns;
	uint64_t period_ns;

	if (hz)
		return 1000000000u / hz;
	if ((double)switch_count * SAMPLING_SLOW_SWITCH_NS > allowed_ns)
		return 0;
	if ((double)switch_count * SAMPLING_SWITCH_NS > allowed_ns)
		return SAMPLING_SLOW_PERIOD_NS;
	if (!tick_ns || tick_ns > SAMPLING_SLOW_PERIOD_NS)
		tick_ns = SAMPLING_TICK_NS;
	period_ns = (uint64_t)((double)tick_ns / SAMPLING_BUDGET_SHARE);
	if (period_ns < SAMPLING_LEAST_PERIOD_NS)
		return SAMPLING_LEAST_PERIOD_NS;
	return period_ns < SAMPLING_SLOW_PERIOD_NS ? period_ns : SAMPLING_SLOW_PERIOD_NS;
}

/* The part of its time that a thread may be sampled in, where the timer is set anew at
 * each switch. Less than 1: then with the least period, as samples cost less than the
 * switches between them. 0: with less than the least share; in the windows that are left
 * the thread would take twice as long. */
#define SAMPLING_LEAST_SHARE 0.02
static inline double sampling_share(uint32_t hz, uint64_t tick_ns, double busy_ns,
				    uint64_t switch_count)
{
	double allowed_ns = SAMPLING_BUDGET_SHARE * busy_ns;
	double cost_ns = (double)switch_count * SAMPLING_FAST_SWITCH_NS;
	double share;

	if (hz || (double)switch_count * SAMPLING_SWITCH_NS <= allowed_ns)
		return 1;
	share = allowed_ns /
		(cost_ns + (double)tick_ns * busy_ns / SAMPLING_LEAST_PERIOD_NS);
	return share < SAMPLING_LEAST_SHARE ? 0 : share;
}

/* The next number at random. *state: of the caller's own, not 0. */
static inline uint32_t sampling_random(uint32_t *state)
{
	*state ^= *state << 13; /* xorshift32, Marsaglia 2003 */
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* From 0.8 to 1.2 of it. */
static inline uint64_t sampling_draw(uint32_t *state, uint64_t period_ns)
{
	uint32_t value = sampling_random(state);

	return period_ns * 4 / 5 + (period_ns * 2 / 5 * (value >> 16) >> 16);
}

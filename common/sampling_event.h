/* SPDX-License-Identifier: MIT */
/*
 * What the kernel is asked for when a thread samples itself (perf_event_open(2)): the
 * collector tries with it whether samples are allowed and what they cost, and the shim
 * gets the same. Runs on: the collector, and traced threads in any context.
 */
#pragma once

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

/* SPDX-License-Identifier: MIT */
/* What the wrappers have in common: the end of a call, and its place in the books. */
#include "shim/wrap/io/io_call.h"

#include "common/libc/calls.h"
#include "shim/core/process.h"
#include "shim/io/descriptors.h"
#include "shim/waits/holders.h"
#include "shim/wrap/real.h"

/* Ends the call's frame. Returns whether there is something to book, with its node and
 * ticks. */
static inline int end_frame(enum libc_call call, uintptr_t stack, uint32_t *ret_node,
			    uint64_t *ret_ticks)
{
	*ret_node = libc_call_close(call, stack, ret_ticks);
	return *ret_node != LIBC_CALL_UNRECORDED;
}

static inline uint32_t target_of(struct descriptor *descriptor, int number)
{
	uint32_t channel;

	if (likely(descriptor->target))
		return descriptor->target;
	descriptor->target =
		targets_of_descriptor(number, descriptor->is_server, &channel);
	if (channel)
		descriptor->channel = channel;
	descriptor->is_asked = 1;
	return descriptor->target;
}

/* Not when it is opened: few files are pipes, and asking takes as long as a short
 * write. */
static inline uint32_t channel_of(struct descriptor *descriptor, int number)
{
	if (unlikely(!descriptor->channel && !descriptor->is_asked)) {
		descriptor->is_asked = 1;
		descriptor->channel = targets_channel(number);
	}
	return descriptor->channel;
}

static inline uint32_t other_end(uint32_t channel)
{
	return channel & TARGETS_CHANNEL_PAIR ? channel ^ 1 : channel;
}

uint32_t io_call_target(int descriptor)
{
	struct descriptor *known = descriptors_at(descriptor);

	return known ? target_of(known, descriptor) : 0;
}

uint32_t io_call_leave(int descriptor)
{
	const struct descriptor *known = descriptors_known(descriptor);
	uint32_t target = known ? known->target : 0;

	descriptors_forget(descriptor);
	return target;
}

/* Did the transfer go on where the last one ended? */
static inline int follow(struct descriptor *descriptor, int64_t moved, int64_t at)
{
	uint64_t bytes = moved > 0 ? (uint64_t)moved : 0;
	int is_sequential;

	if (at == IO_NEXT) {
		is_sequential = !descriptor->is_moved;
		descriptor->is_moved = 0;
		descriptor->offset += bytes;
		return is_sequential;
	}
	is_sequential = descriptor->next_at == (uint64_t)at;
	descriptor->next_at = (uint64_t)at + bytes;
	return is_sequential;
}

/* A call of the node that moved so many bytes; or less than none, it failed. */
static inline __attribute__((always_inline)) void
book(uint32_t node, struct transfer *transfer, int number, int64_t at)
{
	struct descriptor *known = descriptors_at(number);
	uint32_t none = 0, *memo = &none;

	if (likely(known)) {
		memo = &known->transfers[node % 2];
		transfer->target = target_of(known, number);
		transfer->is_sequential = follow(known, transfer->bytes, at);
	}
	transfers_book(lane_self, node, transfer, memo);
}

/* The thread has slept, in this call or in one before that told it of this one: what it
 * has got, another thread may have written meanwhile. */
static cold void settle_nap(int descriptor)
{
	struct descriptor *known = descriptors_known(descriptor);

	if (known && channel_of(known, descriptor))
		stalls_settle_nap(lane_self, senders_key_of_channel(known->channel));
}

void io_call_send(enum libc_call call, int descriptor)
{
	const struct lane_context *context = lane_self;
	const struct segment_frame *frame;
	struct descriptor *known;

	if (unlikely(!lane_is_live(context)))
		return;
	frame = context->top - 1;
	known = descriptors_at(descriptor);
	/* its frame is open: it is recorded */
	if (unlikely(frame->function != (SEGMENT_KEY_LIBC | (uint64_t)call) || !known))
		return;
	target_of(known, descriptor);
	if (unlikely(channel_of(known, descriptor)))
		senders_put(context, frame->parent_node,
			    senders_key_of_channel(other_end(known->channel)),
			    frame->start_ticks + context->clock_offset);
}

on_short_calls void io_call_end(enum libc_call call, uintptr_t stack, int descriptor,
				int64_t moved, int64_t at)
{
	struct transfer transfer = {.bytes = moved};
	uint32_t node;

	if (!end_frame(call, stack, &node, &transfer.ticks))
		return;
	book(node, &transfer, descriptor, at);
	if (unlikely(lane_self->has_nap) && moved > 0)
		settle_nap(descriptor);
}

on_short_calls void io_call_end_copy(enum libc_call call, uintptr_t stack, int to,
				     int64_t to_at, int from, int64_t from_at,
				     int64_t moved)
{
	struct transfer written = {.bytes = moved};
	struct transfer taken = {.bytes = moved, .is_source = 1};
	uint32_t node;

	if (!end_frame(call, stack, &node, &written.ticks))
		return;
	book(node, &written, to, to_at);
	book(node, &taken, from, from_at);
	if (unlikely(lane_self->has_nap) && moved > 0)
		settle_nap(from);
}

void io_call_end_parts(enum libc_call call, uintptr_t stack,
		       const struct io_call_part *parts, uint32_t count)
{
	uint64_t ticks;
	uint32_t node;

	if (!end_frame(call, stack, &node, &ticks))
		return;
	for (uint32_t i = 0; i < count; i++) {
		struct transfer transfer = {.bytes = parts[i].bytes,
					    .ticks = i ? 0 : ticks};

		book(node, &transfer, parts[i].descriptor, IO_NEXT);
	}
}

on_short_calls void io_call_end_on(enum libc_call call, uintptr_t stack, uint32_t target,
				   int64_t moved)
{
	struct transfer transfer = {.target = target, .bytes = moved};
	uint32_t node;

	if (end_frame(call, stack, &node, &transfer.ticks))
		transfers_book(lane_self, node, &transfer, &(uint32_t){0});
}

static uint32_t paths(void)
{
	return targets_find(SEGMENT_TARGET_PATHS, "[paths]", 7);
}

on_short_calls void io_call_end_path(enum libc_call call, uintptr_t stack, int64_t result)
{
	struct transfer transfer = {.bytes = result < 0 ? -1 : 0};
	uint32_t node;

	if (!end_frame(call, stack, &node, &transfer.ticks))
		return;
	transfer.target = paths();
	transfers_book(lane_self, node, &transfer, &(uint32_t){0});
}

/* An absolute path is taken as it was given; of others the kernel is asked. */
static uint32_t target_at(const char *path, int descriptor)
{
	uint32_t channel;
	static const char devices[] = "/dev/";
	size_t length = 0, same = 0;

	if (path[0] != '/')
		return targets_of_descriptor(descriptor, 0, &channel);
	while (path[length])
		length++;
	while (same < sizeof(devices) - 1 && path[same] == devices[same])
		same++;
	/* a device may be one of many names for the terminal, and the kernel's is best */
	if (same == sizeof(devices) - 1)
		return targets_of_descriptor(descriptor, 0, &channel);
	return targets_find(SEGMENT_TARGET_FILE, path, length);
}

on_short_calls void io_call_end_open(enum libc_call call, uintptr_t stack, int descriptor,
				     const char *path)
{
	struct transfer transfer = {.bytes = descriptor < 0 ? -1 : 0};
	struct descriptor *known;
	uint32_t node;

	if (!end_frame(call, stack, &node, &transfer.ticks))
		return;
	known = descriptor < 0 ? NULL : descriptors_at(descriptor);
	if (known) {
		*known = (struct descriptor){.target = target_at(path, descriptor)};
		transfer.target = known->target;
	} else {
		transfer.target = paths();
	}
	transfers_book(lane_self, node, &transfer, &(uint32_t){0});
}

void io_call_pair(const int *ends)
{
	static uint32_t count;
	const struct lane_context *context = lane_own();
	uint32_t pair = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) << 1;

	if (!context || !process_is_ready() || context->is_vforking)
		return;
	for (uint32_t i = 0; i < 2; i++) {
		struct descriptor *known = descriptors_at(ends[i]);

		if (known)
			*known = (struct descriptor){
				.channel = TARGETS_CHANNEL_PAIR |
					   (pair & (TARGETS_CHANNEL_PAIR - 1)) | i,
				.is_asked = 1};
	}
}

/*
 * The bodies of those rows of wrapped.def that say all there is to be said of a function:
 * what it is recorded as, and its types. Its parameters are called a, b, c and so on.
 */

#define NEXT(name, ...) real_##name(WRAPPER_COUNTED(ARGUMENTS_, __VA_ARGS__))
#define WRAPPED_WAIT(name, call, type, ...)                                              \
	WRAPPER_OF(LIBC_CALL(call, NEXT(name, __VA_ARGS__)), name, type, __VA_ARGS__)
#define WRAPPED_IO(name, call, type, ...)                                                \
	WRAPPER_OF(IO_CALL(call, a, IO_NEXT, NEXT(name, __VA_ARGS__)), name, type,       \
		   __VA_ARGS__)
#define WRAPPED_IO_AT(name, call, type, ...)                                             \
	WRAPPER_OF(IO_CALL(call, a, d, NEXT(name, __VA_ARGS__)), name, type, __VA_ARGS__)
#define WRAPPED_SEND(name, call, type, ...)                                              \
	WRAPPER_OF(                                                                      \
		IO_CALL(call, a, IO_NEXT,                                                \
			(io_call_send(LIBC_CALL_##call, a), NEXT(name, __VA_ARGS__))),   \
		name, type, __VA_ARGS__)
#define WRAPPED_PATH(name, call, type, ...)                                              \
	WRAPPER_OF(IO_CALL_PATH(call, NEXT(name, __VA_ARGS__)), name, type, __VA_ARGS__)
#define WRAPPED_OPEN(name, call, type, ...)                                              \
	WRAPPER_OF(IO_CALL_OPEN(call, a, NEXT(name, __VA_ARGS__)), name, type,           \
		   __VA_ARGS__)

#include "shim/wrap/wrapped.def"

/* SPDX-License-Identifier: MIT */
/* The table of senders. */
#include "shim/waits/senders.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"

struct sender senders[LANE_LOCK_HEADS];

void senders_note(uintptr_t key)
{
	const struct lane_context *context = lane_own();

	if (context && process_is_ready() && !context->is_vforking && !paused_is_on() &&
	    context->own_work == OWN_WORK_NONE)
		senders_put(context, context->current, key, clock_now());
}

void senders_find(struct holder *ret, const uintptr_t *keys, uint32_t count,
		  uint64_t since_ticks, uint64_t until_ticks)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct sender *sender = &senders[lock_list_hash(keys[i])];
		uint64_t word = __atomic_load_n(&sender->word, __ATOMIC_RELAXED);
		uint64_t ticks = __atomic_load_n(&sender->ticks, __ATOMIC_RELAXED);

		if ((int64_t)(ticks - since_ticks) < 0 ||
		    (int64_t)(until_ticks - ticks) < 0 ||
		    !holders_is_word_of(word, keys[i]))
			continue;
		holders_take_word(ret, word);
		since_ticks = ticks;
	}
}

void senders_note_process(int signal)
{
	senders_note(senders_key_of_process(SENDERS_ANY));
	senders_note(senders_key_of_process(signal));
}

void senders_note_thread(uintptr_t thread, int signal)
{
	senders_note(senders_key_of_thread(thread, SENDERS_ANY));
	senders_note(senders_key_of_thread(thread, signal));
}

void senders_note_tid(int32_t tid, int signal)
{
	senders_note(senders_key_of_tid(tid, SENDERS_ANY));
	senders_note(senders_key_of_tid(tid, signal));
}

void senders_find_signal(struct holder *ret, int signal, uint64_t since_ticks)
{
	const struct lane_context *context = lane_own();
	const uintptr_t keys[] = {
		senders_key_of_process(signal),
		senders_key_of_thread((uintptr_t)__builtin_thread_pointer(), signal),
		senders_key_of_tid(context ? context->tid : 0, signal),
	};

	senders_find(ret, keys, sizeof(keys) / sizeof(keys[0]), since_ticks, clock_now());
}

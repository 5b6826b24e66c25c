/* SPDX-License-Identifier: MIT */
/* Taking settings over, and going through the functions that are known. */
#include "shim/budget/settings.h"

#include "shim/budget/rule.h"
#include "shim/lane/busy.h"
#include "shim/lane/frames.h"
#include "shim/lane/trigger.h"
#include "shim/lane/ways/ways.h"
#include "shim/lane/upcalls.h"
#include "shim/patch/modes.h"
#include "shim/patch/selected.h"

#define MOST_PERCENT 1000.0

/* What has been taken over. Written by the one thread that follows. */
static struct {
	uint64_t version; /* 0: what the run began with */
	uint64_t setting_generation, table_generation, rules_generation;
	struct segment_setting setting;
	uint32_t is_changing; /* somebody is at it: a child has to do it all again */
} taken;

/* acquire: what is asked for after that is not older than what was copied. */
static void copy_words(void *to, const void *from, uint64_t size)
{
	for (uint64_t i = 0; i < size / sizeof(uint64_t); i++)
		((uint64_t *)to)[i] =
			__atomic_load_n(&((const uint64_t *)from)[i], __ATOMIC_ACQUIRE);
}

static void copy_rules(char *to, const char *from)
{
	for (uint32_t i = 0; i < SEGMENT_RULES_MAX; i++)
		to[i] = from[i];
}

/* NaN is none, too. */
static double clip_percent(double percent)
{
	if (!(percent > 0))
		return 0;
	return percent < MOST_PERCENT ? percent : MOST_PERCENT;
}

static void copy_first(struct segment_setting *ret)
{
	const struct segment_run *run = process_facts.run;

	ret->generation = ret->rules_generation = 0;
	ret->overhead_percent = run->overhead_percent;
	copy_rules(ret->only, run->only);
	copy_rules(ret->skip, run->skip);
}

/* The one in force. 0: it has been overwritten meanwhile. */
static int copy_setting(struct segment_setting *ret)
{
	const struct segment_control *control = process_facts.control;
	uint64_t generation =
		control ? __atomic_load_n(&control->setting_generation, __ATOMIC_ACQUIRE)
			: 0;

	if (!generation) {
		copy_first(ret);
		return 1;
	}
	copy_words(ret, &control->settings[generation % SEGMENT_SETTING_LIMIT],
		   sizeof(*ret));
	if (__atomic_load_n(&control->setting_generation, __ATOMIC_RELAXED) -
		    generation >=
	    SEGMENT_SETTING_LIMIT - 1)
		return 0;
	ret->generation = generation;
	ret->overhead_percent = clip_percent(ret->overhead_percent);
	ret->only[sizeof(ret->only) - 1] = ret->skip[sizeof(ret->skip) - 1] = '\0';
	return 1;
}

/* Under the lock, or in the constructor. 0: it changes just now; again, later. */
static int take(void)
{
	const struct segment_control *control = process_facts.control;
	uint64_t tables =
		control ? __atomic_load_n(&control->table_generation, __ATOMIC_ACQUIRE)
			: 0;
	int has_new_rules;

	if (!copy_setting(&taken.setting))
		return 0;
	has_new_rules = taken.setting.rules_generation != taken.rules_generation ||
			tables != taken.table_generation || !taken.version;
	taken.setting_generation = taken.setting.generation;
	taken.table_generation = tables;
	taken.rules_generation = taken.setting.rules_generation;
	process_facts.overhead_percent = taken.setting.overhead_percent;
	if (has_new_rules)
		upcalls.use_rules(&taken.setting);
	taken.version = taken.setting_generation + tables;
	return 1;
}

void settings_begin(void)
{
	take();
}

void settings_tell(void)
{
	struct segment_process *segment = process->segment;

	/* release: what follows from them has been done */
	__atomic_store_n(&segment->setting_generation, taken.setting_generation,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&segment->table_generation, taken.table_generation,
			 __ATOMIC_RELEASE);
}

void settings_forked(void)
{
	if (taken.is_changing) {
		taken.version = UINT64_MAX;
		taken.is_changing = 0;
	}
	settings_tell();
}

uint64_t settings_rules(void)
{
	return taken.rules_generation;
}

static int is_off(uint64_t function)
{
	enum selected selected;

	if (!selected_is_active)
		return 0;
	selected = selected_find(function);
	if (selected == SELECTED_UNKNOWN) {
		upcalls.select_module(function);
		selected = selected_find(function);
	}
	return selected == SELECTED_OFF;
}

static void turn_off(uint64_t function)
{
	uint32_t number =
		modes_set(function, SEGMENT_RECORDING_OFF, SEGMENT_REASON_ASKED);

	if (!number && !(trigger_count && trigger_find(function)))
		process_count(SEGMENT_COUNTER_KEPT_FUNCTIONS, 1);
	if (number)
		modes_keep_sites(number, frames_are_open(function));
}

/* Records a function as is asked for. */
static void settle(uint64_t function)
{
	uint32_t number = modes_find(function);
	enum segment_recording now =
		number ? modes_recording(number) : SEGMENT_RECORDING_EXACT;

	if (is_off(function)) {
		if (now != SEGMENT_RECORDING_OFF)
			turn_off(function);
	} else if (now == SEGMENT_RECORDING_OFF) {
		modes_set(function, SEGMENT_RECORDING_EXACT, SEGMENT_REASON_ASKED);
	} else if (now != SEGMENT_RECORDING_EXACT && !process_facts.overhead_percent) {
		modes_set(function, SEGMENT_RECORDING_EXACT, SEGMENT_REASON_BUDGET);
	}
}

/* Not of an object that has gone, nor a region. */
static int is_function(uint64_t key)
{
	return key && key == (key & SEGMENT_KEY_ADDRESS_MASK) &&
	       !segment_key_is_region(key);
}

static uint64_t list_lane(const struct lane_context *lane, uint64_t *keys, uint64_t count,
			  uint64_t most)
{
	for (uint32_t i = 1; i < lane->function_next && count < most; i++) {
		if (is_function(lane->functions[i].key))
			keys[count++] = lane->functions[i].key;
	}
	return count;
}

/* Functions that are known: of the lanes, and without frames. Under the lock. */
static uint64_t list_functions(uint64_t *keys, uint64_t most)
{
	uint64_t count = 0;

	for (const struct lane_context *lane = process->lanes; lane;
	     lane = lane->next_lane) {
		if (lane->functions)
			count = list_lane(lane, keys, count, most);
	}
	for (uint32_t i = 1; i < modes_count && count < most; i++) {
		if (is_function(modes_function(i)))
			keys[count++] = modes_function(i);
	}
	return count;
}

static uint64_t count_functions(void)
{
	uint64_t count = modes_count;

	for (const struct lane_context *lane = process->lanes; lane;
	     lane = lane->next_lane)
		count += lane->function_next;
	return count;
}

/* Paths that are in the front tables never come to where it is asked how a function is
 * recorded. */
static void forget_fronts(struct lane_context *lane)
{
	for (uint32_t i = 0; lane->nodes && i < LANE_FRONT_COUNT; i++)
		__atomic_store_n(&lane->front[i], 0, __ATOMIC_RELAXED);
	ways_forget(lane, 0);
}

static void settle_all(void)
{
	uint64_t *keys, most, count = 0, mask;

	if (!process_lock(&mask))
		return;
	most = count_functions();
	keys = process_map((most + 1) * sizeof(*keys), 0);
	if (keys)
		count = list_functions(keys, most);
	process_unlock(&mask);
	for (uint64_t i = 0; i < count; i++)
		settle(keys[i]);
	process_unmap(keys, (most + 1) * sizeof(*keys));
	if (!process_lock(&mask))
		return;
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane)
		forget_fronts(lane);
	process_unlock(&mask);
}

/* The thread's own lane: what it was adding meanwhile. */
static void settle_lane(struct lane_context *context)
{
	for (uint32_t i = 1; i < context->function_next; i++) {
		if (is_function(context->functions[i].key))
			settle(context->functions[i].key);
	}
	forget_fronts(context);
	rule_begin_anew(context);
}

static int take_locked(void)
{
	uint64_t mask;
	int is_taken = 1;

	if (!process_try_lock(&mask)) /* others' hooks will ask, too */
		return 0;
	taken.is_changing = 1;
	is_taken = take();
	process_unlock(&mask);
	return is_taken;
}

int settings_begin_change(struct lane_context *context, uintptr_t stack)
{
	uint32_t expected = 0;

	if (!busy_take(context, BUSY_SETTINGS, stack))
		return 0;
	if (__atomic_compare_exchange_n(&process->changer, &expected, context->slot, 0,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return 1;
	busy_give(context, BUSY_SETTINGS);
	return 0;
}

void settings_end_change(struct lane_context *context)
{
	/* release: who changes them next sees what has been done */
	__atomic_store_n(&process->changer, 0, __ATOMIC_RELEASE);
	busy_give(context, BUSY_SETTINGS);
}

void settings_abandon(struct lane_context *context)
{
	if (__atomic_load_n(&process->changer, __ATOMIC_RELAXED) != context->slot)
		return;
	settings_forked(); /* what another one has begun is done again */
	__atomic_store_n(&process->changer, 0, __ATOMIC_RELEASE);
}

void cold settings_take_over(struct lane_context *context)
{
	if (context->is_vforking || !process_is_ready() ||
	    !settings_begin_change(context, (uintptr_t)__builtin_frame_address(0)))
		return;
	if (settings_version() != taken.version && take_locked()) {
		settle_all();
		settings_tell();
		taken.is_changing = 0;
	}
	if (!taken.is_changing) {
		settle_lane(context);
		context->settings_seen = taken.version;
	}
	settings_end_change(context);
}

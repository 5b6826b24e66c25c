/* SPDX-License-Identifier: MIT */
/* Bursts of looks, and what follows from them. */
#include "shim/budget/budget.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/allocators.h"
#include "shim/lane/tree.h"
#include "shim/patch/code.h"
#include "shim/patch/modes.h"
#include "shim/budget/price.h"
#include "shim/budget/review.h"
#include "shim/budget/settings.h"

#define BURST_CALLS 64u
#define BURST_TICKS (clock_tenth_of_second() >> 15) /* 3 us */
#define LEAST_INTERVAL (clock_tenth_of_second() >> 13)
/* 0.2 ms: a forked child that has ended by then is not looked at. */
#define CHILD_LOOK_TICKS (clock_tenth_of_second() >> 9)
#define MOST_INTERVAL (clock_tenth_of_second() >> 7) /* 0.8 ms */
#define FIRST_NUMBERS 8u /* of functions whose code is written for any cost */
#define SAMPLED_CALLS 128u
#define SAMPLED_BURSTS 16u
/* Before functions with longer calls are counted, too. (SAMPLED_CALLS was tried: of calls
 * that take 1 us, 16 bursts have 50; a budget of 1 % stayed at 4.) */
#define RAISE_CALLS 32u
#define LEAST_CALLS 200u /* of a function, before its times are known well enough */
#define LIMIT_SHIFT 10u	 /* 1,024 ticks: 0.4 us */
#define LIMIT_SHIFT_MOST 13u
/* Windows get three tenths of the budget, what is counted counts as it is. */
#define WINDOW_PART 0.3

static double allowed_share(void)
{
	double part = process_facts.overhead_percent / 100;

	return part / (1 + part);
}

static double pair_ticks(void)
{
	return process_facts.run->inner_cost_ticks + process_facts.run->outer_cost_ticks;
}

/* What begins finds its data far away, and looks for its caller. */
#define WINDOW_START_PAIRS 32

uint64_t budget_window_cost(uint64_t call_count)
{
	return (uint64_t)(pair_ticks() * (double)(call_count + WINDOW_START_PAIRS));
}

uint64_t budget_window_gap(uint64_t call_count)
{
	double gap =
		(double)budget_window_cost(call_count) / (allowed_share() * WINDOW_PART);
	double most = (double)clock_tenth_of_second();

	return (uint64_t)(gap < most ? gap : most);
}

static void begin_windows(struct lane_context *context)
{
	struct lane_windows *windows = &context->windows;

	context->pulse = context->quiet_pulse = 0;
	context->is_at_window = 0;
	windows->pulse_length = windows->pulse_loaded = 0;
	windows->end_ticks = windows->next_ticks = 0;
	if (!windows->random)
		windows->random = context->slot * 2654435761u | 1;
}

void budget_begin(struct lane_context *context)
{
	struct lane_budget *budget = &context->budget;

	begin_windows(context);
	context->settings_seen = 0;
	budget->interval_ticks = LEAST_INTERVAL;
	budget->burst_end = budget->next_look_ticks = budget->next_busy_ticks = 0;
	if (budget->mean_limit_shift < LIMIT_SHIFT)
		budget->mean_limit_shift = LIMIT_SHIFT;
	if (process->segment->forked_from_slot)
		budget->next_look_ticks = clock_now() + CHILD_LOOK_TICKS;
	context->check_ticks = budget->next_look_ticks;
	budget->last_decision_ticks = lane_busy_ticks(context, clock_now());
}

void budget_resume(struct lane_context *context)
{
	context->budget.burst_end = 0;
	/* without a budget the next exit looks whether there is one, and sets the time */
	context->check_ticks =
		process_facts.overhead_percent > 0 ? context->budget.next_look_ticks : 0;
}

static struct lane_suspect *find_suspect(struct lane_context *context, uint64_t function)
{
	uint32_t at = (uint32_t)(function * 0x9e3779b97f4a7c15ull >> 57);

	for (uint32_t i = 0; i < 16; i++) {
		struct lane_suspect *suspect =
			&context->suspects[(at + i) % LANE_SUSPECTS];

		if (!suspect->function)
			suspect->function = function;
		if (suspect->function == function)
			return suspect;
	}
	return NULL;
}

/* What a lane's histogram says of a function. */
struct habit {
	uint64_t call_count;
	double mean_ticks; /* of calls that are not far longer than most */
	int varies;
};

/* So many buckets are 7 powers of two. */
#define FAR_LONGER (7u * 8)

static uint32_t median_bucket(const struct segment_function *function, uint64_t calls)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++) {
		seen += function->histogram[i];
		if (seen * 2 >= calls)
			return i;
	}
	return SEGMENT_HISTOGRAM_BUCKETS - 1;
}

/* A function varies when most of its time is in calls far longer than most, of which
 * there are more than one in a thousand: fewer may have been interrupted, which says
 * nothing of the function. (Their share of the time alone was tried: on a busy machine
 * all varied.) */
static void read_habit(const struct segment_function *function, struct habit *ret)
{
	double total = 0, tail = 0;
	uint64_t tail_count = 0;
	uint32_t median;

	*ret = (struct habit){.call_count = 0};
	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		ret->call_count += function->histogram[i];
	if (!ret->call_count)
		return;
	median = median_bucket(function, ret->call_count);
	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++) {
		uint32_t count = function->histogram[i];
		double ticks = (double)segment_histogram_lower(i) * 1.06 * count;

		total += ticks;
		if (i > median + FAR_LONGER) {
			tail += ticks;
			tail_count += count;
		}
	}
	ret->mean_ticks = (total - tail) / (double)(ret->call_count - tail_count);
	ret->varies = tail_count * 1000 > ret->call_count && tail > total / 2;
}

/* Calls that are open are in no histogram. Of those that have been open for far longer
 * than the function's calls take the innermost is at work: an interpreter's loop, which
 * is entered again for each small callback. Is it this function's? It varies, and what it
 * calls without a frame would have nobody to hold its time. (All that are open for long
 * were spared at first: on Lua the functions around the loop, 1.5 of the empty hooks'
 * time instead of 1.0.) */
#define FRAMES_SEARCHED 512u

static int is_at_work(const struct lane_context *context, uint64_t function,
		      double mean_ticks)
{
	uint64_t now = clock_now() - context->clock_offset;
	const struct segment_frame *frame = context->top;
	double most = mean_ticks * (1u << (FAR_LONGER / 8));

	for (uint32_t i = 0; i < FRAMES_SEARCHED && frame > context->frames; i++) {
		frame--;
		if ((double)(now - frame->start_ticks) > most)
			return frame->function == function;
	}
	return 0;
}

/* A function that calls itself, be it by way of one or two others, takes as long as all
 * that it calls of itself: its calls last from nothing to the whole, and one is at work
 * all the time. What one takes of its own is no more than what passes from one to the
 * next. */
#define RECURSIVE_FRAMES 3

static int is_recursive_call(const struct lane_context *context, uint64_t function)
{
	const struct segment_frame *frame = context->top;

	for (int i = 0; i < RECURSIVE_FRAMES && frame > context->frames; i++)
		if ((--frame)->function == function)
			return 1;
	return 0;
}

static int is_short_recursion(const struct lane_budget *budget,
			      const struct lane_suspect *suspect)
{
	return suspect->recursive_count * 2 > suspect->call_count &&
	       budget->sampled_ticks >> budget->mean_limit_shift <=
		       suspect->recursive_count;
}

static int is_eligible(struct lane_context *context, const struct lane_suspect *suspect,
		       enum allocator most)
{
	const struct segment_node *node = &context->nodes[suspect->node];
	uint32_t function = node->function;
	struct habit habit;

	if (node->key != suspect->function || allocators_kind(suspect->function) > most)
		return 0;
	read_habit(&context->functions[function], &habit);
	if (habit.call_count < LEAST_CALLS)
		return 0;
	if (!price_is_paid((double)habit.call_count * pair_ticks())) {
		context->budget.is_awaiting = 1;
		return 0;
	}
	if (is_short_recursion(&context->budget, suspect))
		return 1;
	return !habit.varies &&
	       habit.mean_ticks <= (double)(1ull << context->budget.mean_limit_shift) &&
	       !is_at_work(context, suspect->function, habit.mean_ticks);
}

/* The next call on this path comes to the slow path of the hook, which finds the call
 * site and has it written. */
static void forget_front(struct lane_context *context, uint32_t index)
{
	const struct segment_node *node = &context->nodes[index];
	uint32_t place = tree_place(node->parent, node->key);
	uint32_t other = tree_other_place(place);

	if (context->front[place] == index)
		context->front[place] = 0;
	if (context->front[other] == index)
		context->front[other] = 0;
}

static void take(struct lane_context *context, const struct lane_suspect *suspect)
{
	int is_new = !modes_find(suspect->function);
	uint64_t since = clock_now();
	uint32_t number = modes_take(
		suspect->function,
		&(struct modes_exit){suspect->exit_return_address, suspect->call_site});

	if (!number)
		return;
	forget_front(context, suspect->node);
	if (is_new && number > FIRST_NUMBERS)
		price_note(clock_now() - since);
}

static struct lane_suspect *most_frequent(struct lane_context *context)
{
	struct lane_suspect *most = NULL;

	for (uint32_t i = 0; i < LANE_SUSPECTS; i++) {
		struct lane_suspect *suspect = &context->suspects[i];

		if (suspect->function && suspect->call_count &&
		    (!most || suspect->call_count > most->call_count))
			most = suspect;
	}
	return most;
}

static void forget_samples(struct lane_context *context)
{
	for (uint32_t i = 0; i < LANE_SUSPECTS; i++)
		context->suspects[i] = (struct lane_suspect){.function = 0};
	context->budget.sampled_call_count = 0;
	context->budget.sampled_ticks = 0;
}

/* What counted calls and windows take since the last decision, as a share of time. */
static double other_share(struct lane_context *context, uint64_t now)
{
	struct lane_windows *windows = &context->windows;
	uint64_t busy_ticks = lane_busy_ticks(context, now);
	uint64_t ticks = busy_ticks - context->budget.last_decision_ticks;
	double cost =
		(double)windows->counted_calls * process_facts.run->counted_cost_ticks +
		(double)windows->cost_ticks;

	if (!ticks)
		return 0;
	windows->counted_calls = windows->cost_ticks = 0;
	context->budget.last_decision_ticks = busy_ticks;
	return cost / (double)ticks;
}

/* Those that were put off are looked at again. */
static void call_back(struct lane_context *context)
{
	for (uint32_t i = 0; i < LANE_SUSPECTS; i++)
		context->suspects[i].call_count = context->suspects[i].put_off_count;
}

/* Takes functions that allocate at most so until what is left is below the goal; both are
 * shares of the time. Returns what is left. */
static double take_most(struct lane_context *context, double share, double goal,
			enum allocator most)
{
	struct lane_budget *budget = &context->budget;
	double of_call = budget->hook_share / budget->sampled_call_count;

	for (uint32_t tries = 0; share > goal && tries < LANE_SUSPECTS; tries++) {
		struct lane_suspect *suspect = most_frequent(context);

		if (!suspect || suspect->call_count < 3)
			break;
		suspect->put_off_count = 0;
		if (is_eligible(context, suspect, most)) {
			take(context, suspect);
			share -= of_call * suspect->call_count;
		} else if (allocators_kind(suspect->function) == ALLOCATOR_DIRECT) {
			suspect->put_off_count = suspect->call_count;
		}
		suspect->call_count = 0;
	}
	return share;
}

static void look_less_often(struct lane_budget *budget)
{
	if (budget->interval_ticks < MOST_INTERVAL)
		budget->interval_ticks *= 2;
}

/* The share is above what is allowed. Where nothing is left to take (what takes the time
 * is to keep its frames), looking finds nothing either, until there is twice as much. */
static void reduce(struct lane_context *context, double share, double allowed)
{
	struct lane_budget *budget = &context->budget;
	double left;

	budget->is_awaiting = 0;
	left = take_most(context, share, allowed * 0.7, ALLOCATOR_NONE);

	if (left > allowed && budget->mean_limit_shift == LIMIT_SHIFT_MOST) {
		call_back(context);
		left = take_most(context, left, allowed * 0.7, ALLOCATOR_DIRECT);
	}
	budget->stuck_share = 0;
	if (left < share || budget->is_awaiting) {
		budget->interval_ticks = LEAST_INTERVAL;
	} else {
		budget->stuck_share = share * 2;
		look_less_often(budget);
	}
	if (left > allowed && budget->mean_limit_shift < LIMIT_SHIFT_MOST &&
	    budget->sampled_call_count >= RAISE_CALLS) {
		budget->mean_limit_shift++;
		budget->interval_ticks = LEAST_INTERVAL;
	}
}

static void decide(struct lane_context *context, uint64_t now)
{
	struct lane_budget *budget = &context->budget;
	double share = (double)budget->sampled_call_count * pair_ticks() /
		       (double)budget->sampled_ticks;
	double allowed = allowed_share() - other_share(context, now);

	budget->hook_share = share;
	/* what counting takes cannot be had back by counting more */
	if (allowed < allowed_share() / 2)
		allowed = allowed_share() / 2;
	if (share <= allowed)
		look_less_often(budget);
	else
		reduce(context, share, allowed);
	forget_samples(context);
	review_if_due(context, now, share, allowed_share());
}

static void end_burst(struct lane_context *context, uint64_t now)
{
	struct lane_budget *budget = &context->budget;
	uint64_t ticks = now - budget->burst_start;
	double expected = allowed_share();

	budget->burst_end = 0;
	if (ticks < 16 * BURST_TICKS) { /* else the thread was interrupted, or waited */
		budget->sampled_call_count += budget->burst_call_count;
		budget->sampled_ticks += ticks;
		if (expected < budget->stuck_share)
			expected = budget->stuck_share;
		if (budget->burst_call_count * pair_ticks() > expected * (double)ticks)
			budget->interval_ticks = LEAST_INTERVAL;
	}
	if (budget->sampled_call_count >= SAMPLED_CALLS ||
	    budget->sampled_ticks >= SAMPLED_BURSTS * BURST_TICKS)
		decide(context, now);
	now = clock_now();
	budget->next_look_ticks = now + budget->interval_ticks;
	budget->next_busy_ticks = lane_busy_ticks(context, now) + budget->interval_ticks;
	context->check_ticks = budget->next_look_ticks;
}

/* A thread that waited meanwhile has computed less than there was time. */
static int put_off(struct lane_context *context, uint64_t now)
{
	struct lane_budget *budget = &context->budget;
	uint64_t busy_ticks = lane_busy_ticks(context, now);

	if (busy_ticks >= budget->next_busy_ticks)
		return 0;
	budget->next_look_ticks = now + budget->next_busy_ticks - busy_ticks;
	context->check_ticks = budget->next_look_ticks;
	return 1;
}

void cold budget_look(struct lane_context *context, uint64_t function, uint64_t call_site,
		      uint32_t node, uint64_t return_address, uint64_t now)
{
	struct lane_budget *budget = &context->budget;
	struct lane_suspect *suspect;

	settings_follow(context);
	if (process_facts.overhead_percent <= 0) {
		budget->burst_end = 0;
		context->check_ticks = now + SETTINGS_LOOK_TICKS;
		return;
	}
	if (!budget->burst_end && put_off(context, now))
		return;
	if (!budget->burst_end) {
		budget->burst_start = now;
		budget->burst_end = now + BURST_TICKS;
		budget->burst_call_count = 0;
		context->check_ticks = 0;
		return;
	}
	budget->burst_call_count++;
	suspect = find_suspect(context, function);
	if (suspect) {
		suspect->call_count++;
		suspect->recursive_count += is_recursive_call(context, function);
		suspect->exit_return_address = return_address;
		suspect->call_site = call_site;
		suspect->node = node;
	}
	if (now >= budget->burst_end || budget->burst_call_count >= BURST_CALLS)
		end_burst(context, now);
}

/* What exact calls take: as at the last decision, which is soon followed by another one
 * as long as there are exits that look. Without any for so long there are next to no
 * calls. */
static double hook_share_now(const struct lane_context *context, uint64_t now)
{
	uint64_t ticks =
		lane_busy_ticks(context, now) - context->budget.last_decision_ticks;

	return ticks < clock_tenth_of_second() ? context->budget.hook_share : 0;
}

void budget_pulse(struct lane_context *context, uint64_t now)
{
	review_if_due(context, now, hook_share_now(context, now), allowed_share());
}

/* What called malloc may be code without hooks whose callers nobody could tell. */
static int is_own_code(uint64_t function, uint64_t return_address)
{
	struct code code;

	return code_find(function, &code) == 0 && return_address > code.text.low &&
	       return_address <= code.text.high;
}

static void record_exactly(uint64_t function)
{
	uint32_t number = modes_find(function);

	if (number && modes_recording(number) != SEGMENT_RECORDING_EXACT)
		modes_set(function, SEGMENT_RECORDING_EXACT, SEGMENT_REASON_BUDGET);
}

static int is_of_function(uint64_t key)
{
	return !(key & SEGMENT_KEY_RETURN_ADDRESS) && !segment_key_is_region(key);
}

/* Returns a function that is found to be distant with the one of this site, or 0. */
static uint64_t note_site(struct lane_context *context, uint32_t node,
			  uint64_t *ret_function)
{
	uint64_t place = context->nodes[node].key & SEGMENT_KEY_ADDRESS_MASK;
	uint32_t outer = context->nodes[node].parent;
	int is_direct = is_of_function(context->nodes[outer].key);
	uint64_t function;

	*ret_function = 0;
	while (outer > LANE_ROOT && !is_of_function(context->nodes[outer].key))
		outer = context->nodes[outer].parent;
	if (outer <= LANE_ROOT)
		return 0;
	*ret_function = function = context->nodes[outer].key;
	if (!is_direct || !is_own_code(function, place)) {
		allocators_note_distant(function);
		return 0;
	}
	return allocators_note_place(place, function);
}

void cold budget_note_site(struct lane_context *context, uint32_t node)
{
	uint64_t function, other;

	if (process_facts.run->overhead_percent <= 0)
		return;
	other = note_site(context, node, &function);
	if (other) {
		record_exactly(other);
		record_exactly(function);
	}
}

void budget_note_sites(struct lane_context *context)
{
	uint64_t function;

	if (process_facts.run->overhead_percent <= 0)
		return;
	for (uint32_t i = LANE_ROOT + 1; i < context->node_next; i++) {
		if (context->nodes[i].site)
			note_site(context, i, &function);
	}
}

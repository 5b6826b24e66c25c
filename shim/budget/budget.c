/* SPDX-License-Identifier: MIT */
/* Stretches that are looked at, and what follows from them. */
#include "shim/budget/counting.h"

#include "common/libc/calls.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/functions.h"
#include "shim/lane/tree.h"
#include "shim/lane/ways.h"
#include "shim/patch/modes.h"

#define STRETCH_TICKS (clock_tenth_of_second() >> 16)  /* 1.5 us */
#define LEAST_INTERVAL (clock_tenth_of_second() >> 13) /* 12 us */
#define MOST_INTERVAL (clock_tenth_of_second() >> 7)   /* 0.8 ms */
/* 0.2 ms: a forked child that has ended by then is not looked at. */
#define CHILD_LOOK_TICKS (clock_tenth_of_second() >> 9)
#define FIRST_NUMBERS 8u /* of functions whose code is written for any cost */
/* What a decision rests on. */
#define DECISION_CALLS 128u
#define DECISION_STRETCHES 16u
#define PICKED_MOST 16u
#define JUDGED_MOST 4u
#define LEAST_CALLS 200u /* of a function, before its mean is known well enough */
#define SELDOM 1000u	 /* one of so many calls waits, at most */

/* Samples that tell what a pair of hooks costs; and by how much that may differ: memory
 * that is far away is dear, and samples in our code may be of other hooks. */
#define PRICE_SAMPLES 64u
#define PRICE_LEAST 0.5
#define PRICE_MOST 3.0

/* Functions met in a row that could not be taken, before it goes a step further. */
#define KEPT_MOST 32u
/* Stretches without anything to take, before they come half as often. */
#define BARREN_STRETCHES 256u

void budget_begin(struct lane_context *context)
{
	struct lane_budget *budget = &context->budget;

	context->pulse = 0;
	context->answers_seen = 0;
	budget->interval_ticks = LEAST_INTERVAL;
	budget->stretch_end = budget->next_look_ticks = budget->next_busy_ticks = 0;
	budget->price = 1;
	if (process->segment->forked_from_slot)
		budget->next_look_ticks = clock_now() + CHILD_LOOK_TICKS;
	context->check_ticks = budget->next_look_ticks;
}

/* VERDICT_WAIT: it is not known yet. */
enum verdict { VERDICT_TAKE, VERDICT_KEEP, VERDICT_WAIT };

/* What a lane's histogram says of a function. */
struct habit {
	uint64_t call_count;
	double mean_ticks;
};

/* So many buckets are 7 powers of two. */
#define FAR_LONGER (7u * 8)

/* Calls far longer than most, if there are not more than one in a thousand, may have been
 * interrupted, which says nothing of the function: they are left out. */
static void read_habit(const struct segment_function *function, struct habit *ret)
{
	double total = 0, tail = 0;
	uint64_t tail_count = 0;
	uint32_t median;

	*ret = (struct habit){.call_count = lane_timed_calls(function)};
	if (ret->call_count < LEAST_CALLS)
		return;
	median = lane_median_bucket(function, ret->call_count);
	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++) {
		uint32_t count = function->histogram[i];
		double ticks = (double)segment_histogram_lower(i) * 1.06 * count;

		total += ticks;
		if (i > median + FAR_LONGER) {
			tail += ticks;
			tail_count += count;
		}
	}
	if (tail_count * 1000 > ret->call_count)
		tail = (double)(tail_count = 0);
	ret->mean_ticks = (total - tail) / (double)(ret->call_count - tail_count);
}

_Static_assert(LANE_WATCHED == 16, "judge_recursion() shifts by 60");

/* What a function that calls itself costs, from one look to another: the first one only
 * begins to count. */
static enum verdict judge_recursion(struct lane_context *context, uint64_t function,
				    uint64_t calls, uint64_t now)
{
	struct lane_watched *watched =
		&context->budget.watched[function * 0x9e3779b97f4a7c15ull >> 60];
	uint64_t busy_ticks = lane_busy_ticks(context, now);

	if (watched->function == function)
		return rule_cost(calls - watched->call_count,
				 busy_ticks - watched->busy_ticks) > RULE_RECURSION_COST
			       ? VERDICT_TAKE
			       : VERDICT_KEEP;
	*watched = (struct lane_watched){function, busy_ticks, calls};
	return VERDICT_WAIT;
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
	ways_forget(context, node->key);
}

/* An exit that is looked at. node: of the frame that was closed. */
struct look {
	uint64_t function, call_site, return_address, now;
	uint32_t node;
};

static void take(struct lane_context *context, const struct look *look)
{
	int is_new = !modes_find(look->function);
	uint64_t since = clock_now();
	uint32_t number =
		modes_take(look->function,
			   &(struct modes_exit){look->return_address, look->call_site});

	if (!number)
		return;
	context->budget.kept_count = context->budget.barren_count = 0;
	context->budget.interval_ticks = LEAST_INTERVAL;
	forget_front(context, look->node);
	if (is_new && number > FIRST_NUMBERS)
		price_note(clock_now() - since);
}

static void look_less_often(struct lane_budget *budget)
{
	if (budget->interval_ticks < MOST_INTERVAL)
		budget->interval_ticks *= 2;
}

/* Where so much cannot be taken, it goes a step further. */
static void keep(struct lane_budget *budget)
{
	if (++budget->kept_count < KEPT_MOST)
		return;
	budget->kept_count = 0;
	if (budget->step < RULE_LAST_STEP)
		budget->step++;
}

/* Next to none of its calls on this path makes one of libc: a lexer takes each character
 * from a buffer, and reads what fills it once in a while. Its frames would cost more than
 * where the reading stands is worth, which is below its caller without them. */
static int hardly_waits(struct lane_context *context, uint32_t node)
{
	uint64_t calls = 0;

	for (uint64_t call = LIBC_CALL_NONE + 1; call < LIBC_CALL_COUNT; call++) {
		uint32_t child = tree_find(context, node, SEGMENT_KEY_LIBC | call);

		calls += child ? context->nodes[child].call_count : 0;
	}
	return calls * SELDOM < context->nodes[node].call_count;
}

static int may_take(struct lane_context *context, const struct look *look)
{
	if (rule_may_take(look->function))
		return 1;
	return context->budget.step >= RULE_LAST_STEP &&
	       !segment_key_is_region(look->function) &&
	       hardly_waits(context, look->node);
}

/* A function that has been counted is known by its trial. */
static enum verdict judge(struct lane_context *context, const struct look *look)
{
	const struct segment_node *node = &context->nodes[look->node];
	uint32_t number = modes_find(look->function);
	struct habit habit;

	if (node->key != look->function ||
	    (number && modes_recording(number) != SEGMENT_RECORDING_EXACT))
		return VERDICT_WAIT;
	if (!may_take(context, look))
		return VERDICT_KEEP;
	if (number && trials_mean(number) <= 0)
		return VERDICT_WAIT;
	read_habit(&context->functions[node->function], &habit);
	if (number)
		habit.mean_ticks = trials_mean(number);
	else if (!price_is_paid((double)habit.call_count * rule_pair_ticks()))
		return VERDICT_WAIT;
	if (habit.call_count < LEAST_CALLS)
		return VERDICT_WAIT;
	if (rule_is_short(context, habit.mean_ticks))
		return VERDICT_TAKE;
	if (rule_is_recursive(context, look->function))
		return judge_recursion(context, look->function, habit.call_count,
				       look->now);
	return VERDICT_KEEP;
}

/* As far as its path tells, which is at hand. */
static int seems_short(const struct lane_context *context, uint32_t index)
{
	const struct segment_node *node = &context->nodes[index];

	return node->call_count >= LEAST_CALLS &&
	       price_is_paid((double)node->call_count * rule_pair_ticks()) &&
	       (rule_is_recursive(context, node->key) ||
		rule_is_short(context,
			      (double)node->total_ticks / (double)node->call_count));
}

/* One that is picked, and some more of a stretch: to judge takes 0.3 us. */
static void look_at(struct lane_context *context, const struct look *look)
{
	struct lane_budget *budget = &context->budget;
	int is_picked = budget->stretch_calls == budget->picked_call;
	enum verdict verdict;

	if (!is_picked &&
	    (budget->judged_count == JUDGED_MOST || !seems_short(context, look->node)))
		return;
	budget->judged_count += !is_picked;
	verdict = judge(context, look);
	if (verdict == VERDICT_TAKE)
		take(context, look);
	else if (verdict == VERDICT_KEEP && is_picked)
		keep(budget);
}

/* What a pair of hooks costs here, by the samples in our own code since the last time. */
static void measure_price(struct lane_context *context)
{
	struct lane_budget *budget = &context->budget;
	uint64_t samples = context->lane->sample_count - budget->sample_count;
	uint64_t in_hooks = context->samples.hook_count - budget->hook_sample_count;
	double expected = budget->pair_calls * rule_pair_ticks() / budget->pair_ticks;
	double price;

	if (samples < PRICE_SAMPLES)
		return;
	price = (double)in_hooks / (double)samples / expected;
	if (budget->pair_calls >= DECISION_CALLS)
		budget->price = price < PRICE_LEAST  ? PRICE_LEAST
				: price > PRICE_MOST ? PRICE_MOST
						     : price;
	budget->sample_count = context->lane->sample_count;
	budget->hook_sample_count = context->samples.hook_count;
	budget->pair_calls = budget->pair_ticks = 0;
}

/* The share of the hooks is that of the latest four decisions or so: calls come in heaps,
 * and who makes few at a time would be looked at only when there are none. */
static void decide(struct lane_context *context)
{
	struct lane_budget *budget = &context->budget;
	double allowed = rule_allowed_share();

	budget->pair_calls += budget->call_count;
	budget->pair_ticks += (double)budget->ticks;
	budget->share += (budget->call_count * rule_pair_ticks() * budget->price /
				  (double)budget->ticks -
			  budget->share) /
			 4;
	measure_price(context);
	budget->is_over = budget->share > allowed;
	if (!budget->is_over)
		look_less_often(budget);
	if (budget->share < allowed / 4 && budget->step)
		budget->step--;
	budget->call_count = 0;
	budget->ticks = 0;
}

/* Which of its exits is looked at, of as many as the last one had: who is met first
 * follows a longer time than most. */
static void begin_stretch(struct lane_budget *budget)
{
	uint32_t most =
		budget->stretch_calls < PICKED_MOST ? budget->stretch_calls : PICKED_MOST;

	budget->stretch_end = budget->next_look_ticks + STRETCH_TICKS;
	budget->stretch_calls = 0;
	budget->judged_count = 0;
	budget->picked_call = budget->picked_call < most ? budget->picked_call + 1 : 1;
}

/* Stretches keep their distance from each other, whenever the next exit comes, and those
 * that nobody came in are counted: else it is always the first of a heap that ends one,
 * and the others are never looked at. */
static void end_stretch(struct lane_context *context, uint64_t now)
{
	struct lane_budget *budget = &context->budget;
	uint64_t busy_ticks = lane_busy_ticks(context, now);
	/* the first one was due at once */
	uint64_t passed =
		budget->next_busy_ticks ? busy_ticks - budget->next_busy_ticks : 0;
	uint64_t missed = passed / budget->interval_ticks, left;

	if (missed > DECISION_STRETCHES)
		missed = DECISION_STRETCHES;
	if (++budget->barren_count % BARREN_STRETCHES == 0)
		look_less_often(budget);
	budget->stretch_end = 0;
	budget->call_count += budget->stretch_calls;
	budget->ticks += (1 + missed) * STRETCH_TICKS;
	if (budget->call_count >= DECISION_CALLS ||
	    budget->ticks >= DECISION_STRETCHES * STRETCH_TICKS)
		decide(context);
	left = budget->interval_ticks - passed % budget->interval_ticks;
	now = clock_now();
	trials_look(context, now);
	budget->next_look_ticks = now + left;
	budget->next_busy_ticks = lane_busy_ticks(context, now) + left;
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

	changes_follow(context);
	if (process_facts.run->overhead_percent <= 0) {
		budget->stretch_end = 0;
		budget->next_look_ticks = context->check_ticks = now + CHANGES_LOOK_TICKS;
		return;
	}
	if (!budget->stretch_end) {
		if (put_off(context, now))
			return;
		begin_stretch(budget);
	}
	if (now >= budget->stretch_end) {
		end_stretch(context, now);
		return;
	}
	context->check_ticks = 0;
	budget->stretch_calls++;
	if (budget->is_over)
		look_at(context,
			&(struct look){function, call_site, return_address, now, node});
	/* without what looking takes */
	budget->stretch_end += clock_now() - now;
}

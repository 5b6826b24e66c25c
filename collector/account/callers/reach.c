/* SPDX-License-Identifier: MIT */
/*
 * From a function to those that call it, and on to those that call these, until functions
 * are met that always have frames.
 */
#include "collector/account/callers/reach.h"

#include <stdlib.h>

#include "collector/symbols/calls/direct_calls.h"
#include "collector/symbols/symbols.h"
#include "common/base/array.h"
#include "common/base/xalloc.h"

/* Uses that are looked at for one run; behind that nothing is excluded. */
#define STEPS_MOST (UINT64_C(1) << 26)
/* Functions on the way that each chain may go through; each is tried. */
#define BETWEEN_TRIED 64u

/* A function of merge, and a symbol whose code is its own. */
struct pair {
	uint32_t function, symbol;
};

/* One module. uses: borrowed. */
struct code {
	bool is_known;
	struct symbol_module *symbols;
	const struct direct_calls *calls;
	uint32_t *function_of; /* by symbol; IDENTIFY_NONE */
	struct pair *pairs;    /* in order */
	size_t pair_count;
};

/* What is known of a function. reached: functions from which it can be called, in the
 * order in which they were found. */
struct answer {
	bool by_anyone;
	uint32_t *reached;
	size_t count;
};

struct reach {
	struct merge *merge;
	struct code *codes; /* by module */
	size_t code_count;
	uint8_t *has_frames; /* by function: all of its calls have */
	struct pair *hosts;  /* function, and one that it is inlined into; in order */
	size_t host_count;
	struct answer *answers;
	size_t answer_count;
	struct map answer_map;	/* by function */
	uint32_t *seen, *queue; /* by symbol; of the module with most of them */
	size_t room;
	uint32_t turn; /* seen in this turn */
	uint64_t steps;
};

static int by_pair(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

/* The first of a function's pairs; count: of all. */
static size_t first_pair(const struct pair *pairs, size_t count, uint32_t function)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pairs[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_host(const struct reach *reach, uint32_t function, uint32_t host)
{
	struct pair wanted = {function, host};

	return reach->host_count &&
	       bsearch(&wanted, reach->hosts, reach->host_count, sizeof(wanted), by_pair);
}

struct reach *reach_new(struct merge *merge)
{
	struct reach *reach = xcalloc(1, sizeof(*reach));

	reach->merge = merge;
	reach->code_count = merge->identify.modules.count;
	reach->codes = xcalloc(reach->code_count + 1, sizeof(*reach->codes));
	reach->has_frames = xcalloc(merge->identify.function_count + 1, 1);
	for (size_t i = 1; i < merge->path_count; i++)
		if (merge->paths[i].kind == MERGE_FUNCTION)
			reach->has_frames[merge->paths[i].function] = 1;
	for (size_t i = 0; i < merge->mode_count; i++) {
		const struct merge_mode *mode = &merge->modes[i];

		if (mode->function == MERGE_NO_FUNCTION)
			continue;
		reach->has_frames[mode->function] = 0;
		if (mode->host == MERGE_NO_FUNCTION)
			continue;
		reach->hosts = array_room(reach->hosts, reach->host_count,
					  sizeof(*reach->hosts));
		reach->hosts[reach->host_count++] =
			(struct pair){mode->function, mode->host};
	}
	if (reach->host_count)
		qsort(reach->hosts, reach->host_count, sizeof(*reach->hosts), by_pair);
	return reach;
}

void reach_free(struct reach *reach)
{
	if (!reach)
		return;
	for (size_t i = 0; i < reach->code_count; i++) {
		free(reach->codes[i].function_of);
		free(reach->codes[i].pairs);
	}
	for (size_t i = 0; i < reach->answer_count; i++)
		free(reach->answers[i].reached);
	map_done(&reach->answer_map);
	free(reach->answers);
	free(reach->codes);
	free(reach->has_frames);
	free(reach->hosts);
	free(reach->seen);
	free(reach->queue);
	free(reach);
}

static void find_symbols(struct reach *reach, struct code *code, uint32_t module)
{
	const struct identify *identify = &reach->merge->identify;
	size_t count = symbols_entry_count(code->symbols);

	code->function_of = xcalloc(count + 1, sizeof(*code->function_of));
	for (size_t i = 0; i < count; i++) {
		uint32_t function =
			identify_known(identify, module, symbols_entry(code->symbols, i));

		code->function_of[i] = function;
		if (function == IDENTIFY_NONE)
			continue;
		code->pairs =
			array_room(code->pairs, code->pair_count, sizeof(*code->pairs));
		code->pairs[code->pair_count++] = (struct pair){function, (uint32_t)i};
	}
	if (code->pair_count)
		qsort(code->pairs, code->pair_count, sizeof(*code->pairs), by_pair);
	if (count > reach->room) {
		reach->room = count;
		reach->seen = xreallocarray(reach->seen, count, sizeof(*reach->seen));
		reach->queue = xreallocarray(reach->queue, count, sizeof(*reach->queue));
		for (size_t i = 0; i < count; i++)
			reach->seen[i] = 0;
		reach->turn = 0;
	}
}

/* The code that the function is in; NULL: nothing is known about it. */
static struct code *code_of(struct reach *reach, uint32_t function)
{
	struct identify *identify = &reach->merge->identify;
	uint32_t module = identify->functions[function].module;
	struct code *code;

	if (module >= reach->code_count) /* MODULE_NONE, too */
		return NULL;
	code = &reach->codes[module];
	if (!code->is_known) {
		code->is_known = true;
		code->symbols = modules_symbols(&identify->modules, module);
		code->calls = symbols_calls(code->symbols);
		if (code->calls->count)
			find_symbols(reach, code, module);
	}
	return code->calls->count ? code : NULL;
}

/* One search. without: a function whose calls do not count. found: puts those that are
 * met in a list; else it ends where `wanted` is met. */
struct search {
	const struct code *code;
	uint32_t without, wanted;
	struct answer *found; /* NULL: only by_anyone, or wanted */
	size_t count;	      /* of the queue */
	bool by_anyone, is_met;
};

static void meet(struct reach *reach, struct search *search, uint32_t symbol)
{
	if (reach->seen[symbol] == reach->turn)
		return;
	reach->seen[symbol] = reach->turn;
	reach->queue[search->count++] = symbol;
}

/* A symbol that uses the one of this function (IDENTIFY_NONE: without hooks, or never
 * called). */
static void look_at_use(struct reach *reach, struct search *search, uint32_t function,
			const struct direct_use *use)
{
	const struct code *code = search->code;
	uint32_t user = use->from == DIRECT_CALLS_NOBODY ? IDENTIFY_NONE
							 : code->function_of[use->from];

	if (use->kind == DIRECT_HELD && user != IDENTIFY_NONE &&
	    function != IDENTIFY_NONE && has_host(reach, function, user))
		return; /* the hooks of the copy that it has there */
	if (use->kind == DIRECT_SHORT && user != IDENTIFY_NONE)
		return;
	if (use->kind == DIRECT_HELD || use->from == DIRECT_CALLS_NOBODY) {
		search->by_anyone = true;
		return;
	}
	if (user == IDENTIFY_NONE) {
		meet(reach, search, use->from);
		return;
	}
	if (user == search->wanted)
		search->is_met = true;
	if (search->found && reach->seen[use->from] != reach->turn) {
		struct answer *found = search->found;

		found->reached =
			array_room(found->reached, found->count, sizeof(*found->reached));
		found->reached[found->count++] = user;
	}
	if (reach->has_frames[user] || user == search->without)
		reach->seen[use->from] = reach->turn;
	else
		meet(reach, search, use->from);
}

static bool is_over(const struct reach *reach)
{
	return reach->steps > STEPS_MOST;
}

static void run_search(struct reach *reach, struct search *search, uint32_t function)
{
	const struct code *code = search->code;

	if (++reach->turn == 0) {
		for (size_t i = 0; i < reach->room; i++)
			reach->seen[i] = 0;
		reach->turn = 1;
	}
	for (size_t i = first_pair(code->pairs, code->pair_count, function);
	     i < code->pair_count && code->pairs[i].function == function; i++)
		meet(reach, search, code->pairs[i].symbol);
	for (size_t done = 0; done < search->count; done++) {
		uint32_t symbol = reach->queue[done];
		size_t count;
		const struct direct_use *uses =
			direct_calls_of(code->calls, symbol, &count);

		reach->steps += count + 1;
		for (size_t i = 0; i < count; i++)
			look_at_use(reach, search, code->function_of[symbol], &uses[i]);
		if (is_over(reach) || search->is_met ||
		    (search->by_anyone && !search->found))
			return;
	}
}

static const struct answer *answer_of(struct reach *reach, const struct code *code,
				      uint32_t function)
{
	uint32_t known = map_get(&reach->answer_map, function, 0, 0);
	struct answer answer = {.by_anyone = false};
	struct search search = {.code = code,
				.without = IDENTIFY_NONE,
				.wanted = IDENTIFY_NONE - 1,
				.found = &answer};

	if (known != MAP_NONE)
		return &reach->answers[known];
	run_search(reach, &search, function);
	/* it was called: who nobody is known to call is called in some other way */
	answer.by_anyone = search.by_anyone || !answer.count;
	reach->answers =
		array_room(reach->answers, reach->answer_count, sizeof(*reach->answers));
	reach->answers[reach->answer_count] = answer;
	map_put(&reach->answer_map, function, 0, 0, (uint32_t)reach->answer_count);
	return &reach->answers[reach->answer_count++];
}

/* What is known of the function's callers, when the holder is in the same code; NULL. */
static const struct answer *ask(struct reach *reach, uint32_t holder, uint32_t function,
				const struct code **ret_code)
{
	*ret_code = code_of(reach, function);
	if (!*ret_code || code_of(reach, holder) != *ret_code || is_over(reach))
		return NULL;
	return answer_of(reach, *ret_code, function);
}

static bool has(const uint32_t *functions, size_t count, uint32_t function)
{
	for (size_t i = 0; i < count; i++)
		if (functions[i] == function)
			return true;
	return false;
}

bool reach_may(struct reach *reach, uint32_t holder, uint32_t function)
{
	const struct code *code;
	const struct answer *answer = ask(reach, holder, function, &code);

	return !answer || answer->by_anyone || is_over(reach) || holder == function ||
	       has(answer->reached, answer->count, holder);
}

/* Does no chain lead there but through `middle`? */
static bool leads_through(struct reach *reach, const struct code *code, uint32_t holder,
			  uint32_t function, uint32_t middle)
{
	struct search search = {.code = code, .without = middle, .wanted = holder};

	run_search(reach, &search, function);
	return !is_over(reach) && !search.by_anyone && !search.is_met;
}

/* A function nearer to the end of all chains is met before one that is farther off. */
size_t reach_between(struct reach *reach, uint32_t holder, uint32_t function,
		     uint32_t *ret, size_t capacity)
{
	const struct code *code;
	const struct answer *answer = ask(reach, holder, function, &code);
	uint32_t between[BETWEEN_TRIED];
	size_t count = 0;

	if (!answer || holder == function || answer->count > BETWEEN_TRIED)
		return 0;
	for (size_t i = 0; i < answer->count; i++) {
		uint32_t middle = answer->reached[i];

		if (middle != holder && middle != function &&
		    !reach->has_frames[middle] && !has(between, count, middle) &&
		    leads_through(reach, code, holder, function, middle))
			between[count++] = middle;
	}
	if (count > capacity || is_over(reach))
		return 0;
	for (size_t i = 0; i < count; i++)
		ret[i] = between[count - 1 - i];
	return count;
}

/* SPDX-License-Identifier: MIT */
/*
 * Checks a change against a limit. Must not fail if the interval contains the limit, or
 * pass if no number of such runs could fail.
 */
#include "analyzer/statistics/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/command.h"
#include "common/base/options.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "analyzer/statistics/scaling.h"

/*
 * --gate 'wall=5%,peak=1MiB,func:parse.total=10%' and --fail-on. Must not guess: what
 * is not understood is an error, for a gate that silently checks nothing is worse than
 * none.
 */

enum kind { TIME, BYTES, COUNT };

static const struct {
	const char *name;
	enum kind kind;
	bool of_run, of_function;
} metrics[] = {
	[GATE_WALL] = {"wall", TIME, true, false},
	[GATE_SELF] = {"self", TIME, true, true},
	[GATE_CPU] = {"cpu", TIME, true, true},
	[GATE_TOTAL] = {"total", TIME, false, true},
	[GATE_CALLS] = {"calls", COUNT, true, true},
	[GATE_ALLOC_COUNT] = {"alloc_count", COUNT, true, true},
	[GATE_ALLOC_BYTES] = {"alloc_bytes", BYTES, true, true},
	[GATE_PEAK] = {"peak", BYTES, true, false},
	[GATE_LIVE] = {"live", BYTES, true, false},
};

static const struct {
	const char *name;
	enum kind kind;
	double size;
} units[] = {
	{"ns", TIME, 1},	 {"us", TIME, 1e3},	  {"ms", TIME, 1e6},
	{"s", TIME, 1e9},	 {"B", BYTES, 1},	  {"KiB", BYTES, 1024},
	{"MiB", BYTES, 1 << 20}, {"GiB", BYTES, 1 << 30}, {"kB", BYTES, 1e3},
	{"MB", BYTES, 1e6},	 {"GB", BYTES, 1e9},	  {"", COUNT, 1},
};

#define UNIT_COUNT (sizeof(units) / sizeof(units[0]))

const char *gate_metric_name(enum gate_metric metric)
{
	return metrics[metric].name;
}

/* Limits of growth are those of --fail-on. */
static const char *option_of(const char *item)
{
	return strchr(item, '~') && !strchr(item, '=') ? "--fail-on" : "--gate";
}

static _Noreturn void refuse(const char *item, const char *why)
{
	command_fail(STATUS_USAGE, "%s: '%s'%s", option_of(item), item, why);
}

static _Noreturn void unknown_metric(const char *item, const char *name, bool of_function)
{
	const char *names[GATE_METRIC_COUNT], *nearest;
	struct strbuf list = {0};
	size_t count = 0;

	for (size_t i = 0; i < GATE_METRIC_COUNT; i++)
		if (of_function ? metrics[i].of_function : metrics[i].of_run) {
			strbuf_printf(&list, "%s%s", count ? ", " : "", metrics[i].name);
			names[count++] = metrics[i].name;
		}
	nearest = nearest_word(name, names, count);
	command_fail(
		STATUS_USAGE, "%s: '%s'%s'%s'%s%s%s %s", option_of(item), item,
		of_function ? ": a function has no metric " : ": there is no metric ",
		name, nearest ? "; did you mean '" : "; there are",
		nearest ? nearest : "", nearest ? "'? All:" : "", strbuf_text(&list));
}

static void parse_metric(struct gate_limit *limit, const char *name)
{
	size_t i = 0;

	while (i < GATE_METRIC_COUNT &&
	       (strcmp(metrics[i].name, name) != 0 ||
		!(limit->function ? metrics[i].of_function : metrics[i].of_run)))
		i++;
	if (i == GATE_METRIC_COUNT)
		unknown_metric(limit->text, name, limit->function != NULL);
	limit->metric = (enum gate_metric)i;
}

/* "wall", or "func:NAME.METRIC" with dots and colons in NAME. */
static void parse_subject(struct gate_limit *limit, char *subject)
{
	char *dot;

	if (strncmp(subject, "func:", 5) != 0)
		return parse_metric(limit, subject);
	subject += 5;
	dot = strrchr(subject, '.');
	if (!dot || dot == subject || !dot[1])
		refuse(limit->text, " lacks a metric; write func:NAME.total=10%");
	*dot = '\0';
	limit->function = subject;
	parse_metric(limit, dot + 1);
}

static void parse_amount(struct gate_limit *limit, const char *text)
{
	static const char *const examples[] = {
		[TIME] = "5% or 50ms", [BYTES] = "0% or 1MiB", [COUNT] = "0% or 100"};
	enum kind kind = metrics[limit->metric].kind;
	char *unit;
	double amount = strtod(text, &unit);

	if (unit == text || !isfinite(amount))
		refuse(limit->text, xasprintf(": the limit is not a number; write %s",
					      examples[kind]));
	if (amount < 0)
		refuse(limit->text,
		       ": a limit is how much more is allowed and cannot be negative");
	limit->is_percent = strcmp(unit, "%") == 0;
	limit->most = amount;
	if (limit->is_percent)
		return;
	for (size_t i = 0; i < UNIT_COUNT; i++)
		if (units[i].kind == kind && strcmp(units[i].name, unit) == 0) {
			limit->most = amount * units[i].size;
			return;
		}
	refuse(limit->text, xasprintf(": '%s' is no limit for %s; write %s", text,
				      metrics[limit->metric].name, examples[kind]));
}

static bool same_subject(const struct gate_limit *a, const struct gate_limit *b)
{
	return a->metric == b->metric && a->is_percent == b->is_percent &&
	       !a->function == !b->function &&
	       (!a->function || strcmp(a->function, b->function) == 0);
}

static void check_contradiction(const struct gate *gate, const struct gate_limit *limit)
{
	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_limit *other = &gate->limits[i];

		if (same_subject(other, limit) && other->most != limit->most)
			command_fail(STATUS_USAGE,
				     "--gate: '%s' and '%s' contradict each other",
				     other->text, limit->text);
	}
}

static void parse_one(struct gate *gate, const char *text, size_t size)
{
	struct gate_limit limit = {.text = xstrndup(text, size)};
	char *subject = xstrdup(limit.text), *amount = strrchr(subject, '=');

	if (!amount || amount == subject)
		refuse(limit.text,
		       " is no limit; write METRIC=AMOUNT, such as wall=5% or peak=1MiB");
	*amount++ = '\0';
	parse_subject(&limit, subject);
	parse_amount(&limit, amount);
	check_contradiction(gate, &limit);
	ARRAY_ADD(gate->limits, gate->count) = limit;
}

/* The length up to the next comma outside of brackets: f(int, char) is one name. */
static size_t item_size(const char *text)
{
	size_t size, depth = 0;

	for (size = 0; text[size] && (depth || text[size] != ','); size++) {
		depth += strchr("(<[{", text[size]) != NULL;
		depth -= depth && strchr(")>]}", text[size]);
	}
	return size;
}

void gate_parse_limits(struct gate *gate, const char *text)
{
	for (;; text++) {
		size_t start, size;

		text += strspn(text, " \t\n");
		size = start = item_size(text);
		while (size && strchr(" \t\n", text[size - 1]))
			size--;
		parse_one(gate, text, size);
		text += start;
		if (!*text)
			break;
	}
}

/* Cuts off blanks at both ends, in place. */
static char *trim(char *text)
{
	size_t size;

	text += strspn(text, " \t\n");
	for (size = strlen(text); size && strchr(" \t\n", text[size - 1]);)
		text[--size] = '\0';
	return text;
}

static void parse_growth(struct gate *gate, const char *text)
{
	struct gate_limit limit = {.text = xstrdup(text), .metric = GATE_METRIC_COUNT};
	char *subject = xstrdup(text), *law = strrchr(subject, '~');
	enum scaling_law kind;
	double number;

	if (!law)
		refuse(text, " is no limit of growth; write METRIC ~ LAW, such as "
			     "calls ~ n^1.5");
	*law++ = '\0';
	for (size_t i = 0; i < GATE_METRIC_COUNT; i++)
		if (strcmp(metrics[i].name, trim(subject)) == 0)
			limit.metric = (enum gate_metric)i;
	if (limit.metric == GATE_METRIC_COUNT)
		parse_subject(&limit, trim(subject));
	limit.law = trim(law);
	if (!scaling_law_read(limit.law, &kind, &number))
		refuse(text, ": the law is not 1, log n, n, n log n, n^K or 2^n");
	ARRAY_ADD(gate->limits, gate->count) = limit;
}

void gate_parse_growth(struct gate *gate, const char *text)
{
	for (bool is_last = false; !is_last;) {
		size_t size = item_size(text);

		parse_growth(gate, trim(xstrndup(text, size)));
		is_last = !text[size];
		text += size + !is_last;
	}
}

void gate_parse_fail_on(struct gate *gate, const char *text)
{
	char *rest = xstrdup(text), *word;

	while ((word = strsep(&rest, ",")))
		if (strcmp(word, "regression") == 0)
			gate->on_regression = true;
		else if (strcmp(word, "inconclusive") == 0)
			gate->on_inconclusive = true;
		else
			command_fail(
				STATUS_USAGE,
				"--fail-on: '%s' is not known; there are regression, "
				"inconclusive",
				word);
}

/* Rounding of percentages, far below anything that matters. */
#define SLACK 1e-9

static double difference_limit(const struct gate_limit *limit, double before)
{
	return limit->is_percent ? before * limit->most / 100 : limit->most;
}

static enum gate_result check_interval(const struct gate_limit *limit,
				       const struct change *change)
{
	const struct statistics_shift *runs =
		limit->is_percent ? &change->runs_ratio : &change->runs_shift;
	double most = limit->is_percent ? 1 + limit->most / 100 : limit->most;

	if (!change->is_tested || runs->confidence < VERDICT_CONFIDENCE - SLACK)
		return GATE_NOT_MEASURED;
	if (change_widest(change, limit->is_percent).low > most + SLACK)
		return GATE_EXCEEDED;
	if (change_narrowest(change, limit->is_percent).high <= most + SLACK)
		return GATE_KEPT;
	return runs->low > most + SLACK || runs->high <= most + SLACK ? GATE_BLURRED
								      : GATE_INCONCLUSIVE;
}

enum gate_result gate_check(const struct gate_limit *limit, const struct change *change)
{
	double difference = change->after - change->before;

	if (!change->is_exact)
		return check_interval(limit, change);
	if (difference <= difference_limit(limit, change->before) + SLACK)
		return GATE_KEPT;
	return GATE_EXCEEDED;
}

bool gate_can_judge(const struct change *change)
{
	return change->is_exact ||
	       (change->is_tested &&
		change->ratio.confidence >= VERDICT_CONFIDENCE - SLACK);
}

const char *gate_result_word(enum gate_result result)
{
	static const char *const words[] = {
		[GATE_KEPT] = "kept",
		[GATE_INCONCLUSIVE] = "inconclusive",
		[GATE_BLURRED] = "within the error",
		[GATE_NOT_MEASURED] = "not measured",
		[GATE_NOT_COMPARABLE] = "not comparable",
		[GATE_EXCEEDED] = "exceeded",
	};

	return words[result];
}

bool gate_is_set(const struct gate *gate)
{
	return gate->count || gate->on_regression || gate->on_inconclusive;
}

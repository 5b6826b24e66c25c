/* SPDX-License-Identifier: MIT */
/*
 * Checks a change against a limit. Must not fail if the interval contains the limit, or
 * pass if no number of such runs could fail.
 */
#include "analyzer/statistics/gate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void quote(struct strbuf *error, const char *text)
{
	strbuf_putc(error, '\'');
	utf8_clean(error, text);
	strbuf_putc(error, '\'');
}

/* Limits of growth are those of --fail-on. */
static void begin_refusal(struct strbuf *error, const char *item)
{
	strbuf_puts(error,
		    strchr(item, '~') && !strchr(item, '=') ? "--fail-on: " : "--gate: ");
}

static int refuse(struct strbuf *error, const char *item, const char *why)
{
	begin_refusal(error, item);
	quote(error, item);
	strbuf_puts(error, why);
	return -EINVAL;
}

static int unknown_metric(struct strbuf *error, const char *item, const char *name,
			  bool of_function)
{
	const char *names[GATE_METRIC_COUNT], *nearest;
	size_t count = 0;

	for (size_t i = 0; i < GATE_METRIC_COUNT; i++)
		if (of_function ? metrics[i].of_function : metrics[i].of_run)
			names[count++] = metrics[i].name;
	nearest = nearest_word(name, names, count);
	begin_refusal(error, item);
	quote(error, item);
	strbuf_puts(error, of_function ? ": a function has no metric "
				       : ": there is no metric ");
	quote(error, name);
	if (nearest)
		strbuf_printf(error, "; did you mean '%s'? All:", nearest);
	else
		strbuf_puts(error, "; there are");
	for (size_t i = 0; i < count; i++)
		strbuf_printf(error, "%s%s", i ? ", " : " ", names[i]);
	return -EINVAL;
}

static int parse_metric(struct gate_limit *limit, const char *name, struct strbuf *error)
{
	for (size_t i = 0; i < GATE_METRIC_COUNT; i++)
		if (strcmp(metrics[i].name, name) == 0 &&
		    (limit->function ? metrics[i].of_function : metrics[i].of_run)) {
			limit->metric = (enum gate_metric)i;
			return 0;
		}
	return unknown_metric(error, limit->text, name, limit->function != NULL);
}

/* "wall", or "func:NAME.METRIC" with dots and colons in NAME. */
static int parse_subject(struct gate_limit *limit, char *subject, struct strbuf *error)
{
	char *dot;

	if (strncmp(subject, "func:", 5) != 0)
		return parse_metric(limit, subject, error);
	subject += 5;
	dot = strrchr(subject, '.');
	if (!dot || dot == subject || !dot[1])
		return refuse(error, limit->text,
			      " lacks a metric; write func:NAME.total=10%");
	*dot = '\0';
	limit->function = xstrdup(subject);
	return parse_metric(limit, dot + 1, error);
}

static int parse_amount(struct gate_limit *limit, const char *text, struct strbuf *error)
{
	static const char *const examples[] = {
		[TIME] = "5% or 50ms", [BYTES] = "0% or 1MiB", [COUNT] = "0% or 100"};
	enum kind kind = metrics[limit->metric].kind;
	char *unit;
	double amount = strtod(text, &unit);

	if (unit == text || !isfinite(amount)) {
		refuse(error, limit->text, ": the limit is not a number; write ");
		strbuf_puts(error, examples[kind]);
		return -EINVAL;
	}
	if (amount < 0)
		return refuse(error, limit->text,
			      ": a limit is how much more is allowed and cannot be "
			      "negative");
	limit->is_percent = strcmp(unit, "%") == 0;
	limit->most = amount;
	if (limit->is_percent)
		return 0;
	for (size_t i = 0; i < UNIT_COUNT; i++)
		if (units[i].kind == kind && strcmp(units[i].name, unit) == 0) {
			limit->most = amount * units[i].size;
			return 0;
		}
	refuse(error, limit->text, ": ");
	quote(error, text);
	strbuf_printf(error, " is no limit for %s; write %s", metrics[limit->metric].name,
		      examples[kind]);
	return -EINVAL;
}

static bool same_subject(const struct gate_limit *a, const struct gate_limit *b)
{
	return a->metric == b->metric && a->is_percent == b->is_percent &&
	       !a->function == !b->function &&
	       (!a->function || strcmp(a->function, b->function) == 0);
}

static int check_contradiction(const struct gate *gate, const struct gate_limit *limit,
			       struct strbuf *error)
{
	for (size_t i = 0; i < gate->count; i++) {
		const struct gate_limit *other = &gate->limits[i];

		if (!same_subject(other, limit) || other->most == limit->most)
			continue;
		strbuf_puts(error, "--gate: ");
		quote(error, other->text);
		strbuf_puts(error, " and ");
		quote(error, limit->text);
		strbuf_puts(error, " contradict each other");
		return -EINVAL;
	}
	return 0;
}

static int parse_one(struct gate *gate, const char *text, size_t size,
		     struct strbuf *error)
{
	struct gate_limit limit = {.text = xstrndup(text, size)};
	char *subject = xstrdup(limit.text), *amount = strrchr(subject, '=');
	int result;

	if (!amount || amount == subject) {
		result = refuse(error, limit.text,
				" is no limit; write METRIC=AMOUNT, such as wall=5% or "
				"peak=1MiB");
	} else {
		*amount++ = '\0';
		result = parse_subject(&limit, subject, error);
		if (result == 0)
			result = parse_amount(&limit, amount, error);
		if (result == 0)
			result = check_contradiction(gate, &limit, error);
	}
	free(subject);
	if (result < 0) {
		free(limit.text);
		free(limit.function);
		return result;
	}
	ARRAY_ADD(gate->limits, gate->count) = limit;
	return 0;
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

int gate_parse_limits(struct gate *gate, const char *text, struct strbuf *error)
{
	int result = 0;

	while (result == 0) {
		size_t start, size;

		text += strspn(text, " \t\n");
		size = start = item_size(text);
		while (size && strchr(" \t\n", text[size - 1]))
			size--;
		result = parse_one(gate, text, size, error);
		if (!text[start])
			break;
		text += start + 1;
	}
	return result;
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

static int parse_growth(struct gate *gate, const char *text, struct strbuf *error)
{
	struct gate_limit limit = {.text = xstrdup(text)};
	char *subject = xstrdup(text), *law = strrchr(subject, '~');
	enum scaling_law kind;
	double number;
	int result = -1;

	if (law)
		*law++ = '\0';
	for (size_t i = 0; law && result && i < GATE_METRIC_COUNT; i++)
		if (strcmp(metrics[i].name, trim(subject)) == 0) {
			limit.metric = (enum gate_metric)i;
			result = 0;
		}
	if (!law) {
		strbuf_puts(error, "--fail-on: ");
		quote(error, text);
		strbuf_puts(error, " is no limit of growth; write METRIC ~ LAW, such as "
				   "calls ~ n^1.5");
		result = -EINVAL;
	} else if (result) {
		result = parse_subject(&limit, trim(subject), error);
	}
	if (result == 0 && !scaling_law_read(trim(law), &kind, &number))
		result = refuse(error, text,
				": the law is not 1, log n, n, n log n, n^K or 2^n");
	if (result == 0)
		limit.law = xstrdup(trim(law));
	free(subject);
	if (result == 0) {
		ARRAY_ADD(gate->limits, gate->count) = limit;
		return 0;
	}
	free(limit.text);
	free(limit.function);
	return result;
}

int gate_parse_growth(struct gate *gate, const char *text, struct strbuf *error)
{
	int result = 0;

	for (bool is_last = false; result == 0 && !is_last;) {
		size_t size = item_size(text);
		char *item = xstrndup(text, size);

		result = parse_growth(gate, trim(item), error);
		free(item);
		is_last = !text[size];
		text += size + !is_last;
	}
	return result;
}

int gate_parse_fail_on(struct gate *gate, const char *text, struct strbuf *error)
{
	for (;;) {
		size_t size = strcspn(text, ",");

		if (size == 10 && strncmp(text, "regression", size) == 0) {
			gate->on_regression = true;
		} else if (size == 12 && strncmp(text, "inconclusive", size) == 0) {
			gate->on_inconclusive = true;
		} else {
			char *word = xstrndup(text, size);

			strbuf_puts(error, "--fail-on: ");
			quote(error, word);
			strbuf_puts(error, " is not known; there are regression, "
					   "inconclusive");
			free(word);
			return -EINVAL;
		}
		if (!text[size])
			return 0;
		text += size + 1;
	}
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

void gate_free(struct gate *gate)
{
	for (size_t i = 0; i < gate->count; i++) {
		free(gate->limits[i].text);
		free(gate->limits[i].function);
		free(gate->limits[i].law);
	}
	free(gate->limits);
	*gate = (struct gate){0};
}

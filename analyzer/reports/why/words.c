/* SPDX-License-Identifier: MIT */
/* Causes in words. */
#include "analyzer/reports/why/parts.h"

#include "analyzer/model/units.h"

#include <math.h>
#include <string.h>

const char *why_kind_word(enum study_kind kind)
{
	static const char *const words[] = {
		[STUDY_SPREAD] = "spread",	 [STUDY_BLOCKED] = "blocked",
		[STUDY_ONLY_NOW] = "only_now",	 [STUDY_MORE_CALLS] = "more_calls",
		[STUDY_ALLOCATES] = "allocates", [STUDY_OFF_CPU] = "off_cpu",
		[STUDY_COMPUTES] = "computes",
	};

	return words[kind];
}

const char *why_path_name(const struct why *why, const struct study *study, uint32_t path)
{
	uint32_t node = calltree_find(why->tree, study->paths[path].path_id);

	if (path == 0 && study->step)
		return study->step;
	return node == CALLTREE_NONE ? "?" : calltree_name(why->tree, node);
}

static void put_ns(struct strbuf *text, double ns)
{
	units_nsec(text, whole_number(ns));
}

static void put_memory(struct strbuf *text, const struct study_numbers *numbers)
{
	units_counted(text, whole_number(round(numbers->alloc_count)), "allocation");
	strbuf_puts(text, " of ");
	units_bytes(text, (int64_t)numbers->alloc_bytes);
}

static void put_wait(const struct why_case *own, struct strbuf *text)
{
	if (!own->wait_kind || strcmp(own->wait_kind, "call") == 0 ||
	    strcmp(own->wait_kind, "sleep") == 0)
		return;
	strbuf_printf(text, ", for the %s", own->wait_kind);
	if (own->lock && strcmp(own->lock, own->wait_kind) != 0)
		strbuf_printf(text, " %s", own->lock);
	if (own->holder)
		strbuf_printf(text, " that %s had", own->holder);
}

static void put_numbers(const struct why *why, const struct study *study,
			const struct study_cause *cause, const struct why_case *own,
			struct strbuf *text)
{
	switch (cause->kind) {
	case STUDY_ONLY_NOW:
		strbuf_puts(text, "usual calls do not go there; it took ");
		put_ns(text, cause->now.self_ns);
		if (cause->most_path == cause->path)
			break;
		strbuf_puts(text, ", most of it in ");
		strbuf_puts(text, why_path_name(why, study, cause->most_path));
		break;
	case STUDY_BLOCKED:
		strbuf_puts(text, "waited for ");
		put_ns(text, cause->waited_ns);
		put_wait(own, text);
		break;
	case STUDY_MORE_CALLS:
		units_counted(text, whole_number(round(cause->now.calls)), "call");
		strbuf_puts(text, " instead of ");
		units_count(text, whole_number(round(cause->usual.calls)));
		break;
	case STUDY_ALLOCATES:
		put_memory(text, &cause->now);
		strbuf_puts(text, " instead of ");
		put_memory(text, &cause->usual);
		break;
	case STUDY_SPREAD:
		strbuf_puts(text, "a little more on many paths below it, ");
		put_ns(text, cause->now.self_ns);
		break;
	case STUDY_OFF_CPU:
		strbuf_puts(text, "had no CPU for ");
		put_ns(text, cause->now.blocked_ns);
		break;
	default:
		strbuf_puts(text, "took ");
		put_ns(text, cause->now.self_ns);
		break;
	}
	if (cause->kind != STUDY_BLOCKED && cause->kind != STUDY_OFF_CPU &&
	    cause->now.blocked_ns > cause->explained_ns / 4) {
		strbuf_puts(text, ", without a CPU for ");
		put_ns(text, cause->now.blocked_ns);
		strbuf_puts(text, " of it");
	}
}

void why_put_cause(const struct why *why, const struct why_study *from, size_t number,
		   struct strbuf *text)
{
	const struct study_cause *cause = &from->study.calls[number].cause;

	if (!from->study.path_count)
		return;
	strbuf_puts(text, why_path_name(why, &from->study, cause->path));
	strbuf_puts(text, ": ");
	put_numbers(why, &from->study, cause, &from->cases[number], text);
}

/* SPDX-License-Identifier: MIT */
/* What to do about a gate that cannot be judged: commands that can be pasted. */
#include "analyzer/reports/compare/parts.h"

#include <string.h>

#define OF_BUILDS                                                                        \
	"eave what is called most out of both builds ('prof-analyze exclude-list'); "    \
	"wall times of builds without hooks are not touched."

/* 'text' for a shell, plain when it can be. */
static void put_word(struct strbuf *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./+,:@%";

	if (*word && !word[strspn(word, plain)]) {
		strbuf_puts(text, word);
		return;
	}
	strbuf_putc(text, '\'');
	for (; *word; word++)
		if (*word == '\'')
			strbuf_puts(text, "'\\''");
		else
			strbuf_putc(text, *word);
	strbuf_putc(text, '\'');
}

/* The command that adds runs to a side. A command is stored as a shell would take it. */
static void put_recording(struct strbuf *text, const struct compare_run *run)
{
	strbuf_puts(text, "prof-record --repeat 10 -o ");
	put_word(text, rundb_path(run->db));
	if (run->label) {
		strbuf_puts(text, " --append --label ");
		put_word(text, run->label);
	}
	strbuf_printf(text, " -- %s", run->command ? run->command : "./app");
}

const char *compare_advise_runs(struct compare_state *state)
{
	const struct compare_run *before = &state->runs[0];
	const struct compare_run *after = &state->runs[state->before_count];
	struct strbuf text = {0}, first = {0}, second = {0};
	const char *copy;

	put_recording(&first, before);
	put_recording(&second, after);
	if (before->job || after->job) {
		strbuf_puts(&text, "Record at least four jobs of each side. ");
	} else {
		strbuf_printf(&text, "Record more runs of both: %s", strbuf_text(&first));
		if (strcmp(strbuf_text(&first), strbuf_text(&second)) != 0)
			strbuf_printf(&text, " and %s", strbuf_text(&second));
		strbuf_puts(&text, " (or both in turns, see prof-record --against). ");
	}
	strbuf_puts(&text, "Counts and bytes can be a gate with one run a side: --gate "
			   "calls=0%,alloc_bytes=0%.");
	copy = doc_copy(state->doc, strbuf_text(&text));
	strbuf_free(&text);
	strbuf_free(&first);
	strbuf_free(&second);
	return copy;
}

const char *compare_advise_budget(const struct compare_state *state)
{
	for (size_t i = 0; i < state->run_count; i++)
		if (!state->runs[i].has_budget)
			return "More runs do not help. Record with a budget "
			       "(PROFSHIM_OVERHEAD=5), or l" OF_BUILDS;
	return "More runs do not help. L" OF_BUILDS;
}

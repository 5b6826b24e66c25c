/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a libFuzzer target: the files and words that people write for
 *                prof-analyze, each through its parser and one use of it.
 * Runs on:       tests; libFuzzer or replay.c.
 * See also:      analyzer/findings/rules_file.h, suppress.h,
 *                finding_suppress.h, gate.h
 *
 * The first byte of an input says which one it is (m: map, s: suppressions of leaks, f:
 * of findings, r: rules, l: limits of a gate, o: what fails it),
 * the rest is the text.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/findings/finding_suppress.h"
#include "analyzer/statistics/gate.h"
#include "analyzer/findings/rules_file.h"
#include "analyzer/findings/suppress.h"
#include "common/base/command.h"

#define LONG_TEXT 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct rule_limit rule_table[] = {
	{"low", 1, "ns", .not_above = "high", .meaning = "x"},
	{"high", 2, "ns", .most = 5, .meaning = "y"},
	{0},
};

static bool is_rule(const char *word)
{
	return word[0] == 'T' || word[0] == 'M';
}

static void try_suppressions(const char *text, size_t size)
{
	struct suppressions suppressions = {0};

	suppressions_parse(&suppressions, text, size, "file");
	suppressions_find(&suppressions, "operator new(unsigned long)");
	suppressions_find(&suppressions, text);
}

static void try_findings(const char *text, size_t size)
{
	struct finding_suppressions suppressions = {0};

	finding_suppressions_parse(&suppressions, text, size, "file", "2026-11-22",
				   is_rule);
	for (size_t i = 0; i < suppressions.count; i++)
		if (suppressions.list[i].has_pattern)
			regexec(&suppressions.list[i].pattern, "acme::f(int)", 0, NULL,
				0);
}

static void try_rules(const char *text, size_t size)
{
	struct rule_limits limits = {0};

	rule_limits_declare(&limits, "M0", "one", rule_table);
	rules_file_read(&limits, text, size, "file");
}

static void try_gate(const char *text, int is_limits)
{
	struct gate gate = {0};

	if (is_limits)
		gate_parse_limits(&gate, text);
	else
		gate_parse_fail_on(&gate, text);
	gate_is_set(&gate);
}

static jmp_buf failing;

static void go_back(int status, const char *text)
{
	(void)status, (void)text;
	longjmp(failing, 1);
}

static void try(char kind, const char *text, size_t size)
{
	command_failed = go_back;
	if (setjmp(failing))
		return;
	if (kind == 's')
		try_suppressions(text, size);
	if (kind == 'f')
		try_findings(text, size);
	if (kind == 'r')
		try_rules(text, size);
	if (kind == 'l' || kind == 'o')
		try_gate(text, kind == 'l');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size || size > LONG_TEXT)
		return 0;
	command_keep_memory();
	/* of its very size, so that a look beyond it is seen; all end with NUL */
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[--size] = '\0';
	try((char)data[0], text, size);
	free(text);
	return 0;
}

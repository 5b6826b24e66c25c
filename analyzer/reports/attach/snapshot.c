/* SPDX-License-Identifier: MIT */
/*
 * `prof-analyze snapshot`: takes a snapshot of a running process. Runs on: one thread;
 * the process it is about goes on meanwhile. Must not stop or signal the process.
 */
#include "common/base/text.h"
#include "analyzer/reports/common.h"
#include "collector/live/attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_MOST 95

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	const char *word = input->options->argument, *label;
	ended_by(strbuf_free) struct strbuf text = {0};
	char reason[512] = "";
	uint32_t number;
	long pid;
	char *end;

	label = input->options->other_argument;
	errno = 0;
	pid = strtol(word, &end, 10);
	if (errno || *end || pid <= 0 || pid > INT32_MAX)
		command_fail(STATUS_USAGE, "'%s' is not a process number", word);
	if (!*label || strlen(label) > LABEL_MOST)
		command_fail(STATUS_USAGE, "a label has 1 to %d bytes; this one has %zu",
			     LABEL_MOST, strlen(label));
	if (attach_snapshot((int)pid, label, &number, reason, sizeof(reason)) < 0)
		command_fail(STATUS_FAILED, "%s", reason);
	strbuf_printf(&text, "Process %ld: snapshot %u, \"", pid, number);
	utf8_clean(&text, label);
	strbuf_puts(&text, "\".");
	doc_note(doc, "taken", NOTE_GOOD, strbuf_text(&text), NULL);
	return STATUS_OK;
}

const struct report report_snapshot = {
	.name = "snapshot",
	.argument = "PID",
	.other_argument = "LABEL",
	.summary = "take a snapshot of a running process",
	.description =
		"Takes a snapshot of a process that is being recorded, from outside and "
		"without stopping it. It is in run.db when the run has ended; "
		"'snapshots' lists it, 'delta' compares it.",
	.example = "prof-analyze snapshot $(pidof app) loaded",
	.takes = TAKES_NO_DATABASE | TAKES_ONLY_WORDS,
	.build = build,
};

/* SPDX-License-Identifier: MIT */
/* From a living spool to findings. */
#include "analyzer/live/watch/judge.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/rundb/select.h"
#include "analyzer/rundb/takeover.h"
#include "collector/store/spool.h"

static void forget(struct judge *judge)
{
	if (judge->has_found) {
		bottlenecks_free(&judge->found);
		doc_free(&judge->doc);
	}
	judge->has_found = false;
	judge->found = (struct bottlenecks){0};
	rundb_close(judge->input->db);
	judge->input->db = NULL;
}

/* The run in the spool, when it is still there. */
static bool find_spool(const struct judge *judge, struct spool_run *ret)
{
	struct spool_run *runs = NULL;
	bool is_there = false;
	size_t count = 0;

	if (spool_list(judge->output, &runs, &count) < 0)
		count = 0;
	for (size_t i = 0; i < count && !is_there; i++) {
		is_there = strcmp(runs[i].token, judge->token) == 0;
		if (is_there)
			*ret = runs[i];
	}
	free(runs);
	return is_there;
}

static enum exit_status open_spool(struct judge *judge, const struct spool_run *run)
{
	struct strbuf *error = &judge->input->error;
	char reason[512] = "";

	if (rundb_open_memory(judge->output, &judge->input->db, error) < 0)
		return STATUS_FAILED;
	if (spool_read_live(run, rundb_handle(judge->input->db), reason, sizeof(reason)) <
	    0) {
		strbuf_printf(error, "cannot read the run: %s", reason);
		return STATUS_FAILED;
	}
	rundb_set_live(judge->input->db, run->first_pid, run->state == SPOOL_RECORDING);
	return STATUS_OK;
}

static void say_nothing(void *context, const char *sentence)
{
	(void)context;
	(void)sentence;
}

/* The run has ended: its collector has stored it, or is about to. */
static enum exit_status open_stored(struct judge *judge)
{
	struct takeover_talk talk = {.say = say_nothing};

	return takeover_open(judge->output, true, &talk, &judge->input->db,
			     &judge->input->error) < 0
		       ? STATUS_FAILED
		       : STATUS_OK;
}

static enum exit_status open_run(struct judge *judge)
{
	struct report_input *input = judge->input;
	struct spool_run run;
	enum exit_status status;

	/* what cannot be read of a spool may be stored by now */
	status = find_spool(judge, &run) ? open_spool(judge, &run) : STATUS_FAILED;
	if (status != STATUS_OK) {
		rundb_close(input->db);
		input->db = NULL;
		strbuf_reset(&input->error);
		status = open_stored(judge);
	}
	if (status == STATUS_OK &&
	    select_run(input->db, NULL, &input->run_id, &input->error) < 0)
		status = STATUS_FAILED;
	return status;
}

static enum exit_status apply_rules(struct judge *judge)
{
	struct run_facts facts;
	struct calltree *tree;
	enum exit_status status;

	doc_init(&judge->doc, "watch");
	judge->has_found = true;
	status = report_open(judge->input, &judge->doc, &facts);
	if (status != STATUS_OK)
		return status;
	if (run_facts_empty(&facts))
		return STATUS_NOTHING;
	tree = report_tree_load(judge->input);
	if (!tree)
		return STATUS_FAILED;
	status = bottlenecks_run(judge->input, &facts, tree, &judge->found);
	calltree_free(tree);
	return status;
}

enum exit_status judge_run(struct judge *judge)
{
	enum exit_status status;

	forget(judge);
	status = open_run(judge);
	return status == STATUS_OK ? apply_rules(judge) : status;
}

void judge_done(struct judge *judge)
{
	forget(judge);
	free(judge->output);
	free(judge->token);
}

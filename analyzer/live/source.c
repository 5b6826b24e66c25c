/* SPDX-License-Identifier: MIT */
/* A PID, or the run that is being recorded beside a run.db. */
#include "analyzer/live/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/store/spool.h"

int source_pid(const char *word)
{
	struct stat status;
	long pid;

	if (!*word || word[strspn(word, "0123456789")] || strlen(word) > 10)
		return 0;
	pid = strtol(word, NULL, 10);
	if (pid <= 0 || pid > INT32_MAX || stat(word, &status) == 0)
		return 0;
	return (int)pid;
}

static int is_living(const struct spool_run *run)
{
	return run->state == SPOOL_RECORDING || run->state == SPOOL_UNATTENDED;
}

/* Of several that are being recorded into one file the one that began last. */
static enum exit_status open_beside(const char *path, struct follow **ret,
				    struct strbuf *error)
{
	struct spool_run *runs = NULL;
	const struct spool_run *foreign = NULL;
	uint64_t latest_ns = 0;
	char reason[512] = "";
	size_t count = 0;

	*ret = NULL;
	if (spool_list(path, &runs, &count) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		struct follow *follow;

		if (runs[i].state == SPOOL_FOREIGN)
			foreign = &runs[i];
		if (!is_living(&runs[i]) || follow_open_run(&follow, runs[i].directory,
							    reason, sizeof(reason)) < 0)
			continue;
		if (*ret && follow->page.start_monotonic_ns < latest_ns) {
			follow_close(follow);
			continue;
		}
		if (*ret)
			follow_close(*ret);
		*ret = follow;
		latest_ns = follow->page.start_monotonic_ns;
	}
	if (!*ret && *reason)
		strbuf_puts(error, reason);
	else if (!*ret && foreign)
		strbuf_printf(error, "what is in %s belongs to %s", foreign->directory,
			      foreign->owner);
	free(runs);
	if (*ret)
		return STATUS_OK;
	return error->size ? STATUS_FAILED : STATUS_NOTHING;
}

bool source_next(const char *word, const struct follow *old, struct follow **ret)
{
	struct strbuf error = {0};
	bool is_there = !source_pid(word) && open_beside(word, ret, &error) == STATUS_OK;

	strbuf_free(&error);
	if (is_there && (*ret)->page.start_monotonic_ns <= old->page.start_monotonic_ns) {
		follow_close(*ret);
		return false;
	}
	return is_there;
}

enum exit_status source_open(const char *word, struct follow **ret, struct strbuf *error)
{
	int pid = source_pid(word);
	enum exit_status status;
	struct stat file;
	char reason[512];

	if (pid) {
		if (follow_open_process(ret, pid, reason, sizeof(reason)) == 0)
			return STATUS_OK;
		strbuf_puts(error, reason);
		return STATUS_FAILED;
	}
	status = open_beside(word, ret, error);
	if (status != STATUS_NOTHING)
		return status;
	if (stat(word, &file) < 0) {
		if (errno == ENOENT)
			strbuf_printf(error,
				      "%s: there is no such file, and nothing is being "
				      "recorded into it",
				      word);
		else
			strbuf_printf(error, "%s: %s", word, strerror(errno));
		return STATUS_FAILED;
	}
	strbuf_printf(error,
		      "nothing is being recorded into %s now; 'prof-analyze %s' "
		      "shows what is stored",
		      word, word);
	return STATUS_NOTHING;
}

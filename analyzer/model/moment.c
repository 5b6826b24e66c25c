/* SPDX-License-Identifier: MIT */
/* Finding the moment that a word means. Must not pick one of several silently. */
#include "analyzer/model/moment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Parses digits. -1: not a number. */
static int64_t parse_number(const char *text)
{
	long long number;

	if (!*text || text[strspn(text, "0123456789")])
		return -1;
	errno = 0;
	number = strtoll(text, NULL, 10);
	return errno ? -1 : number;
}

static struct moment by_number(int64_t number, const struct snapshot *snapshots,
			       size_t count)
{
	if (number == 0)
		return (struct moment){.kind = MOMENT_START};
	for (size_t i = 0; i < count; i++)
		if (snapshots[i].number == number)
			return (struct moment){MOMENT_SNAPSHOT, &snapshots[i], 1};
	return (struct moment){.kind = MOMENT_NONE};
}

/* Finds a label of size bytes; wanted: which one of that label, 0 if only one is
 * expected. */
static struct moment by_label(const char *label, size_t size, int64_t wanted,
			      const struct snapshot *snapshots, size_t count)
{
	struct moment moment = {.kind = MOMENT_NONE};

	for (size_t i = 0; i < count; i++) {
		if (strlen(snapshots[i].label) != size ||
		    memcmp(snapshots[i].label, label, size) != 0)
			continue;
		if (moment.count++ == 0)
			moment.snapshot = &snapshots[i];
		if (wanted && (int64_t)moment.count == wanted)
			return (struct moment){MOMENT_SNAPSHOT, &snapshots[i], 1};
	}
	if (wanted || !moment.count)
		return (struct moment){.kind = MOMENT_NONE};
	moment.kind = moment.count == 1 ? MOMENT_SNAPSHOT : MOMENT_MANY;
	return moment;
}

static struct moment by_keyword(const char *word)
{
	static const struct {
		const char *word;
		enum moment_kind kind;
	} keywords[] = {/* of a run that goes on, its end so far */
			{"now", MOMENT_EXIT},
			{"start", MOMENT_START},
			{"exit", MOMENT_EXIT},
			{"peak", MOMENT_PEAK}};

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (strcmp(word, keywords[i].word) == 0)
			return (struct moment){.kind = keywords[i].kind};
	return (struct moment){.kind = MOMENT_NONE};
}

struct moment moment_find(const char *word, const struct snapshot *snapshots,
			  size_t count)
{
	const char *hash = strrchr(word, '#');
	struct moment moment;

	if (parse_number(word) >= 0)
		return by_number(parse_number(word), snapshots, count);
	if (hash == word && parse_number(word + 1) >= 0)
		return by_number(parse_number(word + 1), snapshots, count);
	moment = by_label(word, strlen(word), 0, snapshots, count);
	if (moment.kind == MOMENT_NONE && hash && parse_number(hash + 1) > 0)
		moment = by_label(word, (size_t)(hash - word), parse_number(hash + 1),
				  snapshots, count);
	if (moment.kind == MOMENT_NONE)
		moment = by_keyword(word);
	return moment;
}

int64_t moment_id(const struct moment *moment)
{
	switch (moment->kind) {
	case MOMENT_SNAPSHOT:
		return moment->snapshot->snapshot_id;
	case MOMENT_EXIT:
		return INT64_MAX;
	default:
		return 0;
	}
}

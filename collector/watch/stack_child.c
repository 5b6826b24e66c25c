/* SPDX-License-Identifier: MIT */
/* Questions to the child that walks stacks, and its answers. */
#include "collector/watch/stacks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "common/base/xalloc.h"

/* Of CPU time: all that one child may take, and for one question. */
#define CHILD_NS INT64_C(3600000000000)
#define QUESTION_SECONDS 2
/* Between two looks at a run nobody waits for longer. */
#define SILENCE_SECONDS 3
/* What ends so many ends them all. */
#define CHILD_MOST 3u

struct question {
	uint32_t module_count; /* beside those that it has */
	uint32_t range_count;
	uint32_t dump_count, unused;
};

static bool get(FILE *file, void *ret, size_t size)
{
	return fread(ret, 1, size, file) == size;
}

static bool get_modules(struct stack_space *space, FILE *file, size_t count)
{
	size_t all = space->module_count + count;

	if (!count)
		return true;
	space->modules = xreallocarray(space->modules, all, sizeof(*space->modules));
	space->files = xreallocarray(space->files, all, sizeof(struct stack_file *));
	memset(space->files + space->module_count, 0,
	       count * sizeof(struct stack_file *));
	if (!get(file, space->modules + space->module_count,
		 count * sizeof(*space->modules)))
		return false;
	space->module_count = all;
	return true;
}

static bool get_ranges(struct stack_space *space, FILE *file, size_t count)
{
	struct outside_range *ranges = xcalloc(count + 1, sizeof(*ranges));
	size_t bytes = count * sizeof(*ranges);

	if (!get(file, ranges, bytes))
		return false;
	if (count != space->range_count ||
	    (bytes && memcmp(ranges, space->ranges, bytes) != 0))
		stack_space_changed(space);
	free(space->ranges);
	space->ranges = ranges;
	space->range_count = count;
	return true;
}

static bool answer(struct stack_space *space, FILE *questions, FILE *answers)
{
	static struct stack_dump dump;
	struct stack_frames frames;

	if (!get(questions, &dump, offsetof(struct stack_dump, bytes)) ||
	    dump.byte_count > STACK_BYTES || !get(questions, dump.bytes, dump.byte_count))
		return false;
	stack_walk(space, &dump, &frames);
	return fwrite(&frames, offsetof(struct stack_frames, addresses), 1, answers) ==
		       1 &&
	       fwrite(frames.addresses, sizeof(frames.addresses[0]), frames.count,
		      answers) == frames.count;
}

static void work(FILE *questions, FILE *answers, void *context)
{
	struct stack_space space = {.module_count = 0};
	struct question question;

	(void)context;
	while (get(questions, &question, sizeof(question))) {
		confined_allow_seconds(QUESTION_SECONDS);
		if (!get_modules(&space, questions, question.module_count) ||
		    !get_ranges(&space, questions, question.range_count))
			return;
		for (uint32_t i = 0; i < question.dump_count; i++)
			if (!answer(&space, questions, answers))
				return;
		if (fflush(answers) != 0)
			return;
	}
}

static bool start(struct stack_walker *walker)
{
	const struct timeval silence = {.tv_sec = SILENCE_SECONDS};

	if (walker->child.pid)
		return true;
	if (walker->child_count == CHILD_MOST)
		return false;
	walker->child_count++;
	walker->sent_module_count = 0;
	if (confined_start(&walker->child, work, NULL, CHILD_NS) < 0)
		return false;
	(void)setsockopt(fileno(walker->child.answers), SOL_SOCKET, SO_RCVTIMEO, &silence,
			 sizeof(silence));
	(void)setsockopt(fileno(walker->child.answers), SOL_SOCKET, SO_SNDTIMEO, &silence,
			 sizeof(silence));
	return true;
}

static bool receive(struct confined *child, struct stack_frames *ret)
{
	return confined_receive(child, ret, offsetof(struct stack_frames, addresses)) &&
	       ret->count <= STACK_FRAME_LIMIT &&
	       confined_receive(child, ret->addresses,
				ret->count * sizeof(ret->addresses[0]));
}

bool stacks_walk(struct stack_walker *walker, const struct segment_module *modules,
		 size_t module_count, const struct outside_range *ranges,
		 size_t range_count, const struct stack_dump *dumps, size_t dump_count,
		 struct stack_frames *ret)
{
	struct question question = {.range_count = (uint32_t)range_count,
				    .dump_count = (uint32_t)dump_count};
	struct confined *child = &walker->child;
	size_t sent;
	bool is_whole;

	if (!start(walker))
		return false;
	sent = walker->sent_module_count;
	question.module_count = (uint32_t)(module_count - sent);
	is_whole = confined_send(child, &question, sizeof(question)) &&
		   confined_send(child, modules + sent,
				 question.module_count * sizeof(*modules)) &&
		   confined_send(child, ranges, range_count * sizeof(*ranges));
	for (size_t i = 0; is_whole && i < dump_count; i++)
		is_whole = dumps[i].byte_count <= STACK_BYTES &&
			   confined_send(child, &dumps[i],
					 offsetof(struct stack_dump, bytes) +
						 dumps[i].byte_count);
	for (size_t i = 0; is_whole && i < dump_count; i++)
		is_whole = receive(child, &ret[i]);
	if (!is_whole)
		(void)confined_end(child);
	walker->sent_module_count = module_count;
	return is_whole;
}

void stacks_end(struct stack_walker *walker)
{
	(void)confined_end(&walker->child);
}

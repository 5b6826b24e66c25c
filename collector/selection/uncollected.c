/* SPDX-License-Identifier: MIT */
/* All processes of all files, looked at one time. Must not keep the run's lock: somebody
 * may want to take the run over. */
#include "collector/selection/uncollected.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "collector/selection/listed.h"

static bool is_collected(const struct rundir *rundir)
{
	int lock = rundir_lock(rundir);

	if (lock < 0)
		return true;
	close(lock);
	return false;
}

static void show_file(struct answers *answers, const char *name)
{
	struct segment_reader reader;
	struct segment_slot slot;

	if (segment_reader_open(&reader, answers->directory_fd, name,
				answers->run->token) < 0)
		return;
	for (uint32_t i = 1; i < reader.slot_count; i++) {
		if (segment_reader_slot(&reader, i, &slot) == 0 &&
		    slot.kind == SEGMENT_SLOT_PROCESS)
			listed_show(answers, &reader, i, 0);
	}
	segment_reader_close(&reader);
}

static void show_all(struct answers *answers)
{
	int fd = openat(answers->directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!directory) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(directory))) {
		const char *suffix = strrchr(entry->d_name, '.');

		if (suffix && strcmp(suffix, SEGMENT_FILE_SUFFIX) == 0)
			show_file(answers, entry->d_name);
	}
	closedir(directory);
}

void uncollected_answer(const struct rundir *rundir, const struct segment_run *run,
			struct strbuf *trouble)
{
	struct answers answers;

	if (is_collected(rundir))
		return;
	answers_begin(&answers, rundir->fd, run);
	(void)answers_follow(&answers);
	if (answers_are_asked(&answers))
		show_all(&answers);
	answers_publish(&answers);
	strbuf_puts(trouble, answers.trouble);
	answers_end(&answers);
}

/* SPDX-License-Identifier: MIT */
/* Opening, and the order of a look. */
#include "collector/follow/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/follow/parts.h"
#include "collector/live/attach_find.h"
#include "collector/processes/liveness.h"
#include "collector/read/page.h"
#include "common/base/xalloc.h"

static void begin_merge(struct follow *follow)
{
	struct merge_path root = {.parent = 0};
	struct merge *merge = &follow->merge;

	*merge = (struct merge){.ticks = &follow->ticks,
				.path_limit = follow->page.path_limit > MERGE_PATH_LIMIT
						      ? follow->page.path_limit
						      : MERGE_PATH_LIMIT};
	identify_init(&merge->identify, follow->page.library, NULL);
	merge_add_path(merge, &root);
	follow->paths.width = FOLLOW_PATH_NUMBERS;
	follow->functions.width = FOLLOW_FUNCTION_NUMBERS;
	follow->threads.width = FOLLOW_THREAD_NUMBERS;
	follow->sites.width = FOLLOW_SITE_NUMBERS;
	follow->transfers.width = FOLLOW_TRANSFER_NUMBERS;
	follow->series.width = FOLLOW_SERIES_NUMBERS;
	follow_take_paths(follow);
}

/* From a directory that is checked and open, which becomes follow's. */
static int begin(struct follow *follow, struct rundir *rundir, char *error,
		 size_t error_size)
{
	int result = read_run_page(rundir, &follow->page, error, error_size);

	if (result == 0) {
		ticks_calibrate(&follow->ticks, &follow->page, NULL);
		hook_cost_calibrated(&follow->cost, &follow->page, &follow->ticks);
		begin_merge(follow);
	}
	if (result == 0 && !follow->ticks.same_boot) {
		snprintf(error, error_size, "the run in %s is of another boot",
			 rundir->path);
		result = -ESTALE;
	}
	if (result == 0 && follow_list(follow, ticks_monotonic_ns()) < 0) {
		snprintf(error, error_size, "nothing in %s can be read", rundir->path);
		result = -EIO;
	}
	return result;
}

static struct follow *new_follow(void)
{
	struct follow *follow = xcalloc(1, sizeof(*follow));

	follow->directory_fd = follow->proc_fd = -1;
	return follow;
}

int follow_open_process(struct follow **ret, int pid, char *error, size_t error_size)
{
	struct follow *follow = new_follow();
	struct rundir rundir = RUNDIR_NONE;
	struct attach_files files;
	int result = attach_open(&files, pid, error, error_size);

	if (result == 0) {
		follow->directory_fd = openat(files.directory_fd, ".",
					      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		follow->proc_fd = fcntl(files.proc_fd, F_DUPFD_CLOEXEC, 3);
		follow->pid = pid;
		follow->inner_pid = files.inner_pid;
		follow->start_time = liveness_start_time(pid, 0, UINT64_MAX);
		rundir.fd = follow->directory_fd;
		snprintf(rundir.path, sizeof(rundir.path), "the recording of process %d",
			 pid);
		result = begin(follow, &rundir, error, error_size);
		if (result == 0 && follow->page.token != files.token) {
			snprintf(error, error_size,
				 "the recording of process %d is damaged", pid);
			result = -EINVAL;
		}
	}
	attach_close(&files);
	if (result < 0)
		follow_close(follow);
	else
		*ret = follow;
	return result;
}

int follow_open_run(struct follow **ret, const char *directory, char *error,
		    size_t error_size)
{
	struct follow *follow = new_follow();
	struct rundir rundir;
	int result = rundir_open(&rundir, directory, error, error_size);

	if (result == 0) {
		follow->directory_fd = fcntl(rundir.fd, F_DUPFD_CLOEXEC, 3);
		result = begin(follow, &rundir, error, error_size);
		rundir_close(&rundir);
	}
	if (result < 0)
		follow_close(follow);
	else
		*ret = follow;
	return result;
}

static void free_rows(struct follow *follow)
{
	struct ledger *const ledgers[] = {&follow->paths,     &follow->functions,
					  &follow->threads,   &follow->sites,
					  &follow->transfers, &follow->series};
	struct map *const maps[] = {&follow->thread_map, &follow->site_map,
				    &follow->transfer_map, &follow->series_map};

	for (size_t i = 0; i < sizeof(ledgers) / sizeof(ledgers[0]); i++)
		ledger_done(ledgers[i]);
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		map_done(maps[i]);
	free(follow->path_rows);
	free(follow->path_longest);
	free(follow->function_longest);
	free(follow->thread_rows);
	free(follow->site_rows);
	free(follow->transfer_rows);
	free(follow->series_rows);
	free(follow->recordings);
	free(follow->callers);
	free(follow->room.entries);
	free(follow->frames.entries);
	free(follow->frames_again.entries);
	transfers_done(&follow->transfers_of);
	arena_free(&follow->texts);
}

static void free_merge(struct merge *merge)
{
	free(merge->paths);
	free(merge->cells);
	free(merge->touched);
	map_done(&merge->path_map);
	map_done(&merge->mode_map);
	if (merge->path_count)
		identify_done(&merge->identify);
}

void follow_close(struct follow *follow)
{
	for (size_t i = 0; i < follow->lane_count; i++)
		follow_lane_done(&follow->lanes[i]);
	free_merge(&follow->merge);
	module_files_done(&follow->module_files);
	for (uint32_t i = 0; i < follow->process_count; i++) {
		follow_process_done(follow->processes[i]);
		free(follow->processes[i]);
	}
	for (size_t i = 0; i < follow->file_count; i++) {
		segment_reader_close(&follow->files[i].reader);
		free(follow->files[i].name);
		free(follow->files[i].lane_of);
		free(follow->files[i].process_of);
		free(follow->files[i].names);
	}
	free(follow->files);
	free(follow->processes);
	free(follow->lanes);
	free_rows(follow);
	if (follow->directory_fd >= 0)
		close(follow->directory_fd);
	if (follow->proc_fd >= 0)
		close(follow->proc_fd);
	free(follow);
}

int follow_has_ended(const struct follow *follow)
{
	if (follow->pid)
		return !liveness_check(follow->pid, follow->start_time);
	for (uint32_t i = 0; i < follow->process_count; i++) {
		const struct segment_process *header = &follow->processes[i]->header;

		if (header->pid > 0 && liveness_check(header->pid, header->start_time))
			return 0;
	}
	return 1;
}

/* The process that was asked for may have called exec, or all have been seen to end. */
static void look_who_lives(struct follow *follow)
{
	struct stat status;
	int is_there = follow->pid && liveness_check(follow->pid, follow->start_time);

	follow->living_count = 0;
	follow->first_pid = is_there ? follow->pid : 0;
	follow->live_bytes = 0;
	for (uint32_t i = 0; i < follow->process_count; i++) {
		const struct follow_process *process = follow->processes[i];
		const struct segment_process *header = &process->header;

		if (!process->is_alive)
			continue;
		follow->living_count++;
		if (!follow->first_pid)
			follow->first_pid = header->pid;
		if (header->peak_bytes > header->below_peak)
			follow->live_bytes += quantity_of_count(header->peak_bytes -
								header->below_peak);
	}
	if (follow->pid)
		follow->is_over = !is_there;
	else
		follow->is_over = !follow->living_count ||
				  fstat(follow->directory_fd, &status) < 0 ||
				  status.st_nlink == 0;
}

static void begin_ledgers(struct follow *follow, uint64_t now_ns)
{
	ledger_begin(&follow->paths, now_ns);
	ledger_begin(&follow->functions, now_ns);
	ledger_begin(&follow->threads, now_ns);
	ledger_begin(&follow->sites, now_ns);
	ledger_begin(&follow->transfers, now_ns);
	ledger_begin(&follow->series, now_ns);
}

int follow_look(struct follow *follow)
{
	uint64_t now_ns = ticks_monotonic_ns(), now_ticks = ticks_now(&follow->ticks);
	int is_first = !follow->paths.look_ns;

	if (follow_list(follow, now_ns) < 0)
		return -EIO;
	begin_ledgers(follow, now_ns);
	for (size_t i = 0; i < follow->thread_map.count; i++)
		follow->thread_rows[i].is_alive = 0;
	for (uint32_t i = 0; i < follow->process_count; i++)
		follow_look_at_process(follow, i);
	for (size_t i = 0; i < follow->lane_count; i++)
		follow_look_at_lane(follow, &follow->lanes[i], now_ticks);
	for (uint32_t i = 0; i < follow->process_count; i++)
		follow_look_at_sites(follow, i);
	follow_take_paths(follow); /* functions that have none, too */
	look_who_lives(follow);
	if (is_first)
		follow_set_zero(follow);
	return 0;
}

void follow_set_zero(struct follow *follow)
{
	ledger_set_zero(&follow->paths);
	ledger_set_zero(&follow->functions);
	ledger_set_zero(&follow->threads);
	ledger_set_zero(&follow->sites);
	ledger_set_zero(&follow->transfers);
	ledger_set_zero(&follow->series);
}

/* Files come in the order of the directory. */
uint32_t follow_main_process(const struct follow *follow)
{
	uint32_t main = 0;

	for (uint32_t i = 1; i < follow->process_count; i++) {
		uint64_t start = follow->processes[i]->header.start_ticks;
		uint64_t other = follow->processes[main]->header.start_ticks;

		if (follow->pid ? start > other : start < other)
			main = i;
	}
	return main;
}

int32_t follow_process_pid(const struct follow *follow, uint32_t process)
{
	return follow->processes[process]->header.pid;
}

const char *follow_process_name(const struct follow *follow, uint32_t process)
{
	return follow->processes[process]->header.executable;
}

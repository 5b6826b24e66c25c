/* SPDX-License-Identifier: MIT */
/*
 * What this is:  whose a spool is, and taking over one that nobody has.
 * Runs on:       tests.
 * See also:      collector/store/spool.h
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/ingest/ingest.h"
#include "collector/processes/liveness.h"
#include "collector/store/spool.h"
#include "collector/store/guard.h"
#include "collector/store/store.h"
#include "collector/processes/ticks.h"
#include "tests/unit/collector/check_db.h"
#include "tests/unit/tests.h"

struct fixture {
	struct make_run run;
	struct make_file file;
	struct segment_process *process;
	struct make_lane lane;
};

static void read_boot_id(char *text, size_t size)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	assert_non_null(file);
	assert_non_null(fgets(text, (int)size, file));
	text[strcspn(text, "\n")] = 0;
	fclose(file);
}

/* A run of this boot, begun a while ago, of a process that is not there any longer. */
static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint32_t slot;

	make_run(&f->run, MAKE_TOKEN);
	read_boot_id(f->run.page->boot_id, sizeof(f->run.page->boot_id));
	make_file(&f->file, &f->run, "100-1");
	f->process = make_process(&f->file, 1, MAKE_START, MAKE_START + 5000, &slot);
	f->run.page->first_pid = 1;
	make_lane(&f->lane, &f->file, f->process, slot);
	make_call(&f->lane, 1, 0x1000, 1, 1000);
	/* our own mappings must not look like a living process of the run */
	f->run.page->start_monotonic_ns = ticks_monotonic_ns() + 3600000000000ull;
	f->run.page->start_ticks = MAKE_START;
	*state = f;
	return 0;
}

static int finish(void **state)
{
	struct fixture *f = *state;

	make_file_free(&f->file);
	make_run_free(&f->run);
	free(f);
	return 0;
}

static struct spool_run only_run(const struct fixture *f)
{
	struct spool_run *runs, run;
	size_t count;

	assert_int_equal(spool_list(f->run.output, &runs, &count), 0);
	assert_int_equal(count, 1);
	run = runs[0];
	free(runs);
	return run;
}

static void expect_no_run(const struct fixture *f)
{
	struct spool_run *runs;
	size_t count;

	assert_int_equal(spool_list(f->run.output, &runs, &count), 0);
	assert_int_equal(count, 0);
	assert_null(runs);
}

TEST(no_spool)
{
	struct spool_run *runs;
	size_t count;

	assert_int_equal(spool_list("/nowhere-at-all/run.db", &runs, &count), 0);
	assert_int_equal(count, 0);
}

TEST_FIXTURE(recovered, begin, finish)
{
	struct spool_run run = only_run(f);
	char error[512] = "";
	struct sqlite3 *db;

	assert_int_equal(run.state, SPOOL_ABANDONED);
	assert_string_equal(run.token, "0123456789abcdef");
	assert_string_equal(run.directory, f->run.directory);
	assert_int_equal(spool_recover(&run, f->run.output, NULL, error, sizeof(error)),
			 0);
	assert_int_equal(access(f->run.directory, F_OK), -1);
	expect_no_run(f);
	db = check_output(&f->run);
	check_rows(db, "SELECT complete FROM runs", "1");
	check_rows(db, "SELECT value FROM trust WHERE name = 'collector_recovered'", "1");
	sqlite3_close(db);
	assert_int_equal(spool_recover(&run, f->run.output, NULL, error, sizeof(error)),
			 -EAGAIN);
}

TEST_FIXTURE(attended, begin, finish)
{
	int lock = rundir_lock(&f->run.rundir);
	struct spool_run run;
	char error[512] = "";

	assert_true(lock >= 0);
	f->run.state->collector_state = SEGMENT_COLLECTOR_RECORDING;
	f->run.state->collector_pid = 77;
	run = only_run(f);
	assert_int_equal(run.state, SPOOL_RECORDING);
	assert_int_equal(run.collector_pid, 77);
	assert_int_equal(spool_recover(&run, f->run.output, NULL, error, sizeof(error)),
			 -EAGAIN);
	f->run.state->collector_state = SEGMENT_COLLECTOR_FINISHING;
	assert_int_equal(only_run(f).state, SPOOL_FINISHING);
	f->run.state->collector_state = SEGMENT_COLLECTOR_FINISHED;
	expect_no_run(f);
	close(lock); /* the collector was killed after all */
	assert_int_equal(only_run(f).state, SPOOL_ABANDONED);
}

/* A process of the run is there: ours. */
TEST_FIXTURE(unattended, begin, finish)
{
	f->process->pid = getpid();
	f->process->start_time = liveness_start_time(getpid(), 0, INT64_MAX);
	assert_int_not_equal(f->process->start_time, 0);
	assert_int_equal(only_run(f).state, SPOOL_UNATTENDED);
	f->process->start_time--; /* somebody who had our number before */
	assert_int_equal(only_run(f).state, SPOOL_ABANDONED);
}

/* A child that maps the run's files and has not said yet that it is there. */
TEST_FIXTURE(newborn, begin, finish)
{
	int child;

	f->run.page->start_monotonic_ns = ticks_monotonic_ns() - 1000000000ull;
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(only_run(f).state, SPOOL_UNATTENDED);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* The collector has been started and has not got the lock yet. */
TEST_FIXTURE(starting, begin, finish)
{
	f->run.page->start_monotonic_ns = ticks_monotonic_ns();
	f->run.state->collector_state = SEGMENT_COLLECTOR_STARTING;
	assert_int_equal(only_run(f).state, SPOOL_FINISHING);
	f->run.page->start_monotonic_ns -= 60000000000ull;
	assert_int_equal(only_run(f).state, SPOOL_ABANDONED);
}

TEST_FIXTURE(read_live, begin, finish)
{
	static const struct ingest_watch nothing;
	struct spool_run run = only_run(f);
	char error[512] = "";
	struct ingest ingest;
	struct sqlite3 *db;
	uint32_t node;

	f->run.page->start_monotonic_ns = MAKE_START;
	f->process->pid = getpid();
	f->process->start_time = liveness_start_time(getpid(), 0, INT64_MAX);
	f->process->state = SEGMENT_PROCESS_RUNNING;
	f->process->end_ticks = 0;
	node = make_call(&f->lane, 1, 0x2000, 0, 0);
	f->lane.nodes[node].call_count = 1;
	make_frame(&f->lane, node, ticks_monotonic_ns() - 1000000000ull);
	assert_int_equal(guard_open_memory(&db), 0);
	assert_int_equal(spool_read_live(&run, db, error, sizeof(error)), 0);
	check_rows(db, "SELECT complete, exit_code FROM runs", "0|");
	check_rows(db,
		   "SELECT total_ns BETWEEN 1000000000 AND 60000000000, max_ns "
		   "FROM functions WHERE name LIKE '0x2000%'",
		   "1|");
	sqlite3_close(db);
	assert_int_equal(access(f->run.directory, F_OK), 0);
	/* without being asked for the living it takes the last trace */
	assert_int_equal(
		ingest_load(&ingest, &f->run.rundir, &nothing, error, sizeof(error)), 0);
	assert_int_equal(ingest.endings[0].is_alive, 0);
	ingest_done(&ingest);
}

/* A program that has just begun to make its file has nothing in it yet. */
TEST_FIXTURE(file_being_made, begin, finish)
{
	struct spool_run run = only_run(f);
	struct make_file young;
	char error[512] = "";
	struct sqlite3 *db;

	make_file(&young, &f->run, "101-1");
	young.file->magic = 0;
	f->run.page->start_monotonic_ns = MAKE_START;
	assert_int_equal(guard_open_memory(&db), 0);
	assert_int_equal(spool_read_live(&run, db, error, sizeof(error)), 0);
	check_rows(db, "SELECT value FROM trust WHERE name = 'damaged_segments'", "0");
	sqlite3_close(db);
	/* one that nobody makes any more has lost what it was for */
	assert_int_equal(spool_recover(&run, f->run.output, NULL, error, sizeof(error)),
			 0);
	db = check_output(&f->run);
	check_rows(db, "SELECT value FROM trust WHERE name = 'damaged_segments'", "1");
	sqlite3_close(db);
	make_file_free(&young);
}

#define IMAGES 12u
#define STEPS 100u

static uint64_t spin_until(uint64_t time_ns)
{
	uint64_t now_ns;

	do {
		now_ns = ticks_monotonic_ns();
	} while (now_ns < time_ns);
	return now_ns;
}

/* How long it took. delay_ns: after so long it is removed, 0: never. */
static uint64_t read_while_removed(uint64_t delay_ns)
{
	struct spool_run run = {.state = SPOOL_RECORDING};
	struct make_file files[IMAGES];
	struct make_run made;
	struct make_lane lane;
	struct segment_process *process;
	char error[512] = "", name[32];
	uint64_t start_ns, ns;
	struct sqlite3 *db;
	uint32_t slot;
	pid_t child = 0;

	make_run(&made, MAKE_TOKEN);
	for (uint32_t i = 0; i < IMAGES; i++) {
		snprintf(name, sizeof(name), "%u-1", 100 + i);
		make_file(&files[i], &made, name);
		process = make_process(&files[i], 100 + (int)i, MAKE_START + i,
				       MAKE_START + 5000, &slot);
		make_lane(&lane, &files[i], process, slot);
		make_call(&lane, 1, 0x1000, 1, 1000);
	}
	snprintf(run.directory, sizeof(run.directory), "%s", made.directory);
	assert_int_equal(guard_open_memory(&db), 0);
	start_ns = ticks_monotonic_ns();
	if (delay_ns && (child = fork()) == 0) {
		spin_until(start_ns + delay_ns);
		rundir_remove(&made.rundir);
		_exit(0);
	}
	if (spool_read_live(&run, db, error, sizeof(error)) == 0)
		check_rows(db,
			   "SELECT (SELECT value FROM trust WHERE "
			   "name = 'damaged_segments'), COUNT(*) FROM processes",
			   "0|12");
	else
		assert_true(delay_ns > 0 && *error);
	ns = ticks_monotonic_ns() - start_ns;
	if (child)
		assert_int_equal(waitpid(child, NULL, 0), child);
	sqlite3_close(db);
	for (uint32_t i = 0; i < IMAGES; i++)
		make_file_free(&files[i]);
	make_run_free(&made);
	return ns;
}

/* A look at a run that its collector stores and removes meanwhile has all, or fails. */
TEST(removed_while_it_is_read)
{
	uint64_t whole_ns = read_while_removed(0);

	for (uint32_t i = 1; i <= STEPS; i++)
		read_while_removed(whole_ns * i / STEPS);
}

/* Who was killed while it removed a stored run left this. */
TEST_FIXTURE(partly_removed, begin, finish)
{
	char rest[2 * SEGMENT_PATH_MAX], spool[SEGMENT_PATH_MAX];

	snprintf(spool, sizeof(spool), "%s-spool", f->run.output);
	snprintf(rest, sizeof(rest), "%s/removed.0123456789abcdef", spool);
	assert_int_equal(unlinkat(f->run.rundir.fd, SEGMENT_RUN_NAME, 0), 0);
	assert_int_equal(rename(f->run.directory, rest), 0);
	expect_no_run(f);
	assert_int_equal(access(spool, F_OK), -1);
}

TEST_FIXTURE(damaged_run, begin, finish)
{
	struct spool_run run;
	char error[512] = "";

	f->run.page->magic = 0;
	run = only_run(f);
	assert_int_equal(run.state, SPOOL_ABANDONED);
	assert_int_equal(spool_recover(&run, f->run.output, NULL, error, sizeof(error)),
			 -EINVAL);
	assert_non_null(strstr(error, "remove the directory"));
	assert_int_equal(access(f->run.directory, F_OK), 0);
}

/* The output cannot be written: the spool stays. */
TEST_FIXTURE(output_not_writable, begin, finish)
{
	struct spool_run run = only_run(f);
	char error[512] = "";

	assert_int_equal(
		spool_recover(&run, "/nowhere-at-all/run.db", NULL, error, sizeof(error)),
		-EACCES);
	assert_int_equal(only_run(f).state, SPOOL_ABANDONED);
}

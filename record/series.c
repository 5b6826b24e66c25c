/* SPDX-License-Identifier: MIT */
/*
 * The order of the runs of a series, its early end, its summary, and the labels and tags
 * of its runs in run.db. Must not leave the side's label on a run that failed or was cut
 * short, or create run.db.
 */
#include "record/series.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/xalloc.h"

#include "common/base/command.h"
#include "record/launch.h"
#include "record/one.h"
#include "record/spread.h"
#include "record/summary.h"
#include "record_summary_sql.h"

/* How many runs have the label; 0 when there is no file. */
static int64_t record_label_count(const char *output, const char *label)
{
	const struct record_value values[] = {{":label", 0, label}, {NULL, 0, NULL}};
	struct record_question question;
	int64_t count = 0;

	if (record_ask(&question, output, GUARD_READ, record_summary_sql_labelled,
		       values) == SQLITE_ROW)
		count = sqlite3_column_int64(question.statement, 0);
	record_asked(&question);
	return count;
}

/* Runs a change. false: the file cannot be written (now). */
static bool change(const char *output, const char *sql, const struct record_value *values)
{
	struct record_question question;
	bool done =
		record_ask(&question, output, GUARD_WRITE, sql, values) == SQLITE_DONE;

	record_asked(&question);
	return done;
}

/* Marks the run as one without hooks, whose times belong to the run hooked_run_id. */
static bool record_label_plain(const char *output, int64_t run_id, int64_t hooked_run_id)
{
	const struct record_value values[] = {{":run", run_id, NULL},
					      {":hooked", hooked_run_id, NULL},
					      {NULL, 0, NULL}};

	return change(output, record_summary_sql_plain, values);
}

static bool record_label_change(const char *output, int64_t run_id, const char *label)
{
	const struct record_value values[] = {
		{":run", run_id, NULL}, {":label", 0, label}, {NULL, 0, NULL}};

	return change(output, record_summary_sql_relabel, values);
}

/* The parameters that the run was made with, and the command that has placeholders. */
static bool record_tag(const char *output, int64_t run_id, const char *kind,
		       const char *name, const char *value)
{
	const struct record_value values[] = {{":run", run_id, NULL},
					      {":kind", 0, kind},
					      {":name", 0, name},
					      {":value", 0, value},
					      {NULL, 0, NULL}};

	return change(output, record_summary_sql_tag, values);
}

#define LARGE_DEVIATION 0.05 /* larger ones are reported to the user */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:+@%/="
#define END_WITH(code) W_EXITCODE(code, 0)

struct side {
	struct record_task task;
	const char *label; /* NULL: none */
	const char *name;  /* to print */
	const char *input; /* NULL: none */
	int64_t took_ns;   /* the last run, with its recording; 0: none yet */
	int64_t *wall_ns;  /* of the runs that count */
	int64_t *run_ids;  /* likewise */
	size_t count;
};

struct series {
	const struct record_options *options;
	struct side *sides; /* in the order of the odd rounds; points of a sweep */
	unsigned int side_count;
	unsigned int turns, left_out; /* runs so far, and those that do not count */
	char *template;		      /* of a sweep: the command with placeholders */
	const char *level;	      /* of the recorded runs */
	int wait_status;	      /* to end with */
};

static bool is_sweep(const struct series *series)
{
	return series->options->sweep.count > 0;
}

/* Opens the input anew for each run, which reads it from its start. -1: said why. */
static int open_input(const char *input)
{
	const char *name = input ? input : "/dev/null";
	struct stat info;
	int fd = -1;

	if (stat(name, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)) {
		command_say("%s is not a file that each run can read from the start",
			    name);
		return -1;
	}
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		command_say("cannot read %s: %s", name, strerror(errno));
	return fd;
}

static void set_aside(const struct side *side, const struct record_result *result,
		      const char *why)
{
	const struct record_options *options = side->task.options;
	char label[160];

	if (!result->is_stored)
		return;
	snprintf(label, sizeof(label), "%s%s(%s)", side->label ? side->label : "",
		 side->label ? " " : "", why);
	if (record_label_change(side->task.output, result->stored.run_id, label))
		command_say("run %lld is kept, labelled \"%s\"",
			    (long long)result->stored.run_id, label);
	else
		command_say("run %lld in %s is not like the others, but could not be "
			    "labelled \"%s\"",
			    (long long)result->stored.run_id, options->output, label);
}

enum judgement { COUNTS, LEFT_OUT, ENDS };

/* What becomes of the series after this run? If it ends, or a run of a sweep does not
 * count, says why and sets wait_status. */
static enum judgement judge(struct series *series, struct side *side,
			    const struct record_result *result, bool is_warmup)
{
	enum judgement failed = is_sweep(series) ? LEFT_OUT : ENDS;
	int status = result->wait_status, number = record_signal();
	bool is_failure = !WIFEXITED(status) || WEXITSTATUS(status) != 0;

	if (number) {
		series->wait_status = number;
		set_aside(side, result, "interrupted");
		return ENDS;
	}
	if (is_failure && !series->options->ignore_failure) {
		if (WIFEXITED(status))
			command_say("%s: a run ended with status %d; --ignore-failure "
				    "would %s",
				    side->name, WEXITSTATUS(status),
				    failed == ENDS ? "go on" : "count it");
		else
			command_say("%s: a run was ended by signal %d (%s)", side->name,
				    WTERMSIG(status), strsignal(WTERMSIG(status)));
		series->wait_status = status;
		set_aside(side, result, "failed");
		return failed;
	}
	if (is_warmup || result->is_stored)
		return COUNTS;
	if (series->options->quiet && result->outcome != RECORD_FAILED)
		command_say("%s: a run is not in %s", side->name,
			    series->options->output);
	series->wait_status = END_WITH(RECORD_CANNOT);
	return failed;
}

/* 0, or the exit status after saying why there was no run. */
static int run_side(struct side *side, const char *level, struct record_result *ret)
{
	int failed = record_set_run(side->label, level);

	if (failed < 0) {
		command_say("cannot set the environment: %s", strerror(-failed));
		return RECORD_CANNOT;
	}
	side->task.stdin_fd = open_input(side->input);
	if (side->task.stdin_fd < 0)
		return RECORD_CANNOT;
	failed = record_one(&side->task, ret);
	close(side->task.stdin_fd);
	return failed;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* How long the runs that are left will take, as each point's last one did; 0: some point
 * has had none. */
static int64_t left_ns(const struct series *series)
{
	unsigned int all = series->options->repeat * series->side_count;
	int64_t round_ns = 0;

	for (unsigned int i = 0; i < series->side_count; i++) {
		if (!series->sides[i].took_ns)
			return 0;
		round_ns += series->sides[i].took_ns;
	}
	return (int64_t)((double)round_ns * (all - series->turns) / series->side_count);
}

/* Of a sweep the line of progress in a terminal, which the next line replaces. */
static void show_progress(const struct series *series, const struct side *side)
{
	int64_t seconds = left_ns(series) / 1000000000;

	if (!is_sweep(series) || series->options->quiet || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\rprof-record: run %u of %u, %s", series->turns + 1,
		series->options->repeat * series->side_count, side->name);
	if (seconds)
		fprintf(stderr, ", about %lld s left", (long long)seconds);
	fputs(" ...\033[K", stderr);
}

static void hide_progress(const struct series *series)
{
	if (is_sweep(series) && !series->options->quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* Stores what a point of a sweep is. false: the file could not be written. */
static bool tag(const struct series *series, const struct side *side, int64_t run_id)
{
	const struct sweep *sweep = &series->options->sweep;
	size_t point = (size_t)(side - series->sides);
	bool is_done = true;

	for (size_t i = 0; is_done && i < sweep->count; i++)
		is_done = record_tag(side->task.output, run_id, "parameter",
				     sweep->parameters[i].name,
				     sweep_value(sweep, point, i));
	return is_done && (!sweep->count || record_tag(side->task.output, run_id, "sweep",
						       "command", series->template));
}

/* Does one run. round: from 1. false: the series ends here. */
static bool take_turn(struct series *series, struct side *side, unsigned int round,
		      bool is_warmup)
{
	struct record_result result = {0};
	enum judgement judgement;
	char prefix[192];
	int64_t start_ns = now_ns();
	int failed;

	if (!is_warmup)
		show_progress(series, side);
	failed = run_side(side, is_warmup ? "off" : series->level, &result);
	side->took_ns = now_ns() - start_ns;
	hide_progress(series);
	if (failed) {
		series->wait_status = END_WITH(failed);
		return false;
	}
	series->turns += !is_warmup;
	if (is_sweep(series))
		snprintf(prefix, sizeof(prefix), "%u/%u %s: ", series->turns,
			 series->options->repeat * series->side_count, side->name);
	else
		snprintf(prefix, sizeof(prefix), "%s %u/%u: ", side->name, round,
			 series->options->repeat);
	if (!is_warmup)
		record_say_result(&side->task, &result, prefix);
	judgement = judge(series, side, &result, is_warmup);
	if (judgement == COUNTS && !is_warmup &&
	    !tag(series, side, result.stored.run_id)) {
		command_say("%s could not be written: run %lld has no parameters",
			    series->options->output, (long long)result.stored.run_id);
		series->wait_status = END_WITH(RECORD_CANNOT);
		judgement = LEFT_OUT;
	}
	series->left_out += judgement == LEFT_OUT;
	if (judgement == COUNTS && !is_warmup) {
		side->run_ids[side->count] = result.stored.run_id;
		side->wall_ns[side->count++] = result.stored.wall_ns;
	}
	return judgement != ENDS;
}

/* Does the rounds, every other one backwards: first second, second first, ... false:
 * ended early. The plain build of a program is first, so that the run that is read is the
 * last one. */
static bool take_rounds(struct series *series, unsigned int rounds, bool is_warmup)
{
	unsigned int round, i;

	for (round = 1; round <= rounds; round++) {
		for (i = 0; i < series->side_count; i++) {
			bool reversed = round % 2 == 0 && !series->options->plain;
			struct side *side =
				&series->sides[reversed ? series->side_count - 1 - i : i];

			if (record_signal()) {
				series->wait_status = record_signal();
				return false;
			}
			if (!take_turn(series, side, round, is_warmup))
				return false;
		}
	}
	return true;
}

static void write_time(double ns, char *ret, size_t size)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	size_t i = 0;

	while (ns >= 999.5 && i < 3) {
		ns /= 1000;
		i++;
	}
	snprintf(ret, size, "%.*f %s", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns, units[i]);
}

static void say_side(const struct record_options *options, const struct side *side)
{
	struct record_spread spread;
	char median[32], lowest[32], highest[32];

	if (options->quiet || !side->count)
		return;
	spread = record_spread(side->wall_ns, side->count);
	write_time(spread.median_ns, median, sizeof(median));
	write_time(spread.lowest_ns, lowest, sizeof(lowest));
	write_time(spread.highest_ns, highest, sizeof(highest));
	if (side->count == 1)
		command_say("%s: 1 run, %s", side->name, median);
	else
		command_say("%s: %zu runs, median %s, from %s to %s, deviation %.1f %%",
			    side->name, side->count, median, lowest, highest,
			    100 * spread.deviation);
	if (spread.is_first_outlier)
		command_say("%s: the first run took %.0f %% longer than the others; "
			    "prevent that with --warmup %u",
			    side->name, 100 * spread.first_excess, options->warmup + 1);
	if (spread.deviation > LARGE_DEVIATION)
		command_say(
			"%s: the runs differ a lot; a quieter machine or more work in "
			"each run would find smaller changes",
			side->name);
}

/* Quotes a word for a shell. Owned by caller. */
static char *quote(const char *word)
{
	char *quoted = xmalloc(4 * strlen(word) + 3), *out = quoted;

	if (*word && !word[strspn(word, PLAIN)])
		return strcpy(quoted, word);
	*out++ = '\'';
	for (; *word; word++)
		out = *word == '\'' ? stpcpy(out, "'\\''") : (*out = *word, out + 1);
	stpcpy(out, "'");
	return quoted;
}

static void say_compare(const struct series *series)
{
	command_say("compare them with: prof-analyze compare %s --before=%s --after=%s",
		    series->options->output, quote(series->sides[0].label),
		    quote(series->sides[1].label));
}

/* Links the plain build's runs to the last run of the other side. */
static void link_plain(const struct series *series)
{
	const struct side *plain = &series->sides[0], *hooked = &series->sides[1];
	const struct record_options *options = series->options;

	for (size_t i = 0; i < plain->count && hooked->count; i++)
		if (!record_label_plain(plain->task.output, plain->run_ids[i],
					hooked->run_ids[hooked->count - 1]))
			command_say(
				"%s could not be written: the report of run %lld will "
				"lack the times of run %lld",
				options->output,
				(long long)hooked->run_ids[hooked->count - 1],
				(long long)plain->run_ids[i]);
}

static void say_end(const struct series *series, bool is_complete)
{
	const struct record_options *options = series->options;
	const struct side *sides = series->sides;
	size_t done = 0;

	for (unsigned int i = 0; i < series->side_count; i++)
		done += sides[i].count;
	if (!is_complete)
		command_say("stopped; %zu of %u runs are in %s", done,
			    options->repeat * series->side_count, options->output);
	for (unsigned int i = 0; i < series->side_count && !is_sweep(series); i++)
		say_side(options, &sides[i]);
	if (series->left_out)
		command_say("%u of %u runs failed and do not count", series->left_out,
			    series->turns);
	if (options->quiet || !done)
		return;
	if (is_sweep(series))
		command_say("read how it grows with: prof-analyze scaling %s",
			    options->output);
	else if (series->side_count == 2 && sides[0].count && sides[1].count &&
		 !options->plain)
		say_compare(series);
	else
		command_say("read the last one with: prof-analyze %s", options->output);
}

static void check_side(const struct record_options *options, const struct side *side)
{
	const char *nothing = record_why_nothing(side->task.target);
	int64_t count =
		side->label ? record_label_count(side->task.output, side->label) : 0;

	if (nothing)
		command_fail(RECORD_CANNOT, "cannot record %s: it %s",
			     side->task.target->path, nothing);
	if (count && !options->append && !options->plain)
		command_fail(
			RECORD_USAGE,
			"%s has %lld run%s labelled \"%s\" already; add to them with "
			"--append, or choose another file or label",
			options->output, (long long)count, count == 1 ? "" : "s",
			side->label);
}

/* Examines the other side and opens what both need. */
static void prepare(struct series *series, struct target_report *other)
{
	const struct record_options *options = series->options;
	int input, discard = -1;

	for (unsigned int i = 0; i < series->side_count; i++) {
		input = open_input(series->sides[i].input);
		if (input < 0)
			exit(RECORD_CANNOT);
		close(input);
	}
	if (!options->show_output) {
		discard = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (discard < 0)
			command_fail(RECORD_CANNOT, "cannot open /dev/null: %s",
				     strerror(errno));
	}
	if (options->against)
		record_check_target(options->against[0], other);
	if (options->plain && other->has_hooks)
		command_fail(RECORD_USAGE,
			     "%s calls hooks, too: --plain takes the build without",
			     options->plain);
	if (options->against && !options->plain && !options->quiet)
		record_say_notes(other);
	for (unsigned int i = 0; i < series->side_count; i++) {
		series->sides[i].task.stdout_fd = discard;
		series->sides[i].wall_ns = xcalloc(options->repeat, sizeof(int64_t));
		series->sides[i].run_ids = xcalloc(options->repeat, sizeof(int64_t));
		check_side(options, &series->sides[i]);
	}
}

static void side_fill(struct side *side, const struct record_options *options,
		      const char *output, char **command, const char *label,
		      const struct target_report *target)
{
	side->task =
		(struct record_task){options, output, command, target, -1, -1, false};
	side->label = label;
	side->name = label ? label : "run";
	side->input = options->input;
}

/* One side for each point of the grid. */
static void fill_sweep(struct series *series, const char *output,
		       const struct target_report *target)
{
	const struct record_options *options = series->options;

	series->template = xstrdup("");
	for (char **word = options->command; *word; word++) {
		bool is_plain = **word && !(*word)[strspn(*word, PLAIN "{}")];
		char *quoted = is_plain ? NULL : quote(*word),
		     *more = xasprintf("%s%s%s", series->template,
				       word == options->command ? "" : " ",
				       quoted ? quoted : *word);

		series->template = more;
	}
	for (unsigned int i = 0; i < series->side_count; i++) {
		struct side *side = &series->sides[i];

		side_fill(side, options, output,
			  sweep_command(&options->sweep, i, options->command),
			  options->label, target);
		side->name = sweep_name(&options->sweep, i);
		if (options->input)
			side->input = sweep_fill(&options->sweep, i, options->input);
	}
}

int record_series(const struct record_options *options, const char *output,
		  const struct target_report *target)
{
	const char *level = options->level ? options->level : getenv("PROFSHIM_LEVEL");
	struct series series = {.options = options, .side_count = 1};
	struct target_report other;
	struct side *program;
	bool is_complete;

	series.level = level ? level : "full";
	if (is_sweep(&series))
		series.side_count = (unsigned int)sweep_points(&options->sweep);
	else if (options->against)
		series.side_count = 2;
	program = series.sides = xcalloc(series.side_count, sizeof(*series.sides));
	if (options->against) {
		side_fill(&series.sides[0], options, output, options->against,
			  options->against_label, &other);
		series.sides[0].task.is_plain = options->plain != NULL;
		program = &series.sides[1];
	}
	if (is_sweep(&series))
		fill_sweep(&series, output, target);
	else
		side_fill(program, options, output, options->command, options->label,
			  target);
	prepare(&series, &other);
	record_hold_signals();
	is_complete = take_rounds(&series, options->warmup, true) &&
		      take_rounds(&series, options->repeat, false);
	if (options->plain)
		link_plain(&series);
	say_end(&series, is_complete);
	return series.wait_status;
}

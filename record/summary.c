/* SPDX-License-Identifier: MIT */
/*
 * prof-record's few queries to run.db, and its messages. Must not create the file, trust
 * its schema, or wait for a lock longer than BUSY_MS.
 */
#include "record/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/command.h"
#include "common/schema.h"
#include "record/options.h"
#include "record_summary_sql.h"

/* Longest wait for a lock. */
#define BUSY_MS 5000

static int open_db(struct record_question *ret, const char *path, enum guard_use use)
{
	enum held_use held = use == GUARD_READ ? HELD_READ : HELD_WRITE;
	int flags = use == GUARD_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	char reason[512];
	int is_valid = 0, code;

	if (held_find(path, held, &ret->file, reason, sizeof(reason)) < 0)
		return SQLITE_CANTOPEN;
	code = held_connect(&ret->file, NULL, flags, &ret->db);
	if (code == SQLITE_OK) {
		guard_connection(ret->db, use);
		sqlite3_busy_timeout(ret->db, BUSY_MS);
		code = guard_schema(ret->db, use, &is_valid, reason, sizeof(reason));
	}
	return code == SQLITE_OK && !is_valid ? SQLITE_ERROR : code;
}

int record_ask(struct record_question *ret, const char *path, enum guard_use use,
	       const char *sql, const struct record_value *values)
{
	int code;

	*ret = (struct record_question){.file.directory_fd = -1};
	code = open_db(ret, path, use);
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(ret->db, sql, -1, &ret->statement, NULL);
	if (code != SQLITE_OK)
		return code;
	for (; values && values->name; values++) {
		int at = sqlite3_bind_parameter_index(ret->statement, values->name);

		if (values->text)
			sqlite3_bind_text(ret->statement, at, values->text, -1,
					  SQLITE_STATIC);
		else
			sqlite3_bind_int64(ret->statement, at, values->number);
	}
	return sqlite3_step(ret->statement);
}

void record_asked(struct record_question *question)
{
	sqlite3_finalize(question->statement);
	sqlite3_close(question->db);
	held_done(&question->file);
}

/* The header of the SQLite file format, and two big-endian numbers in it. */
#define HEADER_BYTES 100
#define HEADER_VERSION 60
#define HEADER_APPLICATION 68
#define HEADER_MAGIC "SQLite format 3"

static uint32_t big_endian(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
	       at[3];
}

/* Returns what is wrong with the file, or NULL. */
static const char *judge_header(const unsigned char *header, ssize_t got)
{
	if (got == 0)
		return NULL;
	if (got < HEADER_BYTES || memcmp(header, HEADER_MAGIC, sizeof(HEADER_MAGIC)) != 0)
		return "is not a run.db";
	if (big_endian(header + HEADER_APPLICATION) != RUNDB_APPLICATION_ID)
		return "is an SQLite database, but not a run.db";
	if (big_endian(header + HEADER_VERSION) != RUNDB_SCHEMA_VERSION)
		return "is a run.db of another version of profshim";
	return NULL;
}

static _Noreturn void fail_to(const char *verb, const char *output)
{
	command_fail(RECORD_CANNOT, "cannot %s %s: %s; choose another file with -o", verb,
		     output, strerror(errno));
}

/* The file does not exist: can it be made? */
static void check_directory(const char *output)
{
	const char *slash = strrchr(output, '/');
	int length = slash == output ? 1 : (int)(slash - output);
	auto_free char *directory = xstrndup(output, (size_t)length);

	if (access(directory, W_OK | X_OK) != 0)
		fail_to("create", output);
}

void record_check_output(const char *output)
{
	unsigned char header[HEADER_BYTES];
	const char *wrong = "is not a regular file";
	struct stat info;
	int fd = open(output, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT) {
		check_directory(output);
		return;
	}
	if (fd < 0 || fstat(fd, &info) < 0)
		fail_to("write", output);
	if (S_ISREG(info.st_mode))
		wrong = judge_header(header, pread(fd, header, sizeof(header), 0));
	if (wrong)
		command_fail(RECORD_CANNOT, "%s %s; choose another file with -o", output,
			     wrong);
	close(fd);
}

int64_t record_last_run(const char *output)
{
	struct record_question question;
	int64_t last = 0;

	if (record_ask(&question, output, GUARD_READ, record_summary_sql_last, NULL) ==
	    SQLITE_ROW)
		last = sqlite3_column_int64(question.statement, 0);
	record_asked(&question);
	return last;
}

/* Three digits and a unit: "38.2 M", "14.3 MiB", "1.2 s". */
static void scale(double value, const char *const *units, double factor, char *ret,
		  size_t size)
{
	size_t i = 0;

	while (value >= factor && units[i + 1]) {
		value /= factor;
		i++;
	}
	snprintf(ret, size, "%.*f%s%s", i && value < 100 ? 1 : 0, value,
		 units[i][0] ? " " : "", units[i]);
}

/* "38.2 M calls, ", "1001 calls, "; empty when there were none. */
static void count(int64_t number, const char *singular, char *ret, size_t size)
{
	static const char *const units[] = {"", "k", "M", "G", "T", NULL};
	char scaled[32];

	if (number < 10000)
		snprintf(scaled, sizeof(scaled), "%lld", (long long)number);
	else
		scale((double)number, units, 1000, scaled, sizeof(scaled));
	ret[0] = '\0';
	if (number)
		snprintf(ret, size, "%s %s%s, ", scaled, singular,
			 number == 1 ? "" : "s");
}

static void write_line(sqlite3_stmt *statement, const char *shown_output, char *ret,
		       size_t size)
{
	static const char *const bytes[] = {"B", "KiB", "MiB", "GiB", "TiB", NULL};
	static const char *const times[] = {"ns", "us", "ms", "s", NULL};
	char calls[64], allocations[64], peak[32], wall[32];

	scale((double)sqlite3_column_int64(statement, 1), times, 1000, wall,
	      sizeof(wall));
	count(sqlite3_column_int64(statement, 2), "allocation", allocations,
	      sizeof(allocations));
	scale((double)sqlite3_column_int64(statement, 3), bytes, 1024, peak,
	      sizeof(peak));
	count(sqlite3_column_int64(statement, 5), "call", calls, sizeof(calls));
	snprintf(ret, size, "run %lld in %s: %s%s%s, peak %s%s",
		 (long long)sqlite3_column_int64(statement, 0), shown_output, calls,
		 allocations, wall, peak,
		 sqlite3_column_int(statement, 4) ? "" : ", incomplete");
}

bool record_summary(const char *output, const char *shown_output, int64_t before,
		    pid_t program, struct record_stored *ret)
{
	const struct record_value values[] = {
		{":program", program, NULL}, {":before", before, NULL}, {NULL, 0, NULL}};
	struct record_question question;
	bool found = record_ask(&question, output, GUARD_READ, record_summary_sql_run,
				values) == SQLITE_ROW;

	if (found) {
		ret->run_id = sqlite3_column_int64(question.statement, 0);
		ret->wall_ns = sqlite3_column_int64(question.statement, 1);
		write_line(question.statement, shown_output, ret->line,
			   sizeof(ret->line));
	}
	record_asked(&question);
	return found;
}

/* SPDX-License-Identifier: MIT */
/*
 * What this is: a libFuzzer target: any bytes as run.db, through every report and format.
 * Data whose last byte is odd gets a valid identity first, so that more than the header
 * checks is reached.
 */
#include "analyzer/export/export.h"
#include "analyzer/render/render.h"
#include "analyzer/reports/report.h"
#include "analyzer/rundb/select.h"
#include "analyzer/tree/calltree.h"

#include "common/schema.h"

#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS_BETWEEN_LOOKS 1000
#define LOOKS_ALLOWED 2000 /* a view may be made to run for hours */
#define LARGEST_INPUT (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * With ASan, half of the time of damaged files was that of its allocator, which SQLite
 * asks for each word of a query. They are about how SQLite reads; what we read of its
 * texts wild_numbers.py shows, whose SQLite has ASan's memory.
 */
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

#define HEAD 16 /* in front of each block: its size */

static void *sized(char *block, int size)
{
	if (!block)
		return NULL;
	memcpy(block, &size, sizeof(size));
	return block + HEAD;
}

static void *take_block(int size)
{
	return sized(__libc_malloc((size_t)size + HEAD), size);
}

static void *resize_block(void *old, int size)
{
	return sized(__libc_realloc((char *)old - HEAD, (size_t)size + HEAD), size);
}

static void give_back_block(void *block)
{
	__libc_free((char *)block - HEAD);
}

static int block_size(void *block)
{
	int size = 0;

	if (block)
		memcpy(&size, (char *)block - HEAD, sizeof(size));
	return size;
}

static int round_up(int size)
{
	return (size + 7) & ~7;
}

static int begin_memory(void *unused)
{
	(void)unused;
	return SQLITE_OK;
}

static void end_memory(void *unused)
{
	(void)unused;
}

static void choose_memory(void)
{
	static const struct sqlite3_mem_methods plain = {
		take_block, give_back_block, resize_block, block_size,
		round_up,   begin_memory,    end_memory,   NULL,
	};

	if (getenv("PLAIN_SQLITE_MEMORY") &&
	    sqlite3_config(SQLITE_CONFIG_MALLOC, &plain) != SQLITE_OK)
		abort();
}

static int count_looks(void *context)
{
	return ++*(int *)context > LOOKS_ALLOWED;
}

static void put_big_endian(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static int write_input(const char *path, const uint8_t *data, size_t size)
{
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint8_t *copy;
	ssize_t written;

	if (descriptor < 0)
		return -1;
	copy = malloc(size + 1);
	memcpy(copy, data, size);
	if (size >= 100 && (data[size - 1] & 1)) {
		memcpy(copy, "SQLite format 3", 16);
		put_big_endian(copy + 60, RUNDB_SCHEMA_VERSION);
		put_big_endian(copy + 68, RUNDB_APPLICATION_ID);
	}
	written = write(descriptor, copy, size);
	free(copy);
	close(descriptor);
	return written == (ssize_t)size ? 0 : -1;
}

static void show(struct doc *doc, FILE *out)
{
	for (size_t i = 0; i < renderer_registry_count; i++) {
		struct render_context context = {out, 60 + 30 * i, 20 + 20 * i, i & 1,
						 i & 2};

		render_document(renderer_registry[i], doc, &context);
	}
	for (size_t i = 0; i < exporter_registry_count; i++)
		exporter_registry[i]->write(doc, &(struct export_context){out, 300});
}

static jmp_buf failing;

static void go_back(int status, const char *text)
{
	if (!*text)
		abort(); /* a failure without a sentence */
	longjmp(failing, status);
}

static void build(struct rundb *db, int64_t run_id, const struct report *report,
		  bool machine, FILE *out)
{
	const char *argument = strcmp(report->name, "sql") == 0
				       ? "SELECT * FROM call_paths"
			       : report->other_argument ? "start"
							: "main";
	bool is_profile = machine && strcmp(report->name, "export") == 0;
	const struct report_options options = {
		.argument = argument,
		.other_argument = machine ? "2" : "exit",
		.by = machine ? "source" : "component",
		.limit = machine ? 0 : -1,
		.min_share = -1,
		.metric = is_profile ? NULL
			  : machine  ? "live"
				     : "self",
		.snapshot = machine && !is_profile ? "1" : NULL,
		.profile = is_profile,
		.timeline = is_profile,
		.machine = machine,
		.unfold = machine,
	};
	struct report_input input = {.db = db, .run_id = run_id, .options = &options};
	volatile enum exit_status status = STATUS_FAILED;
	struct doc doc;

	doc_init(&doc, report->name);
	command_failed = go_back;
	if (!setjmp(failing))
		status = report->build(&input, &doc);
	if (status == STATUS_OK || status == STATUS_NOTHING)
		show(&doc, out);
	calltree_free(input.tree);
	strbuf_free(&input.error);
	doc_free(&doc);
}

/* The others do the same whatever the database is: selftest-gate took four fifths of the
 * time. */
static bool is_of_database(const struct report *report)
{
	return (report->takes & TAKES_RUN) || !(report->takes & TAKES_NO_DATABASE);
}

/* turn: which half of the reports is built as for a machine, the other as for a person;
 * building all for both took a minute of CPU with ASan. */
static void use(struct rundb *db, FILE *out, size_t turn)
{
	struct strbuf error = {0};
	int64_t run_id = 0;
	int looks = 0;

	sqlite3_progress_handler(rundb_handle(db), STEPS_BETWEEN_LOOKS, count_looks,
				 &looks);
	command_failed = go_back;
	if (setjmp(failing))
		return;
	select_run(db, NULL, &run_id, &error);
	for (size_t i = 0; i < report_registry_count; i++) {
		looks = 0;
		if (is_of_database(report_registry[i]))
			build(db, run_id, report_registry[i], (turn + i) & 1, out);
	}
	strbuf_free(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[] = "/tmp/fuzz-rundb-XXXXXX";
	static FILE *out;
	struct strbuf error = {0};
	struct rundb *db;

	command_keep_memory();

	if (!out) {
		int descriptor = mkstemp(path);

		choose_memory();
		if (descriptor >= 0)
			close(descriptor);
		out = fopen("/dev/null", "we");
	}
	if (!out || !size || size > LARGEST_INPUT || write_input(path, data, size) < 0)
		return 0;
	if (rundb_open(path, &db, &error) == 0) {
		use(db, out, data[size / 2] + size);
		rundb_close(db);
	} else if (!error.size) {
		abort();
	}
	strbuf_free(&error);
	unlink(path);
	return 0;
}

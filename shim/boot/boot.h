/* SPDX-License-Identifier: MIT */
/* What the constructor does, in the order of start.c: settings, the run and its files,
 * the collector. Runs on: the constructor. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/segment.h"
#include "shim/image/image.h"

/* The value of NAME among the entries ("NAME=value", NULL at the end), NULL: unset. */
const char *variable_find(char **environment, const char *name);

/*
 * Which rank of which job this process is, when a launcher (mpirun, srun) began it. Runs
 * on: the constructor; getenv() is not usable yet. Must not print, or ask the launcher
 * anything.
 */

/* From environment entries ("NAME=value", NULL at the end), which may hold anything.
 * ret->name is empty when no launcher is known. */
void job_read(char **environment, struct segment_job *ret);

/*
 * The PROFSHIM_* environment as plain data. Runs on: the constructor, before the
 * program's own code. Must not print; the first value that could not be parsed is left in
 * the run's `setting_ignored`.
 */

struct config {
	struct segment_run
		*run;	      /* what is set for all of a run: in the caller's memory */
	int off;	      /* PROFSHIM_LEVEL=off */
	int joins_only;	      /* the run was given to us by an exec wrapper: begin none */
	int keeps_code;	      /* PROFSHIM_PATCH=off: none is written */
	int leaves_waits;     /* PROFSHIM_WAITS=off: time is not split */
	int snapshot_signal;  /* PROFSHIM_SNAPSHOT_SIGNAL, 0: none */
	unsigned int wait_ms; /* PROFSHIM_WAIT: longest wait for the collector at exit */
	const char *snapshot_at;  /* PROFSHIM_SNAPSHOT_AT, borrowed, NULL: unset */
	const char *from, *until; /* PROFSHIM_FROM without its count, PROFSHIM_UNTIL */
	unsigned int from_length; /* of from */
	unsigned long from_call;  /* 0: unset */
	const char *why;	  /* PROFSHIM_WHY, "auto" by default, empty: off */
	const char *while_step;	  /* PROFSHIM_WHILE_STEP, NULL: unset */
	const char *output;	  /* borrowed from the environment, "run.db" by default */
	const char *collector;	  /* likewise, NULL: search */
	const char
		*joined_run; /* PROFSHIM_RUN, set by us in the environment of children */
	struct segment_job job; /* that a launcher began this process for */
};

/* Notes a value that was not understood; the first one is kept. */
void config_ignore(struct config *config, const char *name, const char *value);

/* Reads environment entries ("NAME=value", NULL at the end). Never fails. The run's facts
 * are what the user wants of a run, and 0 otherwise. */
void config_read(struct config *config, struct segment_run *run, char **environment);

/* Reads a small text file without its final newline. 0, or -errno; "" then. */
int facts_line(const char *path, char *text, size_t size);

/* A path made absolute, with room for the names below it. 0, or -errno. */
int facts_absolute(const char *given, char *path, size_t size);

/* A sparse file of the run that is to be created and mapped. */
struct new_file {
	const char *name;
	uint64_t file_size, map_size;
	uint64_t reserved_size; /* so much of it can be touched */
};

/* Creates a file in the run's directory and maps it. 0, or -errno: nothing is left. */
int new_file_map(const struct spool *spool, const struct new_file *file, void **ret);

/* A limit on file size or address space asks for a smaller file and smaller slots. Below
 * what even those need: the name of the limit, NULL otherwise. */
const char *new_file_sizes(uint64_t *ret_slot_size, uint64_t *ret_slot_limit);

/* The file in which the collector tells what it has found out for the run
 * (common/segment_control.h): made, for a run that begins. 0 or -errno. */
int control_file_create(const struct spool *spool, uint64_t token);

/* Maps a file of the run that is to have so many bytes. 0 or -errno. */
int run_file_map(const struct spool *spool, const char *name, size_t size, int protection,
		 void **ret);

/* Maps it for reading: process_facts.control. 0 or -errno. */
int control_file_map(const struct spool *spool, uint64_t token);

/* Creates it in the run's directory, and this process's slot in it: the recording begins.
 * 0, or -errno with a message in `error`. */
int image_file_begin(const struct config *config, const struct spool *spool, char *error,
		     size_t error_size);

/* Joins the run that PROFSHIM_RUN names, or makes a new one: spool directory, run and
 * state, process_facts.run, which is config->run, and .state. *ret_first: this process is
 * the run's first. 0, or -errno with a message in `error`: empty when there is nothing
 * the user should be told. */
int run_open(const struct config *config, int *ret_first, char *error, size_t error_size);

/* Creates this image's segment file and process slot. 0, or -errno with a message in
 * `error`. */
int run_create_segment(const struct config *config, char *error, size_t error_size);

/* run_open() and run_create_segment() share a descriptor; this closes it. In any case,
 * before the program runs. */
void run_settle(void);

/* Removes a run that could not begin. */
void run_abandon(void);

/* The directory run_open() decided on. */
const char *run_directory(void);

/* Measures the cost of the hooks, and the rate of the clock since run's start triple, for
 * a run that is about to begin. */
void calibrate_hooks(struct segment_run *run);

/* Starts profshim-collect, detached. Failure leaves a note: -ENOENT when it was not
 * found, the error of clone or exec otherwise. 0 also where none is wanted. */
int collector_start(const struct config *config);

/*
 * Rules about source files, of the start: lists the objects that they may
 * be about, and waits for the collector's answer. Runs on: the constructor, when the
 * process is recorded and its collector has been started.
 */

/* Puts the objects that call the hooks into the process's table, when there are such
 * rules. Before the collector is told to look. */
void rules_list_objects(void);

/* Waits until all of them are answered, SEGMENT_CONTROL_WAIT_MS at most. Those that are
 * not are counted; they are recorded until they are. */
void rules_wait(void);

/* Where nothing but samples is wanted: waits until the collector has begun with them,
 * SEGMENT_CONTROL_WAIT_MS at most. Runs on: the constructor of the first process. */
void outside_wait(void);

/* SPDX-License-Identifier: MIT */
/*
 * What this is:  an empty database in memory for each input of a fuzz target.
 * Runs on:       tests; libFuzzer or replay.c.
 * Must not:      make one for each: creating the schema took two thirds of an input's
 * time. See also:      fuzz_segment.c; fuzz_history.c
 */
#pragma once

struct sqlite3;

/* The same one each time, without the rows of before; borrowed. Aborts on failure: a
 * database in memory can always be written. */
struct sqlite3 *fuzz_database(void);

/* SPDX-License-Identifier: MIT */
/*
 * A run's rows in few bytes: each value as its difference from what is expected, which is
 * what another run, the reference, has in the row that is the same there (same function,
 * same call path), or what the row's other columns and the row before tell.
 *
 * The writer finds the rows that are the same, and what tells most of a column, and
 * writes that down: a reader needs no knowledge of tables.
 *
 * Must not lose a bit of any value. Reading must not trust the bytes.
 */
#pragma once

#include "analyzer/archive/rows.h"

/* Appends the rows. reference: NULL, or rows of the same tables. */
void pack_write(const struct rows *rows, const struct rows *reference,
		struct strbuf *ret);
/* Fills tables that rows_describe() made. reference: the rows that pack_write() had. Of
 * bytes that no pack_write() made, false or any rows. */
bool pack_read(struct rows *rows, const struct rows *reference, const void *bytes,
	       size_t size);

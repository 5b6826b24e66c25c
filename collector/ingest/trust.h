/* SPDX-License-Identifier: MIT */
/*
 * The rows of trust: everything that keeps a run from being complete and exact, and a
 * few plain facts. Must not leave out a name because it is zero; leave out a loss.
 */
#pragma once

#include "collector/ingest/ingest.h"

/* Fills ingest->facts from the rest. One row for each name, of the whole run; a note of
 * the shim is a row note_NAME with value 1 and a sentence. */
void trust_collect(struct ingest *ingest);

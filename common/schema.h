/* SPDX-License-Identifier: MIT */
/*
 * Identity of run.db, for its writer (shim/collector) and reader (analyzer/rundb). The
 * tables are in common/schema.sql. Must not include anything.
 */
#pragma once

#define RUNDB_APPLICATION_ID 0x70726673 /* "prfs", PRAGMA application_id */
#define RUNDB_SCHEMA_VERSION 31		/* PRAGMA user_version */

/* The same of an archive of runs: analyzer/archive/tables.sql. */
#define ARCHIVE_APPLICATION_ID 0x70726661 /* "prfa" */
#define ARCHIVE_SCHEMA_VERSION 1

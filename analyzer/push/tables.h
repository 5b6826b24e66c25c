/* SPDX-License-Identifier: MIT */
/* The version of the tables that analyzer/push/clickhouse.sql makes. */
#pragma once

#define CLICKHOUSE_SCHEMA 1

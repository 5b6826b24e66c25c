/* SPDX-License-Identifier: MIT */
/* Columns of tables that common/quantities.def describes. */
#pragma once

#include "analyzer/model/table.h"
#include "common/quantities.h"

/* In a layout: all quantities of the subject that have no column there yet. */
#define TABLE_OTHERS                                                                     \
	{                                                                                \
		"*", NULL, COLUMN_ANY, 0                                                 \
	}

enum column_type quantity_column_type(const struct quantity *quantity);

/* Makes a table. A column named like a quantity gets its type and, if it has no title,
 * its heading. */
struct table *table_of(const struct column *layout, size_t count,
		       enum quantity_subject of);
/* Sets the subject's columns that the table has; unknown values become NULL. */
void table_put_quantities(struct table *table, size_t row, enum quantity_subject of,
			  const int64_t *values);
/* Hides columns of zeros from people if their quantity says so. */
void table_hide_zeros(struct table *table);

/* SPDX-License-Identifier: MIT */
/* Columns of tables that common/quantities.def describes. */
#pragma once

#include "analyzer/model/table.h"
#include "common/quantities.h"

/* In a layout: the quantities of the subject that have no column of their own there. */
#define TABLE_OTHERS                                                                     \
	{                                                                                \
		"*", NULL, COLUMN_ANY, 0                                                 \
	}

enum column_type quantity_column_type(const struct quantity *quantity);

/* A new table. A column that is called like a quantity has its type and, when it has no
 * title, its heading. */
struct table *table_of(const struct column *layout, size_t count,
		       enum quantity_subject of);
/* Sets those of the subject's columns that a table of table_of() has; unknown becomes
 * NULL. */
void table_put_quantities(struct table *table, size_t row, enum quantity_subject of,
			  const int64_t *values);
/* People do not see a column of zeros when its quantity says so. */
void table_hide_zeros(struct table *table);

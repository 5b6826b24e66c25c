/* SPDX-License-Identifier: MIT */
/* Rows of samples by what people read. */
#pragma once

#include "collector/identify/identify.h"
#include "collector/merge/sampled/sampled.h"

/* Fills in the functions, the line and the file of the key's address. */
void sampled_name_row(struct sampled_row *row, struct identify *identify,
		      struct module_list *modules, uint64_t key);

/* When nobody asks for callers any more: rows that differ in them become one. */
void sampled_forget_callers(struct sampled *sampled);

/* Of the rows from `first` on those of one place become one. */
void sampled_join(struct sampled *sampled, size_t first);

/* SPDX-License-Identifier: MIT */
/* Children that were forked a moment ago and have no slot yet. */
#pragma once

#include "collector/watch/table.h"

/* Looks for processes that are not known yet, when all known ones are dead. Returns how
 * many were found; they are watched from now on. */
size_t newborn_find(struct watch *watch);

/* Forgets newborns that have a slot now, are dead, or run another program. */
void newborn_drop(struct watch *watch);

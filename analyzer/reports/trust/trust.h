/* SPDX-License-Identifier: MIT */
/* Words about recordings; how far one can be trusted is in sql/parts/trust.sql. */
#pragma once

#include "common/base/strbuf.h"

#include <stdbool.h>

/* The name of a signal: "SIGKILL", or "signal 77". */
void trust_signal_name(struct strbuf *buffer, int signal_number);
/* Whether a counter of trust, when not 0, means that numbers are missing. */
bool trust_is_loss(const char *name);

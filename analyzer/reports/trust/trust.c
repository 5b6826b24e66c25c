/* SPDX-License-Identifier: MIT */
/* Words about recordings. */
#include "analyzer/reports/trust/trust.h"

#include "common/trust.h"

#include <string.h>

bool trust_is_loss(const char *name)
{
	const struct trust_counter *counter = trust_counter_find(name);

	return counter && counter->weight == TRUST_LOST;
}

void trust_signal_name(struct strbuf *buffer, int signal_number)
{
	const char *name = sigabbrev_np(signal_number);

	if (name)
		strbuf_printf(buffer, "SIG%s", name);
	else
		strbuf_printf(buffer, "signal %d", signal_number);
}

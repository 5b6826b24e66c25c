/* SPDX-License-Identifier: MIT */
/*
 * Which findings rest on what a recording lacks. Must not look at the recording:
 * rules/quality.c does.
 */
#include "analyzer/findings/quality.h"

void quality_add(struct quality *quality, const struct quality_fact *fact)
{
	size_t at = quality->count;

	if (at == QUALITY_FACTS)
		return;
	for (; at > 0 && quality->facts[at - 1].most > fact->most; at--)
		quality->facts[at] = quality->facts[at - 1];
	quality->facts[at] = *fact;
	quality->count++;
}

void quality_lower(const struct quality *quality, struct findings *findings,
		   unsigned (*touched)(const struct finding *finding))
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->list[i];
		unsigned bits = touched(finding);

		for (size_t j = 0; j < quality->count; j++)
			if ((quality->facts[j].touches & bits) &&
			    finding->confidence > quality->facts[j].most)
				finding->confidence = quality->facts[j].most;
	}
}

/* "about time and memory have at most low confidence" */
static void put_effect(struct strbuf *text, unsigned touches, enum confidence most)
{
	static const char *const words[] = {"time", "memory", "growth",
					    "functions without a name"};
	size_t count = 0;

	strbuf_puts(text, "about ");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (touches & 1u << i)
			strbuf_printf(text, "%s%s", count++ ? " and " : "", words[i]);
	strbuf_printf(text, " have at most %s confidence", confidence_word(most));
}

void quality_put_effect(struct strbuf *text, const struct quality_fact *fact)
{
	if (!fact->touches)
		return;
	strbuf_puts(text, "findings ");
	put_effect(text, fact->touches, fact->most);
}

void quality_put_summary(struct strbuf *text, const struct quality *quality)
{
	unsigned told = 0, touches[CONFIDENCE_HIGH] = {0};
	bool is_first = true;

	for (size_t i = 0; i < quality->count; i++) {
		const struct quality_fact *fact = &quality->facts[i];

		strbuf_printf(text, "%s%s", i ? "; " : "", fact->text);
		touches[fact->most] |= fact->touches;
	}
	if (!touches[CONFIDENCE_LOW] && !touches[CONFIDENCE_MEDIUM]) {
		strbuf_puts(text, ".");
		return;
	}
	strbuf_puts(text, ". So findings ");
	for (enum confidence most = CONFIDENCE_LOW; most < CONFIDENCE_HIGH; most++) {
		if (!(touches[most] & ~told))
			continue;
		strbuf_puts(text, is_first ? "" : ", ");
		put_effect(text, touches[most] & ~told, most);
		told |= touches[most];
		is_first = false;
	}
	strbuf_puts(text, ".");
}

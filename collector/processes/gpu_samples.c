/* SPDX-License-Identifier: MIT */
/* Keeping the samples of GPUs few. Must not lose a highest memory use. */
#include "collector/processes/gpu_samples.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

void gpu_samples_init(struct gpu_samples *samples)
{
	*samples = (struct gpu_samples){.interval_ns = GPU_INTERVAL_NS};
}

void gpu_samples_done(struct gpu_samples *samples)
{
	free(samples->samples);
	*samples = (struct gpu_samples){.count = 0};
}

/* b is the later one; both rounds took equally long. */
static void merge(struct gpu_sample *a, const struct gpu_sample *b)
{
	struct gpu_sample merged = *b;

	if (a->utilisation_percent >= 0 && b->utilisation_percent >= 0)
		merged.utilisation_percent =
			(a->utilisation_percent + b->utilisation_percent) / 2;
	else if (a->utilisation_percent >= 0)
		merged.utilisation_percent = a->utilisation_percent;
	if (a->memory_bytes > b->memory_bytes)
		merged.memory_bytes = a->memory_bytes;
	*a = merged;
}

/* Makes one round of each two. */
static void halve(struct gpu_samples *samples)
{
	size_t kept = 0, first = 0; /* first sample kept of the round being made */

	for (size_t i = 0; i < samples->count; i++) {
		struct gpu_sample sample = samples->samples[i];
		size_t at;

		sample.round /= 2;
		if (kept == 0 || samples->samples[kept - 1].round != sample.round)
			first = kept;
		for (at = first; at < kept; at++) {
			if (samples->samples[at].pid == sample.pid &&
			    samples->samples[at].device == sample.device)
				break;
		}
		if (at < kept)
			merge(&samples->samples[at], &sample);
		else
			samples->samples[kept++] = sample;
	}
	samples->count = kept;
	samples->round /= 2;
	samples->interval_ns *= 2;
}

/* Capacity is GPU_SAMPLE_LIMIT from the start: untouched pages cost nothing. */
void gpu_samples_add(struct gpu_samples *samples, const struct gpu_sample *sample)
{
	if (!samples->samples)
		samples->samples = malloc(GPU_SAMPLE_LIMIT * sizeof(*samples->samples));
	if (!samples->samples) /* a limit on addresses: it does without */
		return;
	if (samples->count == GPU_SAMPLE_LIMIT)
		halve(samples);
	if (samples->count == GPU_SAMPLE_LIMIT) /* as many processes, one sample each */
		return;
	samples->samples[samples->count] = *sample;
	samples->samples[samples->count++].round = samples->round;
}

void gpu_samples_copy(const struct gpu_samples *samples, struct gpu_samples *ret)
{
	size_t bytes = samples->count * sizeof(*samples->samples);

	*ret = *samples;
	ret->samples = xmalloc(bytes);
	if (bytes)
		memcpy(ret->samples, samples->samples, bytes);
}

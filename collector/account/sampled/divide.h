/* SPDX-License-Identifier: MIT */
/*
 * Divides what was measured of a path that has frames, by its samples: into its own time,
 * that of the hooks, and that of each function whose calls below it were only counted
 * (common/segment_samples.h). Must not take more time from a path than it has.
 *
 * ESTIMATE. A path a was on a CPU for T(a), which the clock measured, without its
 * children that have frames. Of its samples, which together weigh w(a), w(a, j) are in
 * part j. With samples enough the part is T(a) w(a, j) / w(a): so sums stay exact, and
 * neither lost samples nor those that were due in the kernel matter, which are all parts'
 * alike. Most paths have few samples, or none. There the parts are as large as the number
 * of calls says: m(a, H) = r(A) times what the calibration says that the hooks of the
 * path cost, m(a, f) = calls of f times s(f), and the path's own T(a) o(A), where r(A) is
 * what samples in hooks say of all paths of the same function, against the calibration,
 * s(f) what samples in f say of all its counted calls, and o(A) the part of all samples
 * of the function's paths that is in its own code. They are pooled over the run
 * (computed.h), r(A) shrunk towards what holds for all functions, o(A) towards what the
 * others leave. Together, with K samples' weight for the latter:
 *
 *     part(a, j) = T(a) (w(a, j) + K m(a, j) / m(a)) / (w(a) + K)
 *
 * A thread that is too short for samples has the weights alone. In the kernel there are
 * no samples: what T(a) has more than so many samples can mean, and than passed before
 * the first, was there, and is the path's own. It is not divided.
 *
 * CODE WITHOUT HOOKS, of libc or any library, has no frames and no counts. What its
 * caller was given is divided between both as the samples of the caller are, on the same
 * path; rows of it are children of the caller's path, of kind frame.
 *
 * ERROR. Of a part p of T(a), with n samples: T(a)^2 p (1 - p) / (n + 1), and where that
 * is of few samples as few say (time_error.h). Which of several paths below a has how
 * much of a part is thought to be as calls are, and may be otherwise.
 *
 * WITHOUT SAMPLES nothing is divided: the time of calls that were only counted stays with
 * the frame that has it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/account/holders.h"
#include "collector/merge/merge.h"

struct divide;

/* When all lanes are merged, and their calls have their places. mode_of: borrowed, by
 * function: is it only counted in the lane that is looked at? In the pool. */
struct divide *divide_new(struct pool *pool, const struct merge *merge,
			  const uint32_t *mode_of);

/* Whose time the lane's samples are (credit.h). Before divide_note(). */
void divide_credit(const struct divide *divide, struct merge *merge, uint32_t lane);

/* Each lane that has samples (computed.h), while it is in the cells, with its self times
 * and its calls without frames. All of them before the first divide_lane(). */
void divide_note(struct divide *divide, const struct merge *merge, uint32_t lane,
		 const struct held *held, size_t count);

/* Do samples tell how long counted calls of the function took? */
bool divide_knows(const struct divide *divide, uint32_t function);

/* Divides the lane in the cells, between account_selves() and account_totals(); the order
 * of `held` is changed. */
void divide_lane(struct divide *divide, struct merge *merge, uint32_t lane,
		 struct held *held, size_t count);

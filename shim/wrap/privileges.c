/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of the calls by which a process changes its user or its root: before it is
 * another user for good, its part of the recording moves into a file of its own. Runs
 * on: any thread and context; in a vfork child it only forwards. Must not change
 * arguments, result or errno of what is called.
 *
 * "For good" is when none of its three user ids is that of the recording's owner any
 * more: a server that lowers its effective id for a moment can have it back, and so can
 * whoever takes it over. Groups and capabilities give no way to files of mode 0600, so
 * they are not looked at. A change of root comes before the change of user in many
 * servers, and after it the spool has no path: so the move is made before.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/attributes.h"
#include "shim/core/gate.h"
#include "shim/core/process.h"
#include "shim/image/apart.h"
#include "shim/record/context.h"
#include "shim/wrap/begin.h"
#include "shim/wrap/real.h"

#define SAME ((uid_t)-1)

struct ids {
	uid_t real, effective, saved;
};

static int can_be(const struct ids *ids, uid_t user)
{
	return ids->real == user || ids->effective == user || ids->saved == user;
}

static struct ids current_ids(void)
{
	struct ids ids = {SAME, SAME, SAME};

	getresuid(&ids.real, &ids.effective, &ids.saved);
	return ids;
}

/* Recorded, in this process and not as a vfork child of it: a forked child has to have
 * slots of its own first. */
static int is_recorded(void)
{
	if (!process || !gate_is_open())
		return 0;
	if (!process->ready)
		context_acquire();
	return process_is_ready() && context_is_own_process();
}

/* 0 when the process has its file to itself. */
static int move_apart(void)
{
	struct lane_context *context;
	int saved = errno, result = 0;

	if (!apart_is_alone()) {
		context = lane_begin_own_work();
		result = apart_move();
		lane_end_own_work(context);
		if (result == 0)
			process_ring();
	}
	errno = saved;
	return result;
}

/* What a call that may give up the owner's user has to note when it has succeeded. */
static uint32_t before_change(const struct ids *now, const struct ids *next)
{
	uid_t owner;

	if (!is_recorded())
		return 0;
	owner = process_facts.owner;
	if (!can_be(now, owner) || can_be(next, owner))
		return 0;
	return SEGMENT_NOTE_GAVE_UP_PRIVILEGES |
	       (move_apart() < 0 ? SEGMENT_NOTE_NOT_APART : 0);
}

void privileges_after(uint32_t notes)
{
	if (notes)
		process_note(notes);
}

static int after_change(int result, uint32_t notes)
{
	if (result == 0)
		privileges_after(notes);
	return result;
}

static void apply(uid_t *id, uid_t to)
{
	if (to != SAME)
		*id = to;
}

uint32_t privileges_before(long number, uid_t a, uid_t b, uid_t c)
{
	struct ids now = current_ids(), next = now;

	if (number == SYS_setuid) {
		next.effective = a;
		if (now.effective == 0) /* with the capability, which is the usual case */
			next.real = next.saved = a;
	} else if (number == SYS_setreuid) {
		apply(&next.real, a);
		apply(&next.effective, b);
		if (a != SAME || (b != SAME && b != now.real))
			next.saved = next.effective;
	} else if (number == SYS_setresuid) {
		apply(&next.real, a);
		apply(&next.effective, b);
		apply(&next.saved, c);
	} else if (is_recorded() && can_be(&now, process_facts.owner)) { /* chroot */
		move_apart();
		return 0;
	}
	return before_change(&now, &next);
}

exported int setuid(uid_t user)
{
	uint32_t notes = privileges_before(SYS_setuid, user, 0, 0);

	return after_change(real_setuid(user), notes);
}

exported int seteuid(uid_t user)
{
	uint32_t notes = privileges_before(SYS_setresuid, SAME, user, SAME);

	return after_change(real_seteuid(user), notes);
}

exported int setreuid(uid_t real, uid_t effective)
{
	uint32_t notes = privileges_before(SYS_setreuid, real, effective, 0);

	return after_change(real_setreuid(real, effective), notes);
}

exported int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	uint32_t notes = privileges_before(SYS_setresuid, real, effective, saved);

	return after_change(real_setresuid(real, effective, saved), notes);
}

exported int chroot(const char *path)
{
	privileges_before(SYS_chroot, 0, 0, 0);
	return real_chroot(path);
}

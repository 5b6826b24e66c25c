/* SPDX-License-Identifier: MIT */
/* The wrappers of two ways in which a program limits itself: another user or root
 * directory, and locked memory. What the recorder needs afterwards is seen to before. */
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/attributes.h"
#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"
#include "shim/core/syscall.h"
#include "shim/image/image.h"
#include "shim/events/context.h"
#include "shim/stacks/stack.h"
#include "shim/wrap/begin.h"
#include "shim/wrap/real.h"

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

#define CHANGE(number, a, b, c, expression)                                              \
	({                                                                               \
		uint32_t notes = privileges_before(number, a, b, c);                     \
		int result = (expression);                                               \
                                                                                         \
		if (result == 0)                                                         \
			privileges_after(notes);                                         \
		result;                                                                  \
	})

exported int setuid(uid_t user)
{
	return CHANGE(SYS_setuid, user, 0, 0, real_setuid(user));
}

exported int seteuid(uid_t user)
{
	return CHANGE(SYS_setresuid, SAME, user, SAME, real_seteuid(user));
}

exported int setreuid(uid_t real, uid_t effective)
{
	return CHANGE(SYS_setreuid, real, effective, 0, real_setreuid(real, effective));
}

exported int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return CHANGE(SYS_setresuid, real, effective, saved,
		      real_setresuid(real, effective, saved));
}

exported int chroot(const char *path)
{
	privileges_before(SYS_chroot, 0, 0, 0);
	return real_chroot(path);
}

/*
 * The wrapper of mlockall: locks what is the program's, not our sparse mappings, which
 * would fill hundreds of MiB, or be more than a user may lock. Must not change what the
 * program gets: result, errno, what is locked.
 *
 * What the kernel does, and so do we: MCL_CURRENT fails with ENOMEM when all mappings
 * together are larger than RLIMIT_MEMLOCK, unless CAP_IPC_LOCK; then it marks each
 * mapping, and what cannot be filled (PROT_NONE) is no error.
 */

#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif

#define PAGE_BYTES 4096ull

/* What is done to each mapping of the program. */
struct visitor {
	void (*visit)(uintptr_t low, uintptr_t high, struct visitor *visitor);
	uint64_t size;
	int flags;
};

static int find_own_code(uintptr_t low, uintptr_t high, struct extent *ret)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)memory_lock_all, &found) != 0)
		return 0;
	*ret = (struct extent){(uintptr_t)found.dlfo_map_start,
			       (uintptr_t)found.dlfo_map_end};
	return ret->low < high && ret->high > low;
}

/* The lowest part of [low, high) that is ours: mappings, our code. */
static int find_own(uintptr_t low, uintptr_t high, struct extent *ret)
{
	int found = own_memory_find(low, high, ret);
	struct extent code;

	if (find_own_code(low, high, &code) && (!found || code.low < ret->low)) {
		*ret = code;
		found = 1;
	}
	return found;
}

/* What is mapped there, but ours. The page of the old vsyscalls belongs to nobody. */
static int visit_others(void *data, const struct maps_line *line)
{
	struct visitor *visitor = data;
	uintptr_t low = line->low;
	struct extent own;

	while (low < line->high && !(low >> 63)) {
		if (!find_own(low, line->high, &own))
			own = (struct extent){line->high, line->high};
		if (own.low > low)
			visitor->visit(low, own.low, visitor);
		low = own.high;
	}
	return 0;
}

static void add_size(uintptr_t low, uintptr_t high, struct visitor *visitor)
{
	visitor->size += high - low;
}

/* Fails where another thread has just unmapped something, and where there is nothing to
 * fill; that all may be locked is known by then. */
static void lock_one(uintptr_t low, uintptr_t high, struct visitor *visitor)
{
	SYSCALL(SYS_mlock2, low, high - low, visitor->flags, 0, 0, 0);
}

/* Asked with a range that ends below its start: the kernel looks at the right first
 * (ENOMEM, EPERM), then at the range. The capability alone would not tell: in a user
 * namespace it does not count. */
static int may_lock_all(void)
{
	return SYSCALL(SYS_mlock, 2 * PAGE_BYTES, -PAGE_BYTES, 0, 0, 0, 0) == -EINVAL;
}

/* The kernel would not refuse, were we not here, and what is mapped can be known. */
static int is_allowed(void)
{
	struct visitor sum = {.visit = add_size};
	struct rlimit limit;

	if (maps_each(visit_others, &sum) < 0)
		return 0;
	if (may_lock_all())
		return 1;
	return SYSCALL(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, &limit, 0, 0) == 0 &&
	       limit.rlim_cur > 0 && sum.size <= limit.rlim_cur;
}

/* MCL_CURRENT without ours. First all is marked, which takes no time. */
static void lock_current(int flags)
{
	maps_each(visit_others, &(struct visitor){lock_one, .flags = MLOCK_ONFAULT});
	if (!(flags & MCL_ONFAULT))
		maps_each(visit_others, &(struct visitor){lock_one, .flags = 0});
}

static int lock(int flags)
{
	static int locks_future;
	int saved = errno;

	if (flags & MCL_FUTURE)
		own_memory_expect_locks();
	if (!(flags & MCL_CURRENT) || !is_allowed())
		return real_mlockall(flags);
	if (flags & MCL_FUTURE) {
		if (real_mlockall(flags & ~MCL_CURRENT) < 0)
			return -1;
		locks_future = 1;
	} else if (locks_future) {
		/* the kernel would end the future locks; there is no other way */
		SYSCALL(SYS_munlockall, 0, 0, 0, 0, 0, 0);
		locks_future = 0;
	}
	lock_current(flags);
	errno = saved;
	return 0;
}

long memory_lock_all(int flags)
{
	int is_valid = flags && !(flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) &&
		       flags != MCL_ONFAULT;
	long result;

	if (!process_is_ready() || !is_valid || !gate_enter())
		return real_mlockall(flags);
	result = lock(flags);
	gate_leave();
	return result;
}

exported int mlockall(int flags)
{
	return (int)memory_lock_all(flags);
}

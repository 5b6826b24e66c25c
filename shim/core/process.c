/* SPDX-License-Identifier: MIT */
/*
 * Slots, growth and counters of a process. Must not call libc; wait for anybody while
 * signals are open, but for a moment.
 */
#include "shim/core/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/core/own_memory.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#define PAGE_BYTES 4096ull

struct process *process;
struct process_facts process_facts written_in_children;
char process_file_path[SEGMENT_PATH_MAX];

/* A mask that no thread can have, nor gate_block_signals() leaves: SIGKILL without the
 * others. */
#define MASK_NOT_LOCKED (1ull << 8)

static int do_without(uint64_t *mask)
{
	gate_restore_signals(mask);
	*mask = MASK_NOT_LOCKED;
	return 0;
}

int process_lock(uint64_t *mask)
{
	int is_blocked = gate_block_signals(mask);

	if (is_blocked ? boost_lock_take(&process->lock, 1)
		       : boost_lock_try(&process->lock, 0))
		return 1;
	return do_without(mask);
}

int process_try_lock(uint64_t *mask)
{
	int is_blocked = gate_block_signals(mask);

	return boost_lock_try(&process->lock, is_blocked) || do_without(mask);
}

void process_unlock(const uint64_t *mask)
{
	if (*mask == MASK_NOT_LOCKED)
		return;
	boost_lock_release(&process->lock);
	gate_restore_signals(mask);
}

/* Kernels before 5.14 cannot populate: reserve by path. Fails after chroot or setuid,
 * where the newer way does not. */
static int commit_by_path(uint64_t file_offset, uint64_t size)
{
	long fd, result;

	fd = SYSCALL(SYS_open, process_file_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0, 0,
		     0, 0);
	if (fd < 0)
		return (int)fd;
	result = SYSCALL(SYS_fallocate, fd, 0, file_offset, size, 0, 0);
	SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
	return (int)result;
}

/* The first pages of a process slot are reserved before the slot can count. */
static uint64_t early_faults written_in_children;

static void count_own_faults(uint64_t faults)
{
	if (process && process->segment)
		process_count(SEGMENT_COUNTER_OWN_MAJOR_FAULTS, faults);
	else
		early_faults += faults;
}

/* A refused call is made again after 0.1 s: a full disk may have room then, and three
 * calls for each folded call would slow the program down. */
static int is_in_future(const uint64_t *ticks)
{
	/* relaxed: a guess that may be late */
	uint64_t then = __atomic_load_n(ticks, __ATOMIC_RELAXED);

	return then && (int64_t)(then - clock_now()) > 0;
}

int process_may_grow(void)
{
	return gate_is_open() &&
	       !(process && is_in_future(&process->commit_refused_until));
}

/* Several times: the kernel gives up when a signal or a lack of memory comes between. */
#define COMMIT_TRIES 64

static long populate(void *start, uint64_t size)
{
	long result = -EAGAIN;

	for (int i = 0; i < COMMIT_TRIES && (result == -EINTR || result == -EAGAIN); i++)
		result = SYSCALL(SYS_madvise, start, size, MADV_POPULATE_WRITE, 0, 0, 0);
	return result;
}

void process_populate(void *start, uint64_t size)
{
	uintptr_t at = (uintptr_t)start & ~(PAGE_BYTES - 1);

	if (!gate_enter())
		return;
	populate((void *)at, (uintptr_t)start + size - at);
	gate_leave();
}

static void refuse_commits(long result)
{
	if (process)
		__atomic_store_n(&process->commit_refused_until,
				 clock_now() + clock_tenth_of_second(), __ATOMIC_RELAXED);
	process_note(result == -EPERM || result == -ENOSYS ? SEGMENT_NOTE_SEALED
							   : SEGMENT_NOTE_NO_SPACE);
}

int process_commit(void *base, uint32_t slot, uint64_t offset, uint64_t size)
{
	uint64_t first = offset & ~(PAGE_BYTES - 1);
	uint64_t end = (offset + size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	uint64_t pages = (end - first) / PAGE_BYTES, faults;
	long result, before;

	if (!process_may_grow() || !gate_enter())
		return -EPERM;
	before = faults_before();
	result = populate((char *)base + first, end - first);
	if (result == -EINVAL)
		result = commit_by_path(slot * process_facts.file->slot_size + first,
					end - first);
	faults = faults_of(pages, before);
	gate_leave();
	if (result < 0) {
		refuse_commits(result);
		return (int)result;
	}
	count_own_faults(faults);
	process_count(SEGMENT_COUNTER_TOOL_BYTES, end - first);
	return 0;
}

struct place {
	void *base;
	uint32_t slot;
};

static int commit_array(void *data, uint64_t offset, uint64_t size)
{
	const struct place *place = data;

	return process_commit(place->base, place->slot, offset, size);
}

int process_grow(void *base, uint32_t slot, enum array_number number, uint32_t end)
{
	struct segment_array *array = arrays_in(base, number);
	struct place place = {base, slot};

	return arrays_grow(number, array, &array->committed, end, commit_array, &place);
}

/* The mapping of the header is mapped again, up to the end of the slots, and all but the
 * slots unmapped: no descriptor and no path needed. What the mapping of the header is
 * told when it is made holds for these, too: not in core files, and without readahead,
 * which would fill and clear 2 MiB around every first touch (2 ms each on ext4 with large
 * folios, Linux 6.18). */
void *process_map_slots(uint32_t slot, uint32_t count)
{
	struct segment_file *file = process_facts.file;
	uint64_t size = file->slot_size;
	long address;

	if (!gate_enter())
		return NULL;
	address =
		SYSCALL(SYS_mremap, file, 0, (slot + count) * size, MREMAP_MAYMOVE, 0, 0);
	if (!syscall_failed(address)) {
		SYSCALL(SYS_munmap, address, slot * size, 0, 0, 0, 0);
		for (uint32_t i = slot; i < slot + count; i++)
			own_memory_list((char *)address + i * size, size);
	}
	gate_leave();
	if (syscall_failed(address)) {
		process_note(SEGMENT_NOTE_NO_ADDRESSES);
		return NULL;
	}
	return (char *)address + slot * size;
}

void *process_map_slot(uint32_t slot)
{
	return process_map_slots(slot, 1);
}

void *process_new_slot(uint32_t *ret_slot)
{
	struct segment_file *file = process_facts.file;
	uint32_t slot;

	if (!process_may_grow())
		return NULL;
	if (process && process->spare) {
		void *spare = process->spare;

		process->spare = NULL;
		*ret_slot = process->spare_slot;
		return spare;
	}
	/* relaxed: a number is all that is taken here */
	slot = __atomic_fetch_add(&file->slot_count, 1, __ATOMIC_RELAXED);
	if (slot >= file->slot_limit) {
		process_note(SEGMENT_NOTE_SLOTS_EXHAUSTED);
		return NULL;
	}
	if (process_commit(file, 0, (uint64_t)((char *)&file->slots[slot] - (char *)file),
			   sizeof(file->slots[slot])) < 0)
		return NULL;
	*ret_slot = slot;
	return process_map_slot(slot);
}

void process_keep_slot(void *start, uint32_t slot)
{
	if (process->spare) {
		process_unmap(start, process_facts.file->slot_size);
		return;
	}
	process->spare = start;
	process->spare_slot = slot;
}

void process_publish_slot(uint32_t slot, uint32_t kind, uint32_t process_slot,
			  int32_t pid)
{
	struct segment_slot *entry = &process_facts.file->slots[slot];

	entry->pid = pid;
	entry->process_slot = process_slot;
	/* release: pairs with the reader's acquire of kind; the slot's header is whole */
	__atomic_store_n(&entry->kind, kind, __ATOMIC_RELEASE);
}

/* Likewise for memory: less than what was refused may still be had. */
static int map_is_refused(uint64_t size)
{
	return process && is_in_future(&process->map_refused_until) &&
	       size >= __atomic_load_n(&process->map_refused_size, __ATOMIC_RELAXED);
}

static void refuse_maps(uint64_t size)
{
	if (!process)
		return;
	__atomic_store_n(&process->map_refused_size, size, __ATOMIC_RELAXED);
	__atomic_store_n(&process->map_refused_until,
			 clock_now() + clock_tenth_of_second(), __ATOMIC_RELAXED);
}

void *process_map(uint64_t size, int wiped)
{
	long address;

	if (map_is_refused(size) || !gate_enter())
		return NULL;
	address = own_memory_map(size);
	if (syscall_failed(address)) {
		refuse_maps(size);
	} else if (wiped &&
		   SYSCALL(SYS_madvise, address, size, MADV_WIPEONFORK, 0, 0, 0) < 0) {
		process_unmap((void *)address, size);
		address = -EINVAL;
	}
	gate_leave();
	return syscall_failed(address) ? NULL : (void *)address;
}

/* With the gate closed it stays, which is harmless. */
void process_unmap(void *start, uint64_t size)
{
	if (start && gate_enter()) {
		own_memory_remove(start);
		SYSCALL(SYS_munmap, start, size, 0, 0, 0, 0);
		gate_leave();
	}
}

void process_count(enum segment_process_counter counter, uint64_t add)
{
	/* relaxed: a sum that nobody orders anything by */
	if (process && process->segment)
		__atomic_fetch_add(&process->segment->counters[counter], add,
				   __ATOMIC_RELAXED);
}

/* The user that a process became, and whom it shares memory with, its children are and
 * do, too. */
#define INHERITED_NOTES (SEGMENT_NOTE_GAVE_UP_PRIVILEGES | SEGMENT_NOTE_NOT_APART)

void process_note(uint32_t note)
{
	if (note & INHERITED_NOTES)
		__atomic_fetch_or(&process_facts.notes, note & INHERITED_NOTES,
				  __ATOMIC_RELAXED);
	if (process && process->segment)
		__atomic_fetch_or(&process->segment->notes, note, __ATOMIC_RELAXED);
	else if (process_facts.state)
		__atomic_fetch_or(&process_facts.state->notes, note, __ATOMIC_RELAXED);
}

/* Who the process is. */
static void introduce(struct segment_process *segment)
{
	segment->pid = (int32_t)SYSCALL(SYS_getpid, 0, 0, 0, 0, 0, 0);
	segment->parent_pid = (int32_t)SYSCALL(SYS_getppid, 0, 0, 0, 0, 0, 0);
	segment->state = SEGMENT_PROCESS_RUNNING;
	segment->start_ticks = clock_now();
	segment->counters[SEGMENT_COUNTER_OWN_MAJOR_FAULTS] = early_faults;
	early_faults = 0;
}

/* The private state of the process whose slot this is. bias: see struct process. */
static void settle_in(struct process *state, struct segment_process *segment,
		      uint32_t slot, uint32_t bias)
{
	state->slot = slot;
	state->pid = segment->pid;
	state->segment = segment;
	state->site_bias = bias;
	state->site_floor = segment->sites.first + bias;
	state->sites = arrays_entries(segment, &segment->sites);
	state->sites -= bias;
	state->site_next = segment->sites.count;
	process_facts.segment = segment;
	process_facts.slot = slot;
	process_facts.tenant = segment->tenancy >> 1;
	process_facts.site_end = segment->sites.count + bias;
}

int process_begin(struct process *state, uint32_t first_site)
{
	uint64_t slot_size = process_facts.file->slot_size;
	struct segment_process *segment;
	uint32_t slot = 0;
	int result;

	segment = process_new_slot(&slot);
	if (!segment)
		return -ENOMEM;
	result = process_commit(segment, slot, 0, sizeof(*segment));
	if (result < 0) {
		process_unmap(segment, slot_size);
		return result;
	}
	arrays_lay_out(SEGMENT_SLOT_PROCESS, segment, slot_size);
	introduce(segment);
	/* site 0 means none */
	segment->sites.first = segment->left.first = first_site ? first_site : 1;
	segment->sites.count = segment->sites.first;
	segment->magic = SEGMENT_MAGIC_PROCESS;
	settle_in(state, segment, slot, 0);
	return 0;
}

void process_resume(struct process *state, struct segment_process *segment, uint32_t slot,
		    uint32_t bias)
{
	introduce(segment);
	settle_in(state, segment, slot, bias);
}

void process_ring(void)
{
	struct segment_state *state = process_facts.state;

	/* release: what was stored before is seen by the collector that acquires it */
	__atomic_fetch_add(&state->doorbell, 1, __ATOMIC_RELEASE);
	if (gate_enter()) {
		SYSCALL(SYS_futex, &state->doorbell, 1 /* FUTEX_WAKE */, 0x7fffffff, 0, 0,
			0);
		gate_leave();
	}
}

void *shared_slot_map(uint32_t *number, uint32_t kind, shared_slot_begin *begin)
{
	/* acquire: what begin() wrote into the slot behind the number */
	uint32_t slot = __atomic_load_n(number, __ATOMIC_ACQUIRE), expected = 0, own;
	void *start;

	if (slot)
		return process_map_slot(slot);
	start = process_new_slot(&own);
	if (!start)
		return NULL;
	if (begin(start, own) < 0) {
		process_keep_slot(start, own);
		return NULL;
	}
	process_publish_slot(own, kind, process->slot, process->pid);
	/* release: pairs with the acquire above, in another process */
	if (__atomic_compare_exchange_n(number, &expected, own, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return start;
	process_unmap(start, process_facts.file->slot_size);
	return process_map_slot(expected);
}

static int note_nothing(uint64_t address)
{
	(void)address;
	return 0;
}

static void do_nothing(void)
{
}

static void select_nothing(uint64_t address)
{
	(void)address;
}

static void leave_nothing(struct lane_context *context, uint64_t function, uint32_t node,
			  uint64_t begin_ticks, uint64_t ticks)
{
	(void)context, (void)function, (void)node, (void)begin_ticks, (void)ticks;
}

static void put_nothing(struct lane_context *context, uint32_t part)
{
	(void)context, (void)part;
}

static uint32_t watch_nothing(const char *name)
{
	(void)name;
	return 0;
}

struct upcalls upcalls = {note_nothing,	 select_nothing, do_nothing, leave_nothing,
			  watch_nothing, put_nothing,	 do_nothing};

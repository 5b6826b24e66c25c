/* SPDX-License-Identifier: MIT */
/* perf_event_open(2): software events of the task clock, in the kernel, too, where that
 * is allowed. */
#include "collector/watch/outside.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/processes/liveness.h"
#include "common/base/xalloc.h"
#include "common/sampling_event.h"

#define PAGE_BYTES 4096u
#define FEWEST_PAGES 2u

/* Of one process. Who has more is sampled in its first ones and what these make. */
#define THREAD_LIMIT 256u

/* The words of a sample behind its header. The program's own instruction is in its
 * registers, wherever the sample was: a thread of the kernel has none. */
enum { WORD_ID, WORD_TID, WORD_PERIOD, WORD_ABI, WORD_IP };

/* The same with a stack: its size, itself, and how much of it there is. */
enum { WORD_REGISTERS = WORD_ABI + 1, WORD_STACK = WORD_REGISTERS + STACK_REGISTERS };

/* A ring has room for so many stacks at least. */
#define STACKS_IN_RING 16u

struct outside_ring {
	int cpu, fd;
	struct perf_event_mmap_page *page;
	uint32_t data_bytes;
};

/* All that libunwind knows, in the order of struct stack_dump. */
static void ask_for_stack(struct perf_event_attr *attributes, uint32_t byte_count)
{
	attributes->sample_type |= PERF_SAMPLE_STACK_USER;
	attributes->sample_stack_user = byte_count;
	attributes->sample_regs_user = (1ull << (PERF_REG_X86_IP + 1)) - 1;
	for (int i = PERF_REG_X86_R8; i <= PERF_REG_X86_R15; i++)
		attributes->sample_regs_user |= 1ull << i;
}

static long open_event(struct perf_event_attr *attributes, int32_t tid, int cpu,
		       uint32_t stack_bytes)
{
	attributes->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
				  PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER;
	attributes->sample_regs_user = 1u << PERF_REG_X86_IP;
	if (stack_bytes)
		ask_for_stack(attributes, stack_bytes);
	return syscall(SYS_perf_event_open, attributes, tid, cpu, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

/* Of ours, and never counts: the ring does not end with a process that writes into it. */
static int open_ring(struct outside_ring *ring, int cpu, uint32_t page_count)
{
	struct perf_event_attr attributes = sampling_event(0);
	void *page = MAP_FAILED;
	int error;

	attributes.config = PERF_COUNT_SW_DUMMY;
	*ring = (struct outside_ring){.cpu = cpu};
	ring->fd = (int)open_event(&attributes, 0, cpu, 0);
	if (ring->fd < 0)
		return -errno;
	for (; page == MAP_FAILED && page_count >= FEWEST_PAGES; page_count /= 2) {
		ring->data_bytes = page_count * PAGE_BYTES;
		page = mmap(NULL, PAGE_BYTES + ring->data_bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED, ring->fd, 0);
	}
	error = errno;
	if (page == MAP_FAILED) {
		close(ring->fd);
		return -error;
	}
	ring->page = page;
	return 0;
}

static void close_rings(struct outside_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		munmap(rings->all[i].page, PAGE_BYTES + rings->all[i].data_bytes);
		close(rings->all[i].fd);
	}
	free(rings->all);
	*rings = (struct outside_rings){.count = 0};
}

int events_open_rings(struct outside_rings *rings, uint32_t page_count)
{
	long cpu_count = sysconf(_SC_NPROCESSORS_CONF);
	struct outside_ring ring;
	int result;

	for (int cpu = 0; !rings->is_open && cpu < cpu_count; cpu++) {
		result = open_ring(&ring, cpu, page_count);
		if (result == -ENODEV) /* it is not there now */
			continue;
		if (result < 0) {
			close_rings(rings);
			return result;
		}
		ARRAY_ADD(rings->all, rings->count) = ring;
	}
	rings->is_open = 1;
	return 0;
}

int events_open_stack_rings(struct outside_rings *rings, uint32_t page_count)
{
	uint32_t least_bytes = UINT32_MAX;
	int result;

	if (rings->is_open)
		return rings->stack_bytes ? 0 : -ENOMEM;
	result = events_open_rings(rings, page_count);
	if (result < 0)
		return result;
	for (size_t i = 0; i < rings->count; i++)
		if (rings->all[i].data_bytes < least_bytes)
			least_bytes = rings->all[i].data_bytes;
	rings->stack_bytes = least_bytes / STACKS_IN_RING;
	if (rings->stack_bytes > STACK_BYTES)
		rings->stack_bytes = STACK_BYTES;
	if (rings->stack_bytes >= STACK_LEAST_BYTES)
		return 0;
	close_rings(rings);
	rings->is_open = 1;
	return -ENOMEM;
}

static int add_event(struct outside_events *events, const struct outside_ring *ring,
		     int32_t tid, uint64_t period_ns, uint32_t stack_bytes)
{
	struct perf_event_attr attributes = sampling_event(period_ns);
	uint64_t id;
	int fd;

	attributes.inherit = 1;
	attributes.remove_on_exec = 1;
	attributes.exclude_kernel = 0;
	fd = (int)open_event(&attributes, tid, ring->cpu, stack_bytes);
	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		attributes.exclude_kernel = 1;
		fd = (int)open_event(&attributes, tid, ring->cpu, stack_bytes);
	}
	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	events->ids = array_room(events->ids, events->count, sizeof(*events->ids));
	events->fds = array_room(events->fds, events->count, sizeof(*events->fds));
	events->tids = array_room(events->tids, events->count, sizeof(*events->tids));
	events->ids[events->count] = id;
	events->tids[events->count] = tid;
	events->fds[events->count++] = fd;
	return 0;
}

/* All that there are before the first is sampled: a thread that one of them makes from
 * then on has its samples from it. Returns how many. */
static size_t list_threads(int32_t pid, int32_t *tids)
{
	DIR *tasks = liveness_tasks(pid);
	size_t count = 0;
	int32_t tid;

	while ((tid = liveness_next_task(tasks)))
		if (count < THREAD_LIMIT)
			tids[count++] = tid;
	return count;
}

/* A thread may have ended meanwhile. */
static int attach_thread(struct outside_events *events, const struct outside_rings *rings,
			 int32_t tid, uint64_t period_ns)
{
	int result = 0;

	for (size_t i = 0; i < rings->count && result == 0; i++)
		result = add_event(events, &rings->all[i], tid, period_ns,
				   rings->stack_bytes);
	return result == -ESRCH ? 0 : result;
}

int events_attach(struct outside_events *events, const struct outside_rings *rings,
		  int32_t pid, uint64_t period_ns)
{
	int32_t tids[THREAD_LIMIT];
	size_t count = list_threads(pid, tids);
	int result = count ? 0 : -ESRCH;

	events->period_ns = period_ns;

	for (size_t i = 0; i < count && result == 0; i++)
		result = attach_thread(events, rings, tids[i], period_ns);
	return result;
}

void events_change_period(struct outside_events *events, uint64_t period_ns)
{
	events->period_ns = period_ns;
	for (size_t i = 0; i < events->count; i++)
		ioctl(events->fds[i], PERF_EVENT_IOC_PERIOD, &period_ns);
}

/* Ids are given in the order of opening. */
static size_t find(const struct outside_events *events, uint64_t id)
{
	return COUNT_BEFORE(events->count, i, events->ids[i] < id);
}

int events_has(const struct outside_events *events, uint64_t id)
{
	size_t at = find(events, id);

	return at < events->count && events->ids[at] == id;
}

uint64_t events_period(const struct outside_events *events,
		       const struct outside_record *record)
{
	return events->tids[find(events, record->id)] == record->tid ? events->period_ns
								     : record->period_ns;
}

void events_detach(struct outside_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		close(events->fds[i]);
	free(events->fds);
	free(events->ids);
	free(events->tids);
	*events = (struct outside_events){.count = 0};
}

/* Records are multiples of 8 bytes, and may be in two parts. */
static uint64_t word_at(const struct outside_ring *ring, uint64_t at)
{
	const char *data = (const char *)ring->page + PAGE_BYTES;

	return *(const volatile uint64_t *)(const void *)(data + at % ring->data_bytes);
}

/* The registers and the stack of a record of so many bytes. false: it has none, as a
 * thread of the kernel's. */
static bool copy_stack(const struct outside_ring *ring, uint64_t at, uint64_t bytes,
		       struct stack_dump *ret)
{
	uint64_t size_at = at + 8 + 8 * WORD_STACK, size, count;

	if (bytes < 8 + 8 * (WORD_STACK + 2) || word_at(ring, at + 8 + 8 * WORD_ABI) == 0)
		return false;
	size = word_at(ring, size_at);
	if (size % 8 || size > STACK_BYTES || 8 + 8 * (WORD_STACK + 2) + size > bytes)
		return false;
	count = word_at(ring, size_at + 8 + size);
	ret->byte_count = count < size ? count : size;
	for (size_t i = 0; i < STACK_REGISTERS; i++)
		ret->registers[i] = word_at(ring, at + 8 + 8 * (WORD_REGISTERS + i));
	for (uint64_t i = 0; i < ret->byte_count; i += 8) {
		uint64_t word = word_at(ring, size_at + 8 + i);

		memcpy(ret->bytes + i, &word, sizeof(word));
	}
	return true;
}

bool events_copy_stack(const struct outside_record *record, struct stack_dump *ret)
{
	return copy_stack(record->ring, record->at, record->bytes, ret);
}

/* How many bytes the record at this place has; 0: it is none. */
static uint64_t read_record(const struct outside_ring *ring, uint64_t at, uint64_t head,
			    int ip_word, struct outside_record *ret)
{
	uint64_t header = word_at(ring, at), bytes = header >> 48;
	uint32_t type = (uint32_t)header;

	*ret = (struct outside_record){.ring = ring, .at = at, .bytes = bytes};
	if (bytes < 8 || bytes % 8 || bytes > head - at)
		return 0;
	if (type == PERF_RECORD_SAMPLE && bytes >= 8 + 8 * ((uint64_t)ip_word + 1)) {
		ret->id = word_at(ring, at + 8 + 8 * WORD_ID);
		ret->address = word_at(ring, at + 8 + 8 * (uint64_t)ip_word);
		ret->pid = (int32_t)word_at(ring, at + 8 + 8 * WORD_TID);
		ret->tid = (int32_t)(word_at(ring, at + 8 + 8 * WORD_TID) >> 32);
		ret->period_ns = word_at(ring, at + 8 + 8 * WORD_PERIOD);
	} else if (type == PERF_RECORD_LOST && bytes >= 24) {
		ret->lost_count = word_at(ring, at + 16);
	}
	return bytes;
}

static void read_ring(struct outside_ring *ring, int ip_word,
		      void (*take)(void *context, const struct outside_record *record),
		      void *context)
{
	/* acquire: the records before it are whole; pairs with the kernel's barrier */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail, bytes;
	struct outside_record record;

	for (; tail < head; tail += bytes) {
		bytes = read_record(ring, tail, head, ip_word, &record);
		if (!bytes)
			break;
		take(context, &record);
	}
	/* release: what was there has been read; pairs with the kernel's barrier before
	 * it writes there again */
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

void events_read(struct outside_rings *rings,
		 void (*take)(void *context, const struct outside_record *record),
		 void *context)
{
	int ip_word = rings->stack_bytes ? WORD_REGISTERS + STACK_REGISTER_IP : WORD_IP;

	for (size_t i = 0; i < rings->count; i++)
		read_ring(&rings->all[i], ip_word, take, context);
}

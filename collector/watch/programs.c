/* SPDX-License-Identifier: MIT */
/* Which programs are sampled, and how often. */
#include "collector/watch/outside.h"

#include <errno.h>
#include <time.h>

#include "collector/processes/ticks.h"
#include "common/base/xalloc.h"
#include "common/sampling_event.h"

/* So old is a process that is sampled. What ends sooner has too few samples to tell. */
#define AGE_NS 5000000u
#define DRAIN_NS 50000000u
#define WRITE_NS 1000000000u
/* How often threads are switched is asked after so much time of a CPU. */
#define WINDOW_NS 50000000
#define WINDOW_SWITCHES 100
/* Where samples would cost too much nobody asks again for so long. */
#define DECLINED_NS 1000000000u

/* A second of one CPU at 1 kHz. */
#define RING_PAGES 16u
#define FAST_RING_PAGES 64u
#define FAST_HZ 2000u
#define STACK_RING_PAGES 32u

/* What the processes of one segment file run. */
struct outside_program {
	uint64_t inode; /* of the file */
	struct outside_events events, stack_events;
	struct outside_space space;
	uint64_t period_ns; /* on average; 0: it is not sampled now */
	uint64_t declined_until_ns;
	int64_t busy_ns, switch_count; /* in this window */
	size_t alive_count;
	int has_ended; /* hooks turned up, or the kernel refused */
	int is_paused;
};

void outside_begin(struct outside *outside)
{
	*outside = (struct outside){.random = (uint32_t)ticks_monotonic_ns() | 1};
	outside->objects.begin_s = time(NULL);
}

static struct outside_program *program_of(const struct outside *outside, uint64_t inode)
{
	for (size_t i = 0; i < outside->program_count; i++)
		if (outside->programs[i].inode == inode)
			return &outside->programs[i];
	return NULL;
}

/* Whose event has this id; NULL: it has been closed. */
static struct outside_program *sampled_program(const struct outside *outside, uint64_t id)
{
	for (size_t i = 0; i < outside->program_count; i++)
		if (events_has(&outside->programs[i].events, id) ||
		    events_has(&outside->programs[i].stack_events, id))
			return &outside->programs[i];
	return NULL;
}

static void take(void *context, const struct outside_record *record)
{
	struct outside *outside = context;
	struct outside_program *program;
	uint64_t address;
	uint32_t module;

	if (record->lost_count) {
		outside->book.sums.lost_count += record->lost_count;
		return;
	}
	program = record->id ? sampled_program(outside, record->id) : NULL;
	if (!program || program->is_paused || program->space.has_hooks)
		return;
	module = space_find(&program->space, &outside->objects, &outside->book,
			    record->pid, record->address, &address);
	if (!program->space.has_hooks)
		book_add(&outside->book, module, address,
			 events_period(&program->events, record));
}

/* Stacks that came together, and the programs that they are of. */
#define STACKS_AT_ONCE 24u

struct outside_stacks {
	struct stack_dump dumps[STACKS_AT_ONCE];
	struct stack_frames frames[STACKS_AT_ONCE];
	size_t count;
	const struct outside_program *program;
};

/* Frames are in the book from the outermost on. What the child answers is believed as far
 * as there is code. */
static void book_stack(struct outside *outside, const struct outside_space *space,
		       const struct stack_dump *dump, const struct stack_frames *frames)
{
	uint64_t leaf_address, address;
	uint32_t leaf, module, count = 0, caller = 0;

	leaf = space_known(space, dump->registers[STACK_REGISTER_IP], &leaf_address);
	if (leaf == CPU_BOOK_NO_MODULE) {
		outside->book.sums.lost_stack_count++;
		return;
	}
	while (count < frames->count &&
	       space_known(space, frames->addresses[count], &address))
		count++;
	outside->book.sums.cut_stack_count +=
		frames->end != STACK_WHOLE || count < frames->count;
	while (count-- > 0) {
		module = space_known(space, frames->addresses[count], &address);
		caller = book_add_frame(&outside->book, module, address, caller);
	}
	book_add_stack(&outside->book, leaf, leaf_address, caller);
}

static void walk_stacks(struct outside *outside)
{
	struct outside_stacks *stacks = outside->stacks;
	const struct outside_space *space;

	if (!stacks || !stacks->count)
		return;
	space = &stacks->program->space;
	if (!stacks_walk(&outside->walker, outside->book.modules,
			 outside->book.module_count, space->ranges, space->count,
			 stacks->dumps, stacks->count, stacks->frames))
		outside->book.sums.lost_stack_count += stacks->count;
	else
		for (size_t i = 0; i < stacks->count; i++)
			book_stack(outside, space, &stacks->dumps[i], &stacks->frames[i]);
	stacks->count = 0;
}

static void take_stack(void *context, const struct outside_record *record)
{
	struct outside *outside = context;
	struct outside_stacks *stacks = outside->stacks;
	struct outside_program *program;
	uint64_t address;

	if (record->lost_count)
		outside->book.sums.lost_stack_count += record->lost_count;
	program = record->id ? sampled_program(outside, record->id) : NULL;
	if (!program || program->is_paused || program->space.has_hooks)
		return;
	space_find(&program->space, &outside->objects, &outside->book, record->pid,
		   record->address, &address);
	if (program->space.has_hooks)
		return;
	if (stacks->count == STACKS_AT_ONCE || stacks->program != program)
		walk_stacks(outside);
	stacks->program = program;
	stacks->count += events_copy_stack(record, &stacks->dumps[stacks->count]);
}

void outside_drain(struct outside *outside)
{
	events_read(&outside->rings, take, outside);
	if (!outside->stack_rings.count)
		return;
	events_read(&outside->stack_rings, take_stack, outside);
	walk_stacks(outside);
}

void outside_end(struct outside *outside)
{
	stacks_end(&outside->walker);
}

static void note_period(struct cpu_sums *sums, uint64_t period_ns)
{
	uint32_t period_us = (uint32_t)(period_ns / 1000);

	sums->attached_count++;
	if (period_us > sums->longest_period_us)
		sums->longest_period_us = period_us;
	if (!sums->shortest_period_us || period_us < sums->shortest_period_us)
		sums->shortest_period_us = period_us;
}

static void stop(struct outside *outside, struct outside_program *program)
{
	outside_drain(outside);
	events_detach(&program->events);
	events_detach(&program->stack_events);
	program->period_ns = 0;
}

static void refuse(struct outside *outside, struct outside_program *program, int error)
{
	stop(outside, program);
	program->has_ended = 1;
	outside->book.sums.refused_count++;
	outside->book.sums.error = -error;
}

/* The timer is for those that have hooks. */
static uint32_t hz_of(const struct segment_run *run)
{
	return run->sample_hz == SEGMENT_SAMPLES_TIMER ? SEGMENT_SAMPLES_AUTO
						       : run->sample_hz;
}

/* So many samples are taken for one with a stack, and no more often than this. */
#define STACK_RATE 4u
#define STACK_LEAST_PERIOD_NS 4000000u

static uint64_t draw_stack_period(struct outside *outside, uint64_t period_ns)
{
	uint64_t stack_ns = STACK_RATE * period_ns;

	return sampling_draw(&outside->random, stack_ns > STACK_LEAST_PERIOD_NS
						       ? stack_ns
						       : STACK_LEAST_PERIOD_NS);
}

/* All processes of the program that there are; one that has just ended needs none. */
static int attach(const struct watch *watch, const struct outside_program *program,
		  struct outside_events *events, const struct outside_rings *rings,
		  uint64_t drawn_ns)
{
	int result = 0;

	for (size_t i = 0; i < watch->process_count && result == 0; i++) {
		const struct watch_process *process = &watch->processes[i];

		if (process->outside.state != OUTSIDE_FOLLOWED ||
		    process->outside.program != program->inode || table_is_over(process))
			continue;
		result = events_attach(events, rings, process->death.pid, drawn_ns);
		if (result == -ESRCH)
			result = 0;
	}
	return result;
}

/* Without them the samples have no callers. */
static void start_stacks(struct outside *outside, const struct watch *watch,
			 struct outside_program *program, uint64_t period_ns)
{
	int result = events_open_stack_rings(&outside->stack_rings, STACK_RING_PAGES);

	if (result == 0 && !outside->stacks)
		outside->stacks = xcalloc(1, sizeof(*outside->stacks));
	if (result == 0)
		result = attach(watch, program, &program->stack_events,
				&outside->stack_rings,
				draw_stack_period(outside, period_ns));
	if (result == 0)
		return;
	outside->book.sums.refused_stack_count++;
	events_detach(&program->stack_events);
}

static void start(struct outside *outside, const struct watch *watch,
		  struct outside_program *program, uint64_t period_ns)
{
	uint32_t hz = hz_of(watch->run);
	int result = events_open_rings(&outside->rings,
				       hz > FAST_HZ ? FAST_RING_PAGES : RING_PAGES);

	if (result == 0)
		result = attach(watch, program, &program->events, &outside->rings,
				sampling_draw(&outside->random, period_ns));
	if (result < 0) {
		refuse(outside, program, result);
		return;
	}
	start_stacks(outside, watch, program, period_ns);
	program->period_ns = period_ns;
	note_period(&outside->book.sums, period_ns);
}

/* What has the same period has it drawn anew: a program whose phases have that of the
 * samples would be seen in some of them only. */
static void use_period(struct outside *outside, const struct watch *watch,
		       struct outside_program *program, uint64_t period_ns,
		       uint64_t now_ns)
{
	if (program->has_ended || now_ns < program->declined_until_ns)
		return;
	if (!period_ns) {
		stop(outside, program);
		program->declined_until_ns = now_ns + DECLINED_NS;
		outside->book.sums.declined_count++;
	} else if (period_ns == program->period_ns) {
		events_change_period(&program->events,
				     sampling_draw(&outside->random, period_ns));
		events_change_period(&program->stack_events,
				     draw_stack_period(outside, period_ns));
	} else {
		stop(outside, program);
		start(outside, watch, program, period_ns);
	}
}

static uint64_t period_of(const struct watch *watch, const struct sampling *sampling,
			  int64_t busy_ns, int64_t switch_count)
{
	return sampling_period_ns(hz_of(watch->run), sampling->tick_ns,
				  (double)(busy_ns > WINDOW_NS ? busy_ns : WINDOW_NS),
				  (uint64_t)switch_count);
}

static struct outside_program *add_program(struct outside *outside, uint64_t inode)
{
	struct outside_program *program;

	program = &ARRAY_ADD(outside->programs, outside->program_count);
	*program = (struct outside_program){.inode = inode};
	return program;
}

static void follow(struct watch_process *process, const struct outside_program *program)
{
	process->outside.state = OUTSIDE_FOLLOWED;
	process->outside.program = program->inode;
}

/* One that has moved into a file of its own has the events that it had. */
static struct outside_program *moved_from(const struct outside *outside,
					  const struct watch *watch,
					  const struct watch_process *process)
{
	for (size_t i = 0; i < watch->process_count; i++) {
		const struct watch_process *other = &watch->processes[i];

		if (other != process && other->death.pid == process->death.pid &&
		    other->death.start_ticks == process->death.start_ticks &&
		    other->outside.state == OUTSIDE_FOLLOWED)
			return program_of(outside, other->outside.program);
	}
	return NULL;
}

/* Begins with the program that the process is the first of, unless it has hooks. */
static void begin_program(struct outside *outside, struct watch *watch,
			  const struct sampling *sampling, struct watch_process *process)
{
	struct resource_threads *threads = &process->outside.threads;
	struct outside_space space = {.count = 0};
	struct outside_program *program;

	space_look(&space, &outside->objects, &outside->book, process->death.pid);
	process->outside.state = OUTSIDE_OWN;
	if (space.has_hooks || !space.count ||
	    !resources_read_threads(process->death.pid, threads)) {
		space_done(&space);
		return;
	}
	program = add_program(outside, watch->files[process->file].inode);
	program->space = space;
	program->alive_count = 1;
	for (size_t i = 0; i < watch->process_count; i++) {
		struct watch_process *other = &watch->processes[i];

		if (other->outside.state == OUTSIDE_NEW && other->file == process->file &&
		    !table_is_over(other))
			follow(other, program);
	}
	follow(process, program);
	use_period(outside, watch, program,
		   period_of(watch, sampling, threads->cpu_ns, threads->run_count),
		   ticks_monotonic_ns());
}

/* What its program forks has events from its parent. */
static void look_at_new(struct outside *outside, struct watch *watch,
			const struct sampling *sampling, struct watch_process *process,
			uint64_t now_ns)
{
	struct outside_program *program =
		program_of(outside, watch->files[process->file].inode);

	if (!program)
		program = moved_from(outside, watch, process);
	if (program)
		follow(process, program);
	else if (now_ns - process->outside.seen_ns >= AGE_NS || watch->run->samples_only)
		begin_program(outside, watch, sampling, process);
	else
		outside->is_waiting = 1;
}

static int is_paused(const struct watch *watch, const struct watch_process *process)
{
	const struct segment_reader *reader = &watch->files[process->file].reader;
	uint64_t since = 0;

	return !process->has_left && reader->fd >= 0 &&
	       segment_reader_bytes(reader, process->slot,
				    offsetof(struct segment_process, paused_since_ticks),
				    &since, sizeof(since)) == 0 &&
	       since != 0;
}

/* What its program has to know of it. */
static void look_at_followed(struct outside *outside, const struct watch *watch,
			     struct watch_process *process)
{
	const struct resource_threads *now = &process->resource.threads;
	struct resource_threads *before = &process->outside.threads;
	struct outside_program *program = program_of(outside, process->outside.program);

	if (!program)
		return;
	program->alive_count++;
	program->is_paused |= is_paused(watch, process);
	if (now->cpu_ns > before->cpu_ns)
		program->busy_ns += now->cpu_ns - before->cpu_ns;
	if (now->run_count > before->run_count)
		program->switch_count += now->run_count - before->run_count;
	*before = *now;
}

static void look_at_processes(struct outside *outside, struct watch *watch,
			      const struct sampling *sampling, uint64_t now_ns)
{
	outside->is_waiting = 0;
	for (size_t i = 0; i < outside->program_count; i++) {
		outside->programs[i].alive_count = 0;
		outside->programs[i].is_paused = 0;
	}
	for (size_t i = 0; i < watch->process_count; i++) {
		struct watch_process *process = &watch->processes[i];

		if (table_is_over(process))
			continue;
		if (process->outside.state == OUTSIDE_FOLLOWED)
			look_at_followed(outside, watch, process);
		else if (process->outside.state == OUTSIDE_NEW)
			look_at_new(outside, watch, sampling, process, now_ns);
	}
}

static void look_at_rates(struct outside *outside, const struct watch *watch,
			  const struct sampling *sampling, uint64_t now_ns)
{
	for (size_t i = 0; i < outside->program_count; i++) {
		struct outside_program *program = &outside->programs[i];

		if (program->space.has_hooks && !program->has_ended) {
			stop(outside, program);
			program->has_ended = 1;
		}
		if (program->busy_ns < WINDOW_NS &&
		    program->switch_count < WINDOW_SWITCHES)
			continue;
		use_period(outside, watch, program,
			   period_of(watch, sampling, program->busy_ns,
				     program->switch_count),
			   now_ns);
		program->busy_ns = program->switch_count = 0;
	}
}

static void drop_ended(struct outside *outside)
{
	for (size_t i = outside->program_count; i-- > 0;) {
		struct outside_program *program = &outside->programs[i];

		if (program->alive_count)
			continue;
		stop(outside, program);
		space_done(&program->space);
		*program = outside->programs[--outside->program_count];
	}
}

static void write_book(struct outside *outside, const struct watch *watch,
		       uint64_t now_ns)
{
	if (outside->next_write_ns == 0)
		outside->next_write_ns = now_ns + WRITE_NS;
	if (now_ns < outside->next_write_ns ||
	    outside->written_count == outside->book.sums.sample_count)
		return;
	if (book_write(&outside->book, watch->rundir) == 0)
		outside->written_count = outside->book.sums.sample_count;
	/* at most a fiftieth of the time is spent writing */
	outside->next_write_ns = now_ns + WRITE_NS + 50 * (ticks_monotonic_ns() - now_ns);
}

/* When the first process has been looked at. */
static void tell(struct outside *outside, const struct watch *watch,
		 const struct sampling *sampling)
{
	if (outside->has_told || !watch->run->samples_only ||
	    (sampling->found == SEGMENT_SAMPLING_ALLOWED &&
	     (!watch->process_count || watch->processes[0].outside.state == OUTSIDE_NEW)))
		return;
	sampling_tell_begun(watch->rundir, watch->run);
	outside->has_told = 1;
}

void outside_update(struct outside *outside, struct watch *watch,
		    const struct sampling *sampling)
{
	uint64_t now_ns = ticks_monotonic_ns();

	for (size_t i = 0; i < watch->process_count; i++)
		if (!watch->processes[i].outside.seen_ns)
			watch->processes[i].outside.seen_ns = now_ns;
	if (!sampling->is_done)
		return;
	if (sampling->found == SEGMENT_SAMPLING_ALLOWED)
		look_at_processes(outside, watch, sampling, now_ns);
	tell(outside, watch, sampling);
	if (sampling->found != SEGMENT_SAMPLING_ALLOWED)
		return;
	drop_ended(outside);
	if (now_ns < outside->next_ns)
		return;
	outside->next_ns = now_ns + DRAIN_NS;
	outside_drain(outside);
	look_at_rates(outside, watch, sampling, now_ns);
	write_book(outside, watch, now_ns);
}

int outside_is_urgent(const struct outside *outside)
{
	return outside->is_waiting && !outside->book.sums.attached_count;
}

uint64_t outside_wait_ns(const struct outside *outside, uint64_t most_ns)
{
	uint64_t wait_ns = outside->is_waiting	    ? AGE_NS
			   : outside->program_count ? DRAIN_NS
						    : most_ns;

	return wait_ns < most_ns ? wait_ns : most_ns;
}

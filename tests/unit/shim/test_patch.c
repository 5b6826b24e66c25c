/* SPDX-License-Identifier: MIT */
/*
 * Calls of a hook in a page of scratch code that has what an object has: recognised, led
 * elsewhere, cut out, and made what they were; and the code that they are led to.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>
#include <errno.h>
#include <link.h>

#include "shim/core/clock.h"
#include "shim/lane/lane.h"
#include "shim/patch/scan.h"
#include "shim/patch/known.h"
#include "shim/patch/modes.h"
#include "shim/patch/site.h"
#include "shim/patch/numbers.h"
#include "shim/patch/stubs.h"
#include "shim/patch/text.h"
#include "shim/events/events.h"
#include "shim/events/context.h"
#include "shim/events/frame_hooks.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

#define SCRATCH_BYTES 8192
#define TEXT_AT 4096
#define HOOK_AT 0x40   /* of the text: where the hook is */
#define PLT_AT 0x60    /* jmp *slot(%rip) */
#define SITE_AT 0x105  /* a displacement in one line, wherever it is */
#define SPLIT_AT 0x13d /* call: its displacement is in two */
#define SLOT_AT 0x800
#define OTHER_SLOT_AT 0x808

static uint8_t *scratch;
static struct code code;

static uintptr_t text(unsigned int offset)
{
	return (uintptr_t)scratch + TEXT_AT + offset;
}

static uintptr_t hook(void)
{
	return text(HOOK_AT);
}

static void put_displacement(unsigned int at, uintptr_t target)
{
	int32_t displacement = (int32_t)(target - text(at + 4));

	memcpy((void *)text(at), &displacement, 4);
}

static void put(unsigned int at, const char *bytes, size_t size)
{
	memcpy((void *)text(at), bytes, size);
}

static int begin(void **state)
{
	ElfW(Ehdr) * header;
	ElfW(Phdr) * segment;
	uintptr_t address;

	(void)state;
	/* where there is room below it, as it is below a program */
	scratch = mmap((void *)((uintptr_t)begin - (64ul << 20)), SCRATCH_BYTES,
		       PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	assert_ptr_not_equal(scratch, MAP_FAILED);
	header = (void *)scratch;
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_phoff = sizeof(*header);
	header->e_phnum = 1;
	segment = (void *)(header + 1);
	*segment = (ElfW(Phdr)){.p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_memsz = SCRATCH_BYTES,
				.p_filesz = SCRATCH_BYTES};
	memset((void *)text(0), 0x90, SCRATCH_BYTES - TEXT_AT);
	address = hook();
	memcpy((void *)text(SLOT_AT), &address, 8);
	put(PLT_AT, "\xf3\x0f\x1e\xfa\xf2\xff\x25", 7);
	put_displacement(PLT_AT + 7, text(SLOT_AT));
	code = (struct code){
		.object = {(uintptr_t)scratch, (uintptr_t)scratch + SCRATCH_BYTES},
		.text = {text(0), text(SCRATCH_BYTES - TEXT_AT)},
		/* so that the tests can go on writing */
		.protection = PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	return 0;
}

static int end(void **state)
{
	(void)state;
	munmap(scratch, SCRATCH_BYTES);
	return 0;
}

/* Writes an instruction of this form. Returns what follows it. */
static uintptr_t put_site(unsigned int at, enum site_form form, uintptr_t target)
{
	static const char *const heads[] = {[SITE_CALL] = "\xe8",
					    [SITE_JUMP] = "\xe9",
					    [SITE_CALL_SLOT] = "\xff\x15",
					    [SITE_JUMP_SLOT] = "\xff\x25"};
	size_t size = strlen(heads[form]);

	put(at, heads[form], size);
	put_displacement(at + (unsigned int)size, target);
	return text(at + (unsigned int)size + 4);
}

static uintptr_t target_of(const struct site *site)
{
	unsigned int head = site->form == SITE_CALL || site->form == SITE_JUMP ? 1 : 2;
	int32_t displacement;

	memcpy(&displacement, (void *)(site->at + head), 4);
	return site->at + head + 4 + (intptr_t)displacement;
}

TEST_WITH(test_recognised, begin, end)
{
	struct site site;
	uintptr_t after;

	after = put_site(SITE_AT, SITE_CALL, hook());
	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	assert_int_equal(site.form, SITE_CALL);
	after = put_site(SITE_AT, SITE_CALL, text(PLT_AT));
	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	after = put_site(SITE_AT, SITE_CALL_SLOT, text(SLOT_AT));
	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	assert_int_equal(site.form, SITE_CALL_SLOT);
}

TEST_WITH(test_not_ours, begin, end)
{
	struct site site;
	uintptr_t after = put_site(SITE_AT, SITE_CALL, text(0x20));

	assert_int_equal(site_before(&code, after, hook(), &site), -ENOENT);
	/* a slot that has not been filled in yet, as with lazy binding */
	after = put_site(SITE_AT, SITE_CALL_SLOT, text(OTHER_SLOT_AT));
	assert_int_equal(site_before(&code, after, hook(), &site), -ENOENT);
	/* a debugger's breakpoint */
	after = put_site(SITE_AT, SITE_CALL, hook());
	put(SITE_AT, "\xcc", 1);
	assert_int_equal(site_before(&code, after, hook(), &site), -ENOENT);
	/* the first bytes of the text: what is before may not be there */
	assert_int_equal(site_before(&code, text(3), hook(), &site), -ENOENT);
}

/* One of each form in turn, in the text from 0x200 on, as it was recognised; *before: its
 * bytes. Returns whether it goes through a slot. */
static int put_whole_site(enum site_form form, struct site *ret, uint8_t before[8])
{
	int has_slot = form == SITE_CALL_SLOT || form == SITE_JUMP_SLOT;
	unsigned int at = 0x204 + 0x40 * (unsigned int)form;

	put_site(at, form, has_slot ? text(SLOT_AT) : hook());
	memcpy(before, (void *)text(at), 8);
	*ret = (struct site){.at = text(at), .form = (uint16_t)form};
	memcpy(&ret->displacement, (void *)text(at + 1 + (unsigned int)has_slot), 4);
	ret->written = ret->displacement;
	return has_slot;
}

TEST_WITH(test_there_and_back, begin, end)
{
	static const enum site_form forms[] = {SITE_CALL, SITE_JUMP, SITE_CALL_SLOT,
					       SITE_JUMP_SLOT};

	for (unsigned int i = 0; i < 4; i++) {
		struct site site;
		uint8_t before[8];
		int has_slot = put_whole_site(forms[i], &site, before);

		assert_int_equal(
			site_lead(&site, &code, text(0x20), (void *)text(OTHER_SLOT_AT)),
			0);
		assert_int_equal(target_of(&site),
				 has_slot ? text(OTHER_SLOT_AT) : text(0x20));
		assert_int_equal(site_cut(&site, &code), 0);
		assert_true(site_is_there(&site, &code));
		assert_int_equal(
			site_lead(&site, &code, text(0x28), (void *)text(SLOT_AT)), 0);
		assert_int_equal(target_of(&site), has_slot ? text(SLOT_AT) : text(0x28));
		assert_true(site_is_there(&site, &code));
		assert_int_equal(site_cut(&site, &code), 0);
		assert_int_equal(site_restore(&site, &code), 0);
		assert_memory_equal(before, (void *)site.at, 8);
		/* what a forked child finds when its parent was at it */
		site.is_cut = site.is_led = 1;
		site_look(&site, &code);
		assert_false(site.is_cut || site.is_led);
	}
}

TEST_WITH(test_changed_by_others, begin, end)
{
	struct site site;
	uintptr_t after = put_site(SITE_AT, SITE_CALL, hook());

	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	put_site(SITE_AT, SITE_CALL, text(0x30)); /* another object's, at the place */
	assert_false(site_is_there(&site, &code));
}

/* A uprobe at a site that is cut out, or a debugger's breakpoint: who takes it away
 * writes the byte that was there before, or that the file has. */
TEST_WITH(test_first_byte_put_back, begin, end)
{
	static const enum site_form forms[] = {SITE_CALL, SITE_JUMP, SITE_CALL_SLOT,
					       SITE_JUMP_SLOT};

	for (unsigned int i = 0; i < 4; i++) {
		struct site site;
		uint8_t before[8];

		put_whole_site(forms[i], &site, before);
		assert_int_equal(site_cut(&site, &code), 0);
		*(uint8_t *)site.at = before[0];
		assert_memory_equal(before, (void *)site.at, 8);
		assert_false(site_is_there(&site, &code));
	}
}

TEST_WITH(test_two_lines, begin, end)
{
	struct site site;
	uintptr_t after = put_site(SPLIT_AT, SITE_CALL, hook());

	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	__libc_single_threaded = 0;
	assert_int_equal(site_lead(&site, &code, text(0x20) + (32u << 20), NULL), -EXDEV);
	assert_int_equal(target_of(&site), hook());
	__libc_single_threaded = 1;
	assert_int_equal(site_lead(&site, &code, text(0x20), NULL), 0);
	assert_int_equal(target_of(&site), text(0x20));
	assert_true(site_is_there(&site, &code));
}

TEST_WITH(test_jumps, begin, end)
{
	struct extent function = {text(0x300), text(0x340)};
	uintptr_t at = function.low;
	struct site site;

	put_site(0x310, SITE_JUMP, text(PLT_AT));
	put_site(0x320, SITE_JUMP, text(0x20));
	put_site(0x33a, SITE_JUMP_SLOT, text(SLOT_AT)); /* the last six bytes */
	assert_int_equal(site_jump(&code, &function, hook(), &at, &site), 0);
	assert_int_equal(site.at, text(0x310));
	assert_int_equal(site_jump(&code, &function, hook(), &at, &site), 0);
	assert_int_equal(site.at, text(0x33a));
	assert_int_equal(site_jump(&code, &function, hook(), &at, &site), -ENOENT);
}

/* The unwind information of one function, as code_function() reads it. */
static void put_frames(unsigned int low, unsigned int high)
{
	int32_t *table = (void *)text(0xa00), *description = (void *)text(0xa40);
	/* its length, that it is common, version, what it has, factors, return address,
	 * size of the encoding, and that: relative, in four bytes */
	static const char common[] = "\x10\0\0\0\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\0\0";

	memcpy(table, "\x01\x1b\x03\x3b", 4);
	memcpy((void *)text(0xa20), common, sizeof(common));
	table[2] = 1;
	table[3] = (int32_t)(text(low) - text(0xa00));
	table[4] = (int32_t)(text(0xa40) - text(0xa00));
	description[0] = 13; /* behind it */
	description[4] = 0;
	description[1] = 0x44 - 0x20;
	description[2] = (int32_t)(text(low) - (uintptr_t)&description[2]);
	description[3] = (int32_t)(high - low);
	code.frames = table;
}

TEST_WITH(test_alone, begin, end)
{
	struct site site;
	uintptr_t after;

	put_frames(0x400, 0x480);
	put(0x420, "\x48\x8d\x3d", 3); /* lea function(%rip), %rdi */
	put_displacement(0x423, text(0x400));
	put(0x427, "\x48\x8b\x74\x24\x18", 5); /* mov 24(%rsp), %rsi */
	after = put_site(0x42c, SITE_CALL, hook());
	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	assert_true(alone_is_site(&site, &code, text(0x400)));
	assert_false(alone_is_site(&site, &code, text(0x408)));
	put(0x450, "\xeb\xce", 2); /* jmp 0x420: before it is set */
	assert_true(alone_is_site(&site, &code, text(0x400)));
	put(0x450, "\xeb\xd5", 2); /* jmp 0x427: with another one */
	assert_false(alone_is_site(&site, &code, text(0x400)));
}

/* lea function(%rip), %rbx somewhere; mov %rbx, %rdi; mov %rax, %r12; call hook */
TEST_WITH(test_alone_by_register, begin, end)
{
	struct site site;
	uintptr_t after;

	memset((void *)text(0x400), 0x90, 0x80);
	put_frames(0x400, 0x480);
	put(0x404, "\x48\x8d\x1d", 3);
	put_displacement(0x407, text(0x400));
	put(0x420, "\x48\x89\xdf\x49\x89\xc4", 6);
	after = put_site(0x426, SITE_CALL, hook());
	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	assert_false(alone_is_site(&site, &code, text(0x400))); /* an entry */
	site.is_exit = 1;
	assert_true(alone_is_site(&site, &code, text(0x400)));
	assert_false(alone_is_site(&site, &code, text(0x410)));
	put(0x460, "\xeb\xc2", 2); /* jmp 0x424 */
	assert_false(alone_is_site(&site, &code, text(0x400)));
	put(0x460, "\x90\x90", 2);
	put(0x423, "\x4c\x89\xe7", 3); /* mov %r12, %rdi */
	assert_false(alone_is_site(&site, &code, text(0x400)));
	put(0x423, "\x49\x89\xc4", 3);
	put(0x440, "\x4c\x8d\x25", 3); /* another one's address in another register */
	put_displacement(0x443, text(0x410));
	assert_true(alone_is_site(&site, &code, text(0x400)));
	put(0x440, "\x48\x8d\x1d", 3); /* and in this one */
	assert_false(alone_is_site(&site, &code, text(0x400)));
	put_site(0x470, SITE_JUMP, hook());
	site = (struct site){.at = text(0x470), .form = SITE_JUMP, .is_exit = 1};
	assert_true(alone_is_site(&site, &code, text(0x400)));
	assert_false(alone_is_site(&site, &code, text(0x410)));
}

/* lea function(%rip), %rbx; mov %rbx, %rdi; call hook: said of an entry, too */
TEST_WITH(test_alone_by_neighbour, begin, end)
{
	struct site site;
	uintptr_t after;

	memset((void *)text(0x400), 0x90, 0x80);
	put_frames(0x400, 0x480);
	put(0x41c, "\x48\x8d\x1d", 3);
	put_displacement(0x41f, text(0x400));
	put(0x423, "\x48\x89\xdf", 3);
	after = put_site(0x426, SITE_CALL, hook());
	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	assert_true(alone_is_set(&site, text(0x400)));
	assert_false(alone_is_set(&site, text(0x410)));
	assert_true(alone_is_site(&site, &code, text(0x400)));
	put(0x460, "\xeb\xc1", 2); /* jmp 0x423 */
	assert_false(alone_is_site(&site, &code, text(0x400)));
	put(0x41c, "\x4c\x8d\x25", 3); /* of %r12, and %rbx is copied */
	assert_false(alone_is_set(&site, text(0x400)));
	put(0x423, "\x4c\x89\xe7", 3);
	assert_true(alone_is_set(&site, text(0x400)));
	put(0x41e, "\xbb\x00\x10\x40\x00\x48\x89\xdf", 8); /* mov $0x401000, %ebx */
	assert_true(alone_is_set(&site, 0x401000));
	assert_false(alone_is_set(&site, 0x401010));
	put(0x41d, "\x41", 1); /* of %r11d, which nobody copies */
	assert_false(alone_is_set(&site, 0x401000));
}

/* A function with many exits that are calls, as of what is inlined: each asks about all
 * of the code, which is looked at once. */
TEST_WITH(test_alone_among_many, begin, end)
{
	uint64_t before = scan_byte_count;
	unsigned int at, count = 0;

	put_frames(0x100, 0x7e0);
	for (at = 0x110; at < 0x7c0; at += 0x10, count++) {
		struct site site;
		uintptr_t after;

		put(at, "\x48\x8d\x3d", 3); /* lea function(%rip), %rdi */
		put_displacement(at + 3, text(0x100));
		after = put_site(at + 7, SITE_CALL, hook());
		assert_int_equal(site_before(&code, after, hook(), &site), 0);
		site.is_exit = 1;
		assert_true(alone_is_site(&site, &code, text(0x100)));
		assert_false(alone_is_site(&site, &code, text(0x108)));
	}
	assert_int_equal(count, 107);
	assert_int_equal(scan_byte_count - before, 0x7e0 - 0x100);
	scan_forget(); /* its object has gone */
}

/* As many as there is room for are kept, and none that would take long. */
TEST(test_scans)
{
	const uintptr_t size = 3ul << 20;
	uint8_t *many = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct code large = {.text = {(uintptr_t)many, (uintptr_t)many + size}};
	struct extent function = {large.text.low, large.text.low + (256ul << 10) + 1};
	uint64_t before = scan_byte_count;

	assert_ptr_not_equal(many, MAP_FAILED);
	assert_null(scan_find(&large, &function));
	assert_int_equal(scan_byte_count, before);
	for (int round = 0; round < 3; round++) {
		for (uintptr_t i = 0; i < size / 4096; i++) {
			function = (struct extent){large.text.low + i * 4096,
						   large.text.low + i * 4096 + 4096};
			assert_non_null(scan_find(&large, &function));
		}
	}
	assert_int_equal(scan_byte_count - before, size);
	for (uintptr_t i = 0; i < 100; i++) {
		function = (struct extent){large.text.low + i,
					   large.text.low + i + (256ul << 10)};
		assert_non_null(scan_find(&large, &function));
	}
	assert_int_equal(scan_byte_count - before, size + 100 * (256ul << 10));
	scan_forget();
	munmap(many, size);
}

static unsigned int hook_count, slow_count, edge_count;
static uint32_t last_place;
static uintptr_t last_site;

static void count_hook(void *function, void *call_site)
{
	(void)function;
	(void)call_site;
	hook_count++;
}

static void count_slow(void *function, void *call_site)
{
	(void)function;
	(void)call_site;
	slow_count++;
}

static void leave(void *function, void *call_site, uintptr_t frame_pointer)
{
	(void)function;
	(void)call_site;
	(void)frame_pointer;
}

static void count_edge(void *function, void *call_site, uint32_t place)
{
	(void)function;
	edge_count++;
	last_place = place;
	last_site = (uintptr_t)call_site;
}

typedef void stub(uintptr_t function, uintptr_t call_site);

TEST(test_stubs)
{
	static struct lane_context context;
	static uint64_t counts[40];
	struct lane_context *before = lane_self;
	const struct stub_site here = {.at = (uintptr_t)test_stubs,
				       .object = (uintptr_t)test_stubs};
	uintptr_t function = 0x123456789a;
	struct stub_entry entry = {.function = function, .number = 33, .place = 7};
	const uintptr_t *slot = NULL;
	stub *counted, *nothing;

	counted = (stub *)stubs_find(&here, STUB_COUNTED, &entry, &slot);
	assert_non_null(counted);
	assert_int_equal(*slot, (uintptr_t)counted);
	nothing = (stub *)stubs_find(&here, STUB_NOTHING, &entry, &slot);
	context.counts = counts;
	context.pulse = 1;
	lane_self = &context;
	counted(function, 5);
	nothing(function, 5);
	assert_int_equal(counts[33], 1);
	assert_int_equal(context.pulse, 0);
	counted(function + 16, 5); /* another function's call, from the same place */
	nothing(function + 16, 5);
	assert_int_equal(hook_count, 2);
	counted(function, 5);
	assert_int_equal(slow_count, 1);
	context.counts = NULL; /* a pause */
	context.pulse = 1;
	counted(function, 5);
	assert_int_equal(slow_count, 2);
	assert_int_equal(counts[33], 2);
	lane_self = before;
}

/* The beginning of a unit of code (text.h), whatever that is. */
#define UNIT_AT 0x1c0

static unsigned int called_count;

static struct lane_context other_context;

/* Calls a site until it is told not to. */
static void *call_with_context(void *is_over)
{
	void (*site)(uintptr_t, uintptr_t) = (void (*)(uintptr_t, uintptr_t))text(0x1b0);

	lane_self = &other_context;
	while (!__atomic_load_n((int *)is_over, __ATOMIC_RELAXED)) {
		site(0x10103000, 5);
		called_count++;
	}
	return NULL;
}

/* A call whose displacement has so many bytes before the unit, behind some code that does
 * nothing. It leads to the hook. */
static struct site put_site_in_units(unsigned int lower, uintptr_t hook_at)
{
	unsigned int at = UNIT_AT - lower - 1;
	struct site site;

	memset((void *)text(0x1b0), 0x90, 0x40);
	put(at, "\xe8", 1);
	put_displacement(at + 1, hook_at);
	put(at + 5, "\xc3", 1);
	site = (struct site){.at = text(at), .form = SITE_CALL};
	memcpy(&site.displacement, (void *)text(at + 1), 4);
	site.written = site.displacement;
	assert_true(site_is_in_units(&site));
	return site;
}

/* jmp *slot(%rip) to the hook that counts. Returns where. */
static uintptr_t put_hook(void)
{
	uintptr_t address = (uintptr_t)count_hook;

	memcpy((void *)text(OTHER_SLOT_AT), &address, 8);
	put(PLT_AT, "\xff\x25", 2);
	put_displacement(PLT_AT + 2, text(OTHER_SLOT_AT));
	return text(PLT_AT);
}

/* Of a displacement in two units, however it is divided: while another thread calls there
 * on and on it is led to a stub and back; each call is counted here or there. */
TEST_WITH(test_in_units, begin, end)
{
	static uint64_t counts[40];
	struct stub_entry entry = {.function = 0x10103000, .number = 36, .place = 10};
	uintptr_t hook_at = put_hook();

	other_context.counts = counts;
	other_context.pulse = INT32_MAX;
	__libc_single_threaded = 0;
	for (unsigned int lower = 1; lower < 4; lower++) {
		struct site site = put_site_in_units(lower, hook_at);
		const struct stub_site from = {.at = site.at,
					       .object = text(0),
					       .hook = hook_at,
					       .needs_pads = 1};
		int is_over = 0, is_led = 0;
		const uintptr_t *slot;
		pthread_t thread;
		uintptr_t target = stubs_find(&from, STUB_COUNTED, &entry, &slot);

		assert_true(target);
		called_count = hook_count = 0;
		counts[36] = 0;
		assert_int_equal(
			pthread_create(&thread, NULL, call_with_context, &is_over), 0);
		for (int i = 0; i < 2000; i++) {
			is_led = site_lead(&site, &code, target, slot) == 0;
			if (!is_led)
				break;
			assert_true(site_is_there(&site, &code));
			assert_int_equal(site_restore(&site, &code), 0);
			assert_int_equal(target_of(&site), hook_at);
		}
		__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
		pthread_join(thread, NULL);
		/* not where the system has no such barrier, or a unit is a line */
		if (text_sync() == 0 || lower != 2)
			assert_true(is_led);
		assert_int_equal(hook_count + counts[36], called_count);
	}
	__libc_single_threaded = 1;
}

/* Of 200 call sites, and of two functions with the same: each has its count, however many
 * there are; those of code that is gone are no longer known, and others are. */
TEST(test_edges)
{
	enum { SITES = 200, FIRST = 1000 };
	static struct lane_context context;
	static uint64_t counts[FIRST + 4 * SITES];
	struct lane_context *before = lane_self;
	const struct stub_site here = {.at = (uintptr_t)test_stubs,
				       .object = (uintptr_t)test_stubs};
	uintptr_t low = 0x7ffff7000000;
	struct stub_entry entries[2] = {
		{.function = 0x10101000, .number = 34, .place = 8, .has_edges = 1},
		{.function = 0x10102000, .number = 35, .place = 9, .has_edges = 1}};
	const uintptr_t *slot = NULL;
	stub *stubs[2];

	for (unsigned int i = 0; i < 2; i++)
		stubs[i] = (stub *)stubs_find(&here, STUB_COUNTED, &entries[i], &slot);
	assert_int_equal(*slot, (uintptr_t)stubs[1]);
	context.counts = counts;
	context.pulse = 100000;
	lane_self = &context;
	edge_count = 0;
	for (unsigned int i = 0; i < 2 * SITES; i++) {
		stubs[i % 2](entries[i % 2].function, low + i / 2 * 8);
		assert_int_equal(edge_count, i + 1);
		assert_int_equal(last_place, entries[i % 2].place);
		assert_int_equal(last_site, low + i / 2 * 8);
		stubs_tell(last_place, last_site, FIRST + i);
	}
	for (unsigned int i = 0; i < 2 * SITES * 3; i++)
		stubs[i % 2](entries[i % 2].function, low + i / 2 % SITES * 8);
	assert_int_equal(edge_count, 2 * SITES);
	for (unsigned int i = 0; i < 2 * SITES; i++)
		assert_int_equal(counts[FIRST + i], 3);
	assert_int_equal(context.pulse, 100000 - 2 * SITES * 3);
	/* all but the first and the last are forgotten, whoever has them */
	stubs_forget(low + 8, low + (SITES - 1) * 8);
	for (unsigned int i = 0; i < 2 * SITES; i++)
		stubs[i % 2](entries[i % 2].function, low + i / 2 * 8);
	assert_int_equal(edge_count, 2 * SITES + 2 * (SITES - 2));
	stubs_tell(8, low + 8, FIRST + 2 * SITES);
	stubs[0](entries[0].function, low + 8);
	assert_int_equal(counts[FIRST + 2 * SITES], 1);
	stubs_forget(low, low + SITES * 8);
	context.pulse = 0;
	stubs_tell(9, low, FIRST);
	slow_count = 0;
	stubs[1](entries[1].function, low);
	assert_int_equal(slow_count, 1);
	assert_int_equal(counts[FIRST], 5);
	lane_self = before;
}

/* So many that the table grows as far as it can, and then some. */
TEST(test_numbers)
{
	uint32_t found = 0;

	assert_int_equal(numbers_find(&edge_numbers, edge_key(3, 0x7fffffffffff)), 0);
	for (uint32_t i = 1; i <= 250000; i++)
		numbers_put(&edge_numbers,
			    edge_key(i % STUB_EDGE_PLACES, 0x400000 + i * 5ul), i);
	for (uint32_t i = 1; i <= 250000; i++)
		found += numbers_find(&edge_numbers, edge_key(i % STUB_EDGE_PLACES,
							      0x400000 + i * 5ul)) == i;
	assert_int_equal(found, 250000);
	assert_int_equal(numbers_find(&edge_numbers, edge_key(2, 0x400000 + 5)), 0);
	numbers_put(&edge_numbers, edge_key(1, 0x400000 + 5), 77);
	assert_int_equal(numbers_find(&edge_numbers, edge_key(1, 0x400000 + 5)), 77);
	numbers_forget(edge_numbers, 0x400000 + 10, UINTPTR_MAX);
	assert_int_equal(numbers_find(&edge_numbers, edge_key(2, 0x400000 + 10)), 0);
	assert_int_equal(numbers_find(&edge_numbers, edge_key(1, 0x400000 + 5)), 77);
	numbers_forget(edge_numbers, 0, UINTPTR_MAX);
}

TEST(test_known)
{
	assert_false(known_has(0x1000));
	for (int round = 0; round < 5; round++) {
		for (uintptr_t i = 1; i <= 60000; i++)
			known_add(i * 4096, 1);
		assert_true(known_has(4096) && known_has(60000 * 4096ul));
		assert_false(known_has(60001 * 4096ul));
		known_forget(0, 60001 * 4096ul);
		assert_false(known_has(4096));
	}
	/* past its room it does not ask to be told of each again */
	for (uintptr_t i = 1; i <= 1100000; i++)
		known_add(i * 4096, 1);
	assert_true(known_has(1200000 * 4096ul));
	known_forget(0, UINTPTR_MAX);
}

/* Which exits are those of the innermost frame: of a function that calls itself, most are
 * those of calls without a frame. */
TEST(test_whose_exit)
{
	struct lane_context *context = lane_self;
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
	uint64_t beside[4] = {0, 0, 0, 0x2000}; /* a frame's saved %rbp, return address */
	uint64_t deeper[6] = {0, 0, 0x2000, 0, 0, 0};
	struct counted_place place = {0x1000, 0x2000, stack, 0x2000, 0};

	context = context_settle(stack);
	frame_push(context, 0x1000, 0x2000, stack, NULL, 0);
	/* it was jumped to: the stack is where the caller was when its frame began */
	assert_false(counted_close_frame(context, &place, clock_now()));
	place.stack = stack - 512; /* a deeper call's */
	place.return_address = 0x3000;
	assert_false(counted_close_frame(context, &place, clock_now()));
	place.frame_pointer = stack - 16;
	assert_false(counted_close_frame(context, &place, clock_now()));
	place.stack = stack; /* from another site, as of a body that is inlined */
	place.call_site = 0x2001;
	assert_true(counted_close_frame(context, &place, clock_now()));
	/* it calls itself: the deeper one's return address is between the two */
	place.call_site = 0x2000;
	place.frame_pointer = 0;
	frame_push(context, 0x1000, 0x2000, (uintptr_t)&deeper[6], NULL, 0);
	place.stack = (uintptr_t)deeper;
	assert_false(counted_close_frame(context, &place, clock_now()));
	/* what is between are arguments that it pushed */
	place.stack = (uintptr_t)&deeper[3];
	assert_int_equal(counted_close_frame(context, &place, clock_now()),
			 context->stack_low != 0);
	/* the stack pointer was moved */
	stack = (uintptr_t)beside;
	frame_push(context, 0x1000, 0x2000, stack, NULL, 0);
	place.stack = stack - 512;
	place.frame_pointer = 0;
	assert_false(counted_close_frame(context, &place, clock_now()));
	place.frame_pointer = (uintptr_t)&beside[2];
	assert_int_equal(counted_close_frame(context, &place, clock_now()),
			 context->stack_low != 0);
}

/* Is the page of this address writable? */
static int is_open(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long low, high;
	char line[512], access[8];
	int found = -1;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s", &low, &high, access) == 3 &&
		    address >= low && address < high)
			found = access[1] == 'w';
	}
	fclose(maps);
	return found;
}

#define LIBRARY 0x5000000ul

static const struct segment_mode *mode_of(uint32_t number)
{
	const struct segment_mode *modes =
		arrays_entries(process->segment, &process->segment->modes);

	return &modes[number];
}

TEST(test_modes)
{
	uint32_t one, two;

	one = modes_set(LIBRARY + 64, SEGMENT_RECORDING_COUNTED, SEGMENT_REASON_BUDGET);
	two = modes_set(LIBRARY + 128, SEGMENT_RECORDING_COUNTED, SEGMENT_REASON_BUDGET);
	assert_true(one && two && one != two);
	assert_int_equal(modes_find(LIBRARY + 64), one);
	assert_int_equal(modes_recording(two), SEGMENT_RECORDING_COUNTED);
	assert_int_equal(modes_find(LIBRARY + 65), 0);
	modes_set(LIBRARY + 64, SEGMENT_RECORDING_EXACT, SEGMENT_REASON_BUDGET);
	assert_int_equal(mode_of(one)->recording, SEGMENT_RECORDING_EXACT);
	assert_int_equal(mode_of(one)->least, SEGMENT_RECORDING_COUNTED);
	/* its object goes, another comes to the place, and it is back */
	modes_retire(LIBRARY, LIBRARY + 4096, 3);
	assert_int_equal(modes_find(LIBRARY + 128), 0);
	assert_int_equal(mode_of(two)->key >> SEGMENT_KEY_MODULE_SHIFT, 3);
	assert_true(modes_set(LIBRARY + 128, SEGMENT_RECORDING_COUNTED,
			      SEGMENT_REASON_BUDGET) > two);
	modes_retire(LIBRARY, LIBRARY + 4096, 4);
	modes_bring_back(3);
	assert_int_equal(modes_find(LIBRARY + 128), two);
	assert_int_equal(modes_recording(two), SEGMENT_RECORDING_EXACT);
	/* while something is unmapped nothing is switched */
	modes_begin_unloading();
	assert_int_equal(
		modes_set(LIBRARY + 64, SEGMENT_RECORDING_COUNTED, SEGMENT_REASON_BUDGET),
		0);
	modes_end_unloading();
	assert_int_equal(
		modes_set(LIBRARY + 64, SEGMENT_RECORDING_COUNTED, SEGMENT_REASON_BUDGET),
		one);
}

#define RECURSIVE ((void *)0x6000040)

/* Calls itself from one place; the outermost call is switched when it has begun. */
static __attribute__((noinline)) void recur(int depth, int outermost)
{
	void *volatile return_address = (void *)0x7000, *site = return_address;

	calls_enter(RECURSIVE, site);
	if (depth == outermost)
		modes_set((uint64_t)RECURSIVE, SEGMENT_RECORDING_COUNTED,
			  SEGMENT_REASON_BUDGET);
	if (depth)
		recur(depth - 1, outermost);
	assert_int_equal(lane_self->lane->frames.count, 1);
	calls_exit(RECURSIVE, site);
	assert_int_equal(lane_self->lane->frames.count, depth != outermost);
}

/* Where no code can be written, exits of calls without a frame come to the hook. */
TEST(test_early_recursion)
{
	uint32_t number;
	const uint64_t *counts;

	text_is_closed = 1;
	clock_comes_first = 0;
	recur(3, 3);
	number = modes_find((uint64_t)RECURSIVE);
	counts = arrays_entries(lane_self->lane, &lane_self->lane->counts);
	assert_int_equal(modes_counted(number, counts), 3);
	modes_set((uint64_t)RECURSIVE, SEGMENT_RECORDING_EXACT, SEGMENT_REASON_BUDGET);
	text_is_closed = 0;
	clock_comes_first = clock_is_tsc != 0;
}

/* So many functions, and copies of one in so many others; hook sites are not written. */
TEST(test_many_functions)
{
	const uint64_t first = 0x40000000;
	uint32_t count = 0, had = modes_count;

	for (uint64_t i = 0; i < 250000; i++)
		count += modes_set(first + i * 64, SEGMENT_RECORDING_COUNTED,
				   SEGMENT_REASON_BUDGET) == had + i;
	assert_int_equal(count, 250000);
	for (uint64_t i = 0; i < 250000; i += 17) {
		assert_int_equal(modes_find(first + i * 64), had + i);
		assert_int_equal(modes_find(first + i * 64 + 1), 0);
	}
	assert_int_equal(mode_of(had + 249999)->key, first + 249999 * 64);
	assert_true(modes_are_in(first + 64, first + 65));
	assert_false(modes_are_in(first + 65, first + 66));
	assert_false(modes_are_in(first - (8 << 20), first - (4 << 20)));
	assert_false(modes_has_copies_in(first));
	modes_retire(first, first + 250000 * 64, 5);
	assert_int_equal(modes_find(first), 0);
	modes_bring_back(5);
	assert_int_equal(modes_find(first + 64), had + 1);
	assert_int_equal(
		modes_set(first - 64, SEGMENT_RECORDING_COUNTED, SEGMENT_REASON_BUDGET),
		had + 250000);
}

/* The program has made its code writable, by an instruction of its own. */
TEST_WITH(test_written_by_program, begin, end)
{
	struct site site;
	uintptr_t after = put_site(SITE_AT, SITE_CALL, hook());

	code.protection = PROT_READ | PROT_EXEC;
	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	assert_int_equal(site_lead(&site, &code, text(0x20), NULL), 0);
	assert_int_equal(site_cut(&site, &code), 0);
	assert_int_equal(is_open(text(0)), 1);
	mprotect((void *)text(0), 4096, PROT_READ | PROT_EXEC);
	assert_int_equal(site_restore(&site, &code), 0);
	assert_int_equal(is_open(text(0)), 0);
	mprotect((void *)text(0), 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	assert_int_equal(target_of(&site), hook());
}

/* It has other code there by now: between a look at it and the write. */
TEST_WITH(test_code_of_program_stays, begin, end)
{
	static const char others[] = "\xb8\x2a\x00\x00\x00";
	static const unsigned int places[] = {SITE_AT, SPLIT_AT};

	for (unsigned int i = 0; i < 2; i++) {
		struct site site;
		uintptr_t after = put_site(places[i], SITE_CALL, hook());

		assert_int_equal(site_before(&code, after, hook(), &site), 0);
		put(places[i], others, 5);
		assert_int_equal(site_lead(&site, &code, text(0x20), NULL), -ESTALE);
		assert_int_equal(site_cut(&site, &code), -ESTALE);
		assert_memory_equal((void *)text(places[i]), others, 5);
	}
}

/* A child that is forked while its parent writes has the page open, and closes it. */
TEST_WITH(test_forked, begin, end)
{
	static const uint8_t byte = 0x90;
	const struct text_change change = {text(0x10), &byte, &byte, 1,
					   PROT_READ | PROT_EXEC};
	int status = 0;
	pid_t child;

	mprotect((void *)text(0), 4096, PROT_READ | PROT_EXEC);
	assert_int_equal(text_begin(), 0);
	assert_int_equal(text_write(&change), 0);
	assert_int_equal(is_open(text(0)), 1);
	child = fork();
	if (child == 0)
		_exit(!(is_open(text(0)) == 1 && text_forked() && !is_open(text(0)) &&
			!text_forked()));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	text_end();
	assert_int_equal(is_open(text(0)), 0);
}

TEST_WITH(test_left_alone, begin, end)
{
	struct site site;
	uintptr_t after = put_site(SITE_AT, SITE_CALL, hook());

	assert_int_equal(site_before(&code, after, hook(), &site), 0);
	text_leave(text(0), text(4096));
	assert_true(text_is_left(text(SITE_AT), text(SITE_AT + 1)));
	assert_false(text_is_left(text(SITE_AT), text(4097)));
	assert_int_equal(site_lead(&site, &code, text(0x20), NULL), -EACCES);
	assert_int_equal(target_of(&site), hook());
}

static int begin_run(void **state)
{
	(void)state;
	/* stubs are made when their cost is measured */
	stub_targets = (struct stub_targets){(uintptr_t)count_hook,
					     (uintptr_t)count_hook,
					     count_slow,
					     count_slow,
					     leave,
					     count_edge};
	fixture_begin(1000);
	return 0;
}

static int end_run(void **state)
{
	(void)state;
	fixture_end();
	return 0;
}

TEST_GROUP(begin_run, end_run)

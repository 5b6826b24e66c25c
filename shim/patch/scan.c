/* SPDX-License-Identifier: MIT */
/*
 * We do not disassemble: we look for patterns at each byte, whether an instruction begins
 * there or not. Sites are rewritten later, but to jump to hooks and stubs, which does not
 * matter here. Runs on: as scan.h says.
 */
#include "shim/patch/scan.h"

#include "shim/core/process.h"

#define REGISTERS 16u
#define SMALL_BYTES 1024u	 /* looked at each time, in 6 us */
#define MOST_BYTES (256ul << 10) /* 1.5 ms */
#define POOL_BYTES (4ul << 20)	 /* for 30 MB of code */
#define BUCKETS 1024u
#define PAGE_BYTES 4096u
#define WORD_BITS 64u
#define SEVERAL UINT32_MAX

struct scan {
	struct extent function;
	uintptr_t text;
	struct scan *next;
	uint32_t given[REGISTERS]; /* an address less that of the text, plus 1; 0: none */
	uint64_t jumped_to[];	   /* a bit for each byte */
};

static uint8_t *pool;
static uint64_t pool_used, pool_most;
static struct scan *buckets[BUCKETS];
uint64_t scan_byte_count;

static int32_t number_at(const uint8_t *bytes)
{
	int32_t number;

	__builtin_memcpy(&number, bytes, sizeof(number));
	return number;
}

static void clear(struct scan *scan, uint64_t size)
{
	uint64_t *words = (uint64_t *)scan;

	for (uint64_t i = 0; i < size / sizeof(*words); i++)
		words[i] = 0;
}

static uint64_t scan_bytes(uint64_t function_bytes)
{
	return sizeof(struct scan) + (function_bytes / WORD_BITS + 1) *
					     sizeof(((struct scan *)0)->jumped_to[0]);
}

static void note_jump(struct scan *scan, const uint8_t *bytes, uint64_t room)
{
	uintptr_t to = (uintptr_t)bytes;
	uint64_t offset;

	if (bytes[0] == 0x0f && room >= 6 && (bytes[1] & 0xf0) == 0x80)
		to += 6 + (uintptr_t)(intptr_t)number_at(bytes + 2);
	else if (bytes[0] == 0xe9 && room >= 5)
		to += 5 + (uintptr_t)(intptr_t)number_at(bytes + 1);
	else if ((bytes[0] == 0xeb || (bytes[0] & 0xf0) == 0x70) && room >= 2)
		to += 2 + (uintptr_t)(intptr_t)(int8_t)bytes[1];
	else
		return;
	offset = to - scan->function.low;
	if (to >= scan->function.low && to < scan->function.high)
		scan->jumped_to[offset / WORD_BITS] |= 1ull << offset % WORD_BITS;
}

static void give(struct scan *scan, const struct code *code, unsigned int number,
		 uintptr_t address)
{
	uintptr_t offset = address - code->text.low;
	uint32_t given = offset < SEVERAL - 1 ? (uint32_t)offset + 1 : SEVERAL;

	if (address < code->text.low || address >= code->text.high)
		return;
	if (scan->given[number] && scan->given[number] != given)
		given = SEVERAL;
	scan->given[number] = given;
}

/* Notes a register that is given an address from the code or the object's tables. */
static void note_address(struct scan *scan, const struct code *code, const uint8_t *bytes)
{
	unsigned int number;
	uintptr_t address;

	if ((bytes[0] & 0xf8) == 0xb8) {
		/* mov $address, %r, with 32 bits, of a program that does not move */
		number = bytes[0] & 7;
		give(scan, code, number, (uint32_t)number_at(bytes + 1));
		if (bytes[-1] == 0x41)
			give(scan, code, number + 8, (uint32_t)number_at(bytes + 1));
	} else if ((bytes[0] & 0xfe) == 0x48 && bytes[1] == 0xc7 &&
		   (bytes[2] & 0xf8) == 0xc0) {
		number = bytes[2] & 7;
		address = (uintptr_t)(intptr_t)number_at(bytes + 3);
		give(scan, code, number, address);
		give(scan, code, number + 8, address);
	} else if ((bytes[0] & 0xfb) == 0x48 && (bytes[2] & 0xc7) == 0x05) {
		number = (bytes[2] >> 3 & 7) | (bytes[0] & 4) << 1;
		address =
			(uintptr_t)bytes + 7 + (uintptr_t)(intptr_t)number_at(bytes + 3);
		if (bytes[1] == 0x8d) /* lea address(%rip), %r */
			give(scan, code, number, address);
		else if (bytes[1] == 0x8b && address % sizeof(uintptr_t) == 0 &&
			 code_is_mapped(code, address, sizeof(uintptr_t)))
			/* mov slot(%rip), %r */
			give(scan, code, number, *(const uintptr_t *)address);
	}
}

static void look(struct scan *scan, const struct code *code)
{
	const uint8_t *bytes = (const uint8_t *)scan->function.low;
	uint64_t size = scan->function.high - scan->function.low;

	for (uint64_t i = 0; i < size; i++) {
		note_jump(scan, bytes + i, size - i);
		if (i && i + 7 <= size)
			note_address(scan, code, bytes + i);
	}
	scan_byte_count += size;
}

static struct scan **bucket_of(uintptr_t function)
{
	return &buckets[(uint64_t)function * 0x9e3779b97f4a7c15ull >> 32 & (BUCKETS - 1)];
}

/* Zeroed room for a scan. When none is left, drops all scans and starts over. */
static struct scan *take_room(uint64_t size)
{
	struct scan *scan;

	if (!pool)
		pool = process_map(POOL_BYTES, 0);
	if (!pool)
		return NULL;
	if (pool_used + size > POOL_BYTES)
		scan_forget();
	scan = (struct scan *)(pool + pool_used);
	pool_used += size;
	if (pool_used > pool_most) {
		process_count(SEGMENT_COUNTER_TOOL_BYTES,
			      (pool_used + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES -
				      (pool_most + PAGE_BYTES - 1) / PAGE_BYTES *
					      PAGE_BYTES);
		pool_most = pool_used;
	}
	clear(scan, size);
	return scan;
}

static const struct scan *look_at_small(const struct code *code,
					const struct extent *function)
{
	static union {
		struct scan scan;
		uint8_t bytes[sizeof(struct scan) + SMALL_BYTES / 8 + 8];
	} room;

	clear(&room.scan, sizeof(room));
	room.scan.function = *function;
	room.scan.text = code->text.low;
	look(&room.scan, code);
	return &room.scan;
}

const struct scan *scan_find(const struct code *code, const struct extent *function)
{
	uint64_t size = function->high - function->low;
	struct scan *scan, **bucket = bucket_of(function->low);

	if (size <= SMALL_BYTES)
		return look_at_small(code, function);
	if (size > MOST_BYTES)
		return NULL;
	for (scan = *bucket; scan; scan = scan->next) {
		if (scan->function.low == function->low &&
		    scan->function.high == function->high)
			return scan;
	}
	scan = take_room(scan_bytes(size));
	if (!scan)
		return NULL;
	scan->function = *function;
	scan->text = code->text.low;
	look(scan, code);
	/* a child that is forked meanwhile finds the whole scan or none */
	bucket = bucket_of(function->low);
	scan->next = *bucket;
	__atomic_store_n(bucket, scan, __ATOMIC_RELEASE);
	return scan;
}

/* May something in the function jump into (low, high]? Both lie in its code. */
static int scan_is_jumped_to(const struct scan *scan, uintptr_t low, uintptr_t high)
{
	for (uintptr_t at = low + 1; at <= high; at++) {
		uint64_t offset = at - scan->function.low;

		if (scan->jumped_to[offset / WORD_BITS] >> offset % WORD_BITS & 1)
			return 1;
	}
	return 0;
}

/* Does the register get this function's address, and never that of other code? An address
 * that is spilled and reloaded is missed, but compilers recompute addresses instead. */
static int scan_has_only(const struct scan *scan, unsigned int number, uintptr_t function)
{
	return scan->given[number] && scan->given[number] != SEVERAL &&
	       scan->text + scan->given[number] - 1 == function;
}

void scan_forget(void)
{
	for (uint32_t i = 0; i < BUCKETS; i++)
		buckets[i] = NULL;
	pool_used = 0;
}

/*
 * Looks at the bytes before a site. We do not disassemble: what may be an obstacle counts
 * as one.
 */

/* Bytes between where %rdi is set and the call: moves of results, spills. */
#define BETWEEN_MOST 16u
#define COPY_BYTES 3u /* of a register */
#define RDI 7u

static const uint8_t *bytes_at(uintptr_t address)
{
	return (const uint8_t *)address;
}

/* The register that the instruction before `at` copies to %rdi, or -1. */
static int register_before(uintptr_t at)
{
	const uint8_t *bytes = bytes_at(at);

	if ((bytes[-3] & 0xfb) != 0x48 || bytes[-2] != 0x89 || (bytes[-1] & 0xc7) != 0xc7)
		return -1;
	return (bytes[-1] >> 3 & 7) | (bytes[-3] & 4) << 1;
}

/* If an instruction that ends at `at` sets this register to the function: its length;
 * else 0. */
static unsigned int register_set_before(uintptr_t at, unsigned int number,
					uintptr_t function)
{
	const uint8_t *bytes = bytes_at(at);
	int is_high = number >= 8;

	/* lea function(%rip), %r */
	if (bytes[-7] == (is_high ? 0x4c : 0x48) && bytes[-6] == 0x8d &&
	    bytes[-5] == (0x05 | (number & 7) << 3) &&
	    at + (intptr_t)number_at(bytes - 4) == function)
		return 7;
	/* mov $function, %r, of 32 bits */
	if (bytes[-5] != (0xb8 | (number & 7)) || (bytes[-6] == 0x41) != is_high ||
	    (uint32_t)number_at(bytes - 4) != function)
		return 0;
	return is_high ? 6 : 5;
}

/* How many bytes before `at` the code begins that sets %rdi to the function, directly or
 * by way of another register, with nothing else before `at`. 0: there is none. */
static unsigned int set_before(uintptr_t at, uintptr_t function)
{
	const uint8_t *bytes = bytes_at(at);
	int from = register_before(at);
	unsigned int set = 0;

	/* mov $function, %rdi */
	if (bytes[-7] == 0x48 && bytes[-6] == 0xc7 && bytes[-5] == 0xc7 &&
	    (uintptr_t)(intptr_t)number_at(bytes - 4) == function)
		return 7;
	if (from >= 0)
		set = register_set_before(at - COPY_BYTES, (unsigned int)from, function);
	return set ? COPY_BYTES + set : register_set_before(at, RDI, function);
}

/* If an instruction that ends at `at` loads %rsi from the stack or a register, in the
 * form `choice`: its length; else 0. %rdi must then be set right before it. */
static unsigned int load_before(uintptr_t at, unsigned int choice)
{
	const uint8_t *bytes = bytes_at(at);

	switch (choice) {
	case 0: /* mov n(%rsp), %rsi */
		return bytes[-5] == 0x48 && bytes[-4] == 0x8b && bytes[-3] == 0x74 &&
				       bytes[-2] == 0x24
			       ? 5
			       : 0;
	case 1: /* mov n(%rbp), %rsi */
		return bytes[-4] == 0x48 && bytes[-3] == 0x8b && bytes[-2] == 0x75 ? 4
										   : 0;
	case 2: /* mov %r, %rsi */
		return (bytes[-3] & 0xfb) == 0x48 && bytes[-2] == 0x89 &&
				       (bytes[-1] & 0xc7) == 0xc6
			       ? 3
			       : 0;
	default: /* mov n(%rsp), %rsi, farther */
		return bytes[-8] == 0x48 && bytes[-7] == 0x8b && bytes[-6] == 0xb4 &&
				       bytes[-5] == 0x24
			       ? 8
			       : 0;
	}
}

/* May an instruction in [low, high) set %rdi, or jump or call? */
static int is_disturbed(uintptr_t low, uintptr_t high)
{
	for (uintptr_t at = low; at < high; at++) {
		uint8_t byte = *bytes_at(at), next = at + 1 < high ? bytes_at(at)[1] : 0;

		if (byte == 0xe8 || byte == 0xe9 || byte == 0xeb || byte == 0xff ||
		    byte == 0xbf || byte == 0x5f || (byte >= 0xa4 && byte <= 0xab))
			return 1;
		/* moves to or from %rdi; arithmetic has the same bits */
		if (((byte & 1) && (next & 0xc7) == 0xc7) ||
		    ((byte & 2) && (next & 0x38) == 0x38))
			return 1;
	}
	return 0;
}

/* How far before the site the last instruction that sets %rdi begins, if it sets it to
 * the function; or 0. */
static unsigned int set_somewhere(const struct site *site, const struct scan *scan,
				  uintptr_t low, uintptr_t function)
{
	for (unsigned int gap = 0; gap <= BETWEEN_MOST; gap++) {
		uintptr_t at = site->at - gap;
		int number;

		if (at < low + 8 || is_disturbed(at, site->at))
			return 0;
		if (set_before(at, function))
			return gap + set_before(at, function);
		number = register_before(at);
		if (number >= 0)
			return scan_has_only(scan, (unsigned int)number, function)
				       ? gap + COPY_BYTES
				       : 0;
	}
	return 0;
}

static unsigned int set_right_before(const struct site *site, uintptr_t function)
{
	unsigned int set = set_before(site->at, function);

	for (unsigned int choice = 0; !set && choice < 4; choice++) {
		unsigned int load = load_before(site->at, choice);

		if (load && set_before(site->at - load, function))
			set = load + set_before(site->at - load, function);
	}
	return set;
}

int alone_is_set(const struct site *site, uintptr_t function)
{
	return set_right_before(site, function) != 0;
}

int alone_is_site(const struct site *site, const struct code *code, uintptr_t function)
{
	const struct scan *scan;
	struct extent extent;
	unsigned int set;

	if (code_function(code, site->at, &extent) < 0 || extent.low < code->text.low ||
	    extent.high > code->text.high || site->at < extent.low + 16 ||
	    site->at < code->text.low + ALONE_BYTES)
		return 0;
	/* the exits of what is inlined come before a function's own, and are calls */
	if (site->is_exit && (site->form == SITE_JUMP || site->form == SITE_JUMP_SLOT) &&
	    extent.low == function)
		return 1;
	set = set_right_before(site, function);
	if (!set && !site->is_exit)
		return 0;
	scan = scan_find(code, &extent);
	if (scan && !set)
		set = set_somewhere(site, scan, extent.low, function);
	return scan && set && !scan_is_jumped_to(scan, site->at - set, site->at);
}

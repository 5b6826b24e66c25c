/* SPDX-License-Identifier: MIT */
/* Functions that are called rarely, by functions that are called so often that they are
 * only counted by then, stand where they were called from: by each way as often as they
 * were, also through libc, in threads, and where a function has two ways. Recorded exactly
 * the tree is the same, so it does not matter when the recorder begins to count. */
// variants: all
// flags: -pthread
// settings: PROFSHIM_OVERHEAD=10
// tolerate: sampled_functions stopped_functions
// expect-sql: WITH RECURSIVE chain(path_id, names, calls, name) AS (SELECT path_id, name,
//     calls, name FROM call_paths WHERE parent_path_id IS NULL UNION ALL SELECT c.path_id,
//     names || '>' || c.name, c.calls, c.name FROM call_paths c JOIN chain ON
//     c.parent_path_id = chain.path_id) SELECT names, calls FROM chain WHERE name IN
//     ('make_room', 'complain') AND calls > 0 ORDER BY names =>
//     main>flush_all>make_room|6; main>order>compare>complain|3;
//     main>serve_request>put_entry>make_room|12; work>serve_request>put_entry>make_room|40
// expect-sql: SELECT COUNT(*) FROM call_paths c JOIN call_paths p ON p.path_id =
//     c.parent_path_id WHERE c.total_ns > p.total_ns => 0
// expect-trust: damaged_segments => 0
#include <pthread.h>
#include <stdlib.h>

#define ALONE __attribute__((noinline))
#define REQUESTS 2000000u
#define WORDS 512

static volatile unsigned int sink;
static unsigned int table[4096];
static int words[WORDS];
static volatile int complaints;

ALONE static unsigned int hash(unsigned int key)
{
	return key * 2654435761u >> 20;
}

ALONE static void make_room(void)
{
	for (unsigned int i = 0; i < 20000; i++)
		sink += i * i;
}

ALONE static void put_entry(unsigned int key, int is_full)
{
	table[hash(key)] = key;
	if (is_full)
		make_room();
	sink++;
}

ALONE static void serve_request(unsigned int key, int is_full)
{
	sink += table[hash(key)];
	put_entry(key, is_full);
	sink++;
}

ALONE static void flush_all(int is_full)
{
	sink += 2;
	if (is_full)
		make_room();
	sink++;
}

ALONE static void complain(void)
{
	sink += 3;
}

ALONE static int compare(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	if (complaints > 0) {
		complaints--;
		complain();
	}
	return (left > right) - (left < right);
}

ALONE static void order(void)
{
	for (int i = 0; i < WORDS; i++)
		words[i] = i * 7919 % WORDS;
	qsort(words, WORDS, sizeof(words[0]), compare);
	sink++;
}

ALONE static void *work(void *data)
{
	for (unsigned int i = 0; i < REQUESTS; i++)
		serve_request(i, i >= REQUESTS / 2 && i % (REQUESTS / 80) == 0);
	return data;
}

int main(void)
{
	pthread_t thread;

	for (unsigned int i = 0; i < REQUESTS; i++) {
		unsigned int late = i - REQUESTS / 2;

		serve_request(i, i >= REQUESTS / 2 && late % (REQUESTS / 24) == 7);
		flush_all(i >= REQUESTS / 2 && late % (REQUESTS / 12) == 9);
	}
	if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
		return 1;
	for (int i = 0; i < 500; i++) {
		if (i == 400)
			complaints = 3;
		order();
	}
	return 0;
}

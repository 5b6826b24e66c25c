/* SPDX-License-Identifier: MIT */
/* Blocks that live across the borders of a program: made before main and freed after it,
 * made and freed by constructors, thread_local objects, destructors of keys, functions of
 * atexit, and by a thread that goes on after main has left with pthread_exit, and calls
 * exit: the handlers and destructors run below it. clang has no exit hooks for main then. */
// variants: all
// flags: -pthread
// expect-below: before_everything alloc_bytes => 100
// expect-below: before_everything live_bytes => 0
// expect-below: constructed alloc_bytes => 200
// expect-below: constructed live_bytes => 0
// expect-below: Local::Local alloc_bytes => 3000
// expect-below: Local::Local live_bytes => 0
// expect-below: Local::~Local alloc_bytes => 7000
// expect-below: Local::~Local live_bytes => 0
// expect-below: key_destroyed alloc_bytes => 1500
// expect-below: key_destroyed live_bytes => 0
// expect-below: at_exit alloc_bytes => 400
// expect-below: at_exit live_bytes => 0
// expect-below: destructed alloc_bytes => 500
// expect-below: destructed live_bytes => 500
// expect-below: last_thread alloc_bytes => 1500
// expect-below: last_thread live_bytes => 1100
// expect-sql: SELECT calls FROM functions WHERE name = 'Local::~Local' => 10
// exit: 7
// tolerate[clang]: repaired_frames
// expect-sql: SELECT COUNT(*) FROM threads => 12
// expect-sql: SELECT live_bytes_at_exit - (SELECT TOTAL(live_bytes) FROM call_paths)
//     FROM runs => 0
#include "truth.h"
#include <atomic>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <unistd.h>

static void *early, *built, *kept;
static pthread_key_t key;
static pthread_t first;

ALONE static void before_everything(int, char **, char **)
{
	early = std::malloc(opaque(100));
	keep(early);
}

__attribute__((section(".preinit_array"),
	       used)) static void (*preinit)(int, char **, char **) = before_everything;

__attribute__((constructor)) ALONE static void constructed()
{
	built = std::malloc(opaque(200));
	keep(built);
}

__attribute__((destructor)) ALONE static void destructed()
{
	std::free(early);
	std::free(built);
	kept = std::malloc(opaque(500));
	keep(kept);
}

/* Runs when the thread's own objects are gone. */
ALONE static void key_destroyed(void *value)
{
	void *block = std::malloc(opaque(150));

	keep(block);
	std::free(block);
	std::free(value);
}

ALONE static void *last_thread(void *)
{
	void *block;

	pthread_join(first, nullptr);
	block = std::malloc(opaque(600));
	keep(block);
	std::exit(7);
}

struct Local {
	ALONE Local() : block(std::malloc(opaque(300)))
	{
		keep(block);
	}
	ALONE ~Local()
	{
		void *last = std::malloc(opaque(700));

		keep(last);
		std::free(last);
		std::free(block);
	}
	void *block;
};

static thread_local Local local;

ALONE static void touch()
{
	keep(local.block);
	pthread_setspecific(key, std::malloc(opaque(10)));
}

ALONE static void at_exit()
{
	void *block = std::malloc(opaque(400));

	keep(block);
	std::free(block);
}

int main()
{
	pthread_t thread;

	std::atexit(at_exit);
	pthread_key_create(&key, key_destroyed);
	for (int i = 0; i < 10; i++)
		std::thread(touch).join();
	first = pthread_self();
	if (pthread_create(&thread, nullptr, last_thread, nullptr))
		return 1;
	pthread_exit(nullptr);
}

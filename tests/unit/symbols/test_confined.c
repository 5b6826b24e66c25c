/* SPDX-License-Identifier: MIT */
/* What this is: what a confined child can still do, and what becomes of one that does too
 * much. */
#include "collector/symbols/confined.h"
#include "tests/unit/tests.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

static const char *const deeds[] = {
	"write a file",	    "make a file", "cut a file",   "write to a descriptor",
	"reach the parent", "fork",	   "run programs", "make a socket",
	"make code",	    "make a link", "read a file",  "take memory"};

enum { DEED_COUNT = sizeof(deeds) / sizeof(deeds[0]), HARMLESS = DEED_COUNT - 2 };

/* Which of the deeds were possible. */
static void try_all(void *ret, const void *context)
{
	const char *path = context;
	bool *done = ret;
	char byte;
	int fd = open(path, O_RDONLY);

	done[0] = open(path, O_WRONLY) >= 0;
	done[1] = open("/tmp/profshim-confined", O_RDONLY | O_CREAT, 0600) >= 0;
	done[2] = open(path, O_RDONLY | O_TRUNC) >= 0;
	done[3] = write(STDIN_FILENO, "x", 1) == 1 && !IS_SANITIZED; /* they write */
	done[4] = kill(getppid(), 0) == 0;
	done[5] = fork() >= 0;
	done[6] = execl("/bin/true", "true", NULL) == 0;
	done[7] = socket(AF_INET, SOCK_STREAM, 0) >= 0;
	done[8] = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0) != MAP_FAILED;
	done[9] = symlink(path, "/tmp/profshim-confined") == 0;
	done[10] = fd >= 0 && read(fd, &byte, 1) == 1;
	done[11] = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

TEST(test_rights)
{
	bool done[DEED_COUNT] = {false};

	assert_true(
		confined_run(try_all, SOURCE_DIR "/test_confined.c", done, sizeof(done)));
	for (size_t i = 0; i < DEED_COUNT; i++)
		if (done[i] != (i >= HARMLESS))
			fail_msg("%s: %s", deeds[i], done[i] ? "yes" : "no");
}

static void take_memory(void *ret, const void *context)
{
	volatile char *memory = malloc((size_t)2 << 30);

	(void)context;
	/* nobody touches it, and a compiler may do without */
	__asm__ volatile("" : "+r"(memory));
	*(bool *)ret = memory != NULL;
}

TEST(test_memory)
{
	bool has_got = true;

	if (IS_SANITIZED)
		skip(); /* no limit can be set */
	assert_true(confined_run(take_memory, NULL, &has_got, sizeof(has_got)));
	assert_false(has_got);
}

static void die(void *ret, const void *context)
{
	(void)context;
	*(int *)ret = 2;
	__builtin_trap();
}

TEST(test_death)
{
	int result = 1;

	assert_false(confined_run(die, NULL, &result, sizeof(result)));
	assert_int_equal(result, 1);
}

static void be_busy(FILE *questions, FILE *answers, void *context)
{
	(void)questions;
	(void)context;
	fputc('a', answers);
	fflush(answers);
	for (volatile unsigned int i = 0;; i++)
		;
}

TEST(test_time)
{
	struct confined child;
	char answer[2];
	int64_t cpu_ns;

	(void)alarm(110);
	assert_int_equal(confined_start(&child, be_busy, NULL, 1000000000), 0);
	assert_true(confined_receive(&child, answer, 1));
	assert_false(confined_receive(&child, answer + 1, 1));
	cpu_ns = confined_end(&child);
	assert_true(cpu_ns > 500000000);
	assert_int_equal(child.pid, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	(void)alarm(0);
}

/* Nothing of the parent's is open in the child, and what it is asked reaches it. */
static void echo(FILE *questions, FILE *answers, void *context)
{
	char byte;

	(void)context;
	for (int fd = fileno(questions) + 1; fd < 256; fd++)
		if (fcntl(fd, F_GETFL) >= 0)
			return;
	while (fread(&byte, 1, 1, questions) == 1) {
		fwrite(&byte, 1, 1, answers);
		fflush(answers);
	}
}

TEST(test_talk)
{
	struct confined child;
	char byte = '\0';
	int fd = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */

	assert_true(fd >= 0);
	assert_int_equal(confined_start(&child, echo, NULL, CONFINED_CPU_NS), 0);
	for (char i = 'a'; i < 'f'; i++) {
		assert_true(confined_send(&child, &i, 1));
		assert_true(confined_receive(&child, &byte, 1));
		assert_int_equal(byte, i);
	}
	(void)confined_end(&child);
	assert_int_equal(confined_end(&child), 0);
	close(fd);
}

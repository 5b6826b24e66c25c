/* SPDX-License-Identifier: MIT */
/* Calls that read and write in their own ways: scanf, moving in streams, those that check
 * their buffers, single characters, dprintf, a stream to a child; all that the kernel counts
 * is seen. Directories, of whose entries most are there already; links; locks on files and
 * what processes share. What they answer is the output. */
// flags: -D_FORTIFY_SOURCE=2
// variants: once
// expect-trust: unseen_read_bytes => 0
// expect-trust: unseen_write_bytes => 0
// expect-sql: SELECT SUM(bytes) = $size FROM io WHERE name = 'fscanf' => 1
// expect-sql: SELECT SUM(i.bytes) FROM io i JOIN call_paths c USING (path_id) JOIN call_paths p ON
//     p.path_id = c.parent_path_id WHERE p.name = 'checked' AND i.operation = 'read' => 8192
// expect-sql: SELECT i.name, SUM(i.bytes) FROM io i WHERE i.name IN ('dprintf', 'pclose') GROUP
//     BY 1 ORDER BY 1 => dprintf|15; pclose|6
// expect-sql: SELECT i.name, SUM(i.calls), SUM(i.failed_calls), COUNT(DISTINCT i.file) FROM io i JOIN
//     call_paths c USING (path_id) JOIN call_paths p ON p.path_id = c.parent_path_id WHERE
//     p.name = 'directories' GROUP BY 1 ORDER BY 1 => access|2|1|1; chmod|2|0|1; close|1|0|1;
//     closedir|1|0|1; fallocate|2|0|1; link|1|0|1; mkdir|1|0|1; open|1|0|1; opendir|1|0|1;
//     readdir|2|0|1; readlink|1|0|1; rmdir|1|0|1; scandir|1|0|1; symlink|1|0|1; syncfs|1|0|1
// expect-sql: SELECT n.name, SUM(n.calls) FROM call_paths n JOIN call_paths p ON p.path_id =
//     n.parent_path_id WHERE p.name = 'shared' AND n.kind = 'wait' GROUP BY 1 ORDER BY 1 =>
//     flock|2; lockf|2; msgrcv|1; msgsnd|1; semop|2; system|1
#include "truth.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBERS 20000
#define FILES 100

static char bytes[8192];
static volatile long sum;

ALONE static void write_numbers(void)
{
	FILE *file = fopen("numbers", "w");

	for (int i = 0; i < NUMBERS; i++)
		fprintf(file, "%d\n", i);
	fclose(file);
}

ALONE static void scans(void)
{
	FILE *file = fopen("numbers", "r");
	int number;

	while (fscanf(file, "%d", &number) == 1)
		sum += number;
	printf("sum %ld\n", sum);
	fclose(file);
}

ALONE static void moves(void)
{
	FILE *file = fopen("numbers", "r+");

	for (int i = 0; i < 8; i++) {
		fseek(file, i * 9000 % 50000, SEEK_SET);
		printf("%c", fgetc(file));
	}
	rewind(file);
	fputs("some more text\n", file);
	fseeko(file, 100, SEEK_CUR);
	printf("%c %ld\n", getc_unlocked(file), ftell(file));
	fputs("and", file);
	rewind(file);
	fclose(file);
}

ALONE static void checked(void)
{
	FILE *file = fopen("numbers", "r");
	char line[100];

	sum += (long)fread(bytes, 1, opaque(4096), file);
	for (int i = 0; i < 5; i++)
		sum += fgets(line, (int)opaque(100), file) != NULL;
	printf("line %s", line);
	fclose(file);
}

ALONE static void characters(void)
{
	int letter = 0;

	if (!freopen("numbers", "r", stdin))
		return;
	for (int i = 0; i < 5000; i++)
		letter = (i % 2 ? getchar_unlocked : getchar)();
	printf("letter %c\n", letter);
}

ALONE static void to_others(void)
{
	int file = open("numbers", O_WRONLY | O_APPEND);
	FILE *child = popen("read word", "w");

	dprintf(file, "%s %d %s\n", "a line", 12, "long");
	close(file);
	fputs("hello\n", child);
	printf("child %d\n", pclose(child));
}

/* All of them are one system call. */
ALONE static void directories(void)
{
	struct dirent **list;
	int file, count = 0;
	DIR *directory;

	sum += mkdir("folder", 0700);
	directory = opendir("folder");
	for (int i = 0; i < 3; i++)
		count += readdir(directory) != NULL;
	closedir(directory);
	printf("entries %d %d\n", count, scandir("folder", &list, NULL, alphasort));
	file = open("numbers", O_RDWR);
	sum += fallocate(file, 0, 0, 4096) + posix_fallocate(file, 0, 4096) +
	       syncfs(file);
	sum += access("numbers", R_OK) + access("nothing", F_OK);
	sum += link("numbers", "again") + symlink("numbers", "soft");
	sum += chmod("again", 0640) + fchmodat(AT_FDCWD, "again", 0600, 0);
	printf("link %zd\n", readlink("soft", bytes, sizeof(bytes)));
	sum += rmdir("folder");
	close(file);
}

struct message {
	long type;
	char text[8];
};

ALONE static void shared(void)
{
	int set = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600);
	struct sembuf up = {0, 1, 0}, down = {0, -1, 0};
	struct message message = {1, "message"};
	int file = open("numbers", O_RDWR);

	printf("flock %d\n", flock(file, LOCK_EX));
	printf("unlock %d\n", flock(file, LOCK_UN));
	printf("lockf %d\n", lockf(file, F_LOCK, 0));
	printf("unlock %d\n", lockf(file, F_ULOCK, 0));
	printf("up %d\n", semop(set, &up, 1));
	printf("down %d\n", semop(set, &down, 1));
	semctl(set, 0, IPC_RMID);
	printf("msgsnd %d\n", msgsnd(queue, &message, 8, 0));
	printf("msgrcv %zd\n", msgrcv(queue, &message, 8, 0, 0));
	msgctl(queue, IPC_RMID, NULL);
	printf("system %d\n", system("exit 3"));
	close(file);
}

int main(void)
{
	struct stat numbers;

	write_numbers();
	stat("numbers", &numbers);
	scans();
	moves();
	checked();
	characters();
	to_others();
	directories();
	shared();
	unlink("numbers");
	unlink("again");
	unlink("soft");
	fprintf(stderr, "truth: size=%ld\n", (long)numbers.st_size);
	return 0;
}

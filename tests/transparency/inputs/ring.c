/* SPDX-License-Identifier: MIT */
/* A number that goes around among processes, and what all of them add up. */
#include <mpi.h>
#include <stdio.h>

#define ROUNDS 1000

static int pass_around(int rank, int count)
{
	int token = 0, next = (rank + 1) % count, previous = (rank + count - 1) % count;

	for (int i = 0; i < ROUNDS; i++) {
		if (rank > 0)
			MPI_Recv(&token, 1, MPI_INT, previous, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		token++;
		MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
		if (rank == 0)
			MPI_Recv(&token, 1, MPI_INT, previous, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
	}
	return token;
}

int main(int argc, char **argv)
{
	static char block[1 << 20];
	int level, rank, count, token;
	long own, sum = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	token = pass_around(rank, count);
	own = rank + 1;
	for (int i = 0; i < 200; i++) {
		MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	for (int i = 0; i < 10; i++)
		MPI_Bcast(block, sizeof(block), MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d %ld\n", token, sum);
	MPI_Finalize();
	return 0;
}

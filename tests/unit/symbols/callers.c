/* SPDX-License-Identifier: MIT */
/* What this is: functions that are called, and functions whose addresses are held. */

#define ALONE static __attribute__((noinline))

volatile int count;

ALONE void leaf(void)
{
	count++;
}

ALONE void middle(void)
{
	leaf();
	count++;
}

ALONE void held(void)
{
	count += 2;
}

ALONE void taken(void)
{
	count += 3;
}

__attribute__((noinline)) void shown(void)
{
	count += 4;
}

static void (*const table[])(void) = {held, held};

void (*volatile place)(void);

__attribute__((noinline)) int outer(int n)
{
	place = taken;
	middle();
	shown();
	table[n & 1]();
	return count;
}

int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc) == 0;
}

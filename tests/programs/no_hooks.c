/* SPDX-License-Identifier: MIT */
/* A program compiled without hooks: allocations have whole stacks. */
// variants: all
// hooks: no
// flags: -pthread
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_bytes), COUNT(DISTINCT
//     path_id) FROM allocation_sites WHERE name = 'make_node' => 1200|38400|3200|3
// expect-sql: SELECT COUNT(*) FROM call_paths a JOIN call_paths b ON b.path_id =
//     a.parent_path_id JOIN call_paths c ON c.path_id = b.parent_path_id WHERE a.name =
//     'make_node' AND b.name = 'make_list' AND c.name = 'main' => 1
// expect-sql: SELECT COUNT(*) FROM call_paths a JOIN call_paths b ON b.path_id =
//     a.parent_path_id WHERE a.name = 'make_node' AND b.name = 'work' => 1
// expect-sql: SELECT SUM(calls), COUNT(*) FROM call_paths WHERE kind = 'function' => |0
// expect-below: work alloc_count => 100
#include "truth.h"
#include <pthread.h>
#include <stdlib.h>

struct node {
	struct node *next;
	long payload[3];
};

ALONE static struct node *make_node(struct node *next)
{
	struct node *node = malloc(sizeof(*node));

	node->next = next;
	keep(node);
	return node;
}

ALONE static struct node *make_list(int count)
{
	struct node *list = NULL;

	while (count-- > 0)
		list = make_node(list);
	keep(list);
	return list;
}

static void free_list(struct node *list)
{
	while (list) {
		struct node *next = list->next;

		free(list);
		list = next;
	}
}

ALONE static void *work(void *argument)
{
	int i;

	for (i = 0; i < 100; i++)
		free(make_node(NULL));
	return argument;
}

int main(void)
{
	pthread_t thread;
	int i;

	free_list(make_list(1000));
	for (i = 0; i < 100; i++)
		keep(make_node(NULL));
	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 0;
}

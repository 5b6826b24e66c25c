/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *left, *right;
	int key;
};

static struct node *insert(struct node *node, int key)
{
	if (!node) {
		node = calloc(1, sizeof(*node));
		node->key = key;
	} else if (key < node->key) {
		node->left = insert(node->left, key);
	} else {
		node->right = insert(node->right, key);
	}
	return node;
}

static long sum(const struct node *node)
{
	return node ? node->key + sum(node->left) + sum(node->right) : 0;
}

int main(int argc, char **argv)
{
	struct node *root = NULL;
	unsigned seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	for (int i = 0; i < 1000; i++) {
		seed = seed * 1103515245u + 12345u;
		root = insert(root, (int)(seed >> 16 & 0x7fff));
	}
	printf("%ld %zu\n", sum(root), strlen(argv[0]));
	return 0;
}

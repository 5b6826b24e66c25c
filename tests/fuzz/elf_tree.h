/* SPDX-License-Identifier: MIT */
/*
 * What this is:  an ELF file with symbols and a DWARF tree, written as bytes tell: a
 *                fuzzer's mutations change the tree's shape, not only its encoding.
 * Runs on:       tests.
 * See also:      fuzz_symbols.c
 *
 * The bytes are read one after another; when they are used up every choice is 0, so an
 * empty input is a small sound file. See elf_tree.c for what they choose.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ELF_TREE_LOW 0x1000u /* of its code */
#define ELF_TREE_HIGH 0x9000u
#define ELF_TREE_BYTES ((size_t)1 << 19)

/* Writes the file into ret[ELF_TREE_BYTES]; its size. */
size_t elf_tree_write(const uint8_t *data, size_t size, uint8_t *ret);

# SPDX-License-Identifier: MIT
"""A library that wraps all that the shim wraps, and only counts: every call is handed on in
the registers and on the stack that it came in. At the end it writes NAME COUNT lines into
the file that COUNT_FILE names, without a call of libc."""
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TABLE = os.path.join(ROOT, "shim", "wrap", "wrapped.def")
ROW = re.compile(r'^(WRAPPED(?!_ELSE)\w*)\((\w+)(?:, "([\w.]+)")?', re.MULTILINE)
# These come back twice, or never, or begin before this library does.
LEFT_OUT = re.compile(r"jmp|context|exit|^(vfork|syscall|prctl|dlopen|dlclose)$|^__libc_|"
                      r"^__register_frame")

HEAD = """
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#define HIDDEN __attribute__((visibility("hidden"), used))
struct row { const char *name, *version; };
HIDDEN long other_counts[COUNT];
HIDDEN void *other_reals[COUNT];
static const struct row rows[COUNT] = { ROWS };

static long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static void *exact(long i, void *next)
{
	void *versioned = rows[i].version ?
		dlvsym(RTLD_NEXT, rows[i].name, rows[i].version) : NULL;
	Dl_info one, other;

	return versioned && dladdr(next, &one) && dladdr(versioned, &other) &&
	       one.dli_fbase == other.dli_fbase ? versioned : next;
}

HIDDEN void *other_resolve(long i)
{
	void *next = dlsym(RTLD_NEXT, rows[i].name);

	if (!next)
		call(SYS_exit_group, 99, 0, 0);
	other_reals[i] = exact(i, next);
	return other_reals[i];
}

static void write_row(long file, long i)
{
	char line[120], digits[24];
	long length = 0, count = other_counts[i], at = 0;

	while (rows[i].name[length]) {
		line[length] = rows[i].name[length];
		length++;
	}
	line[length++] = ' ';
	for (; count; count /= 10)
		digits[at++] = (char)('0' + count % 10);
	while (at)
		line[length++] = digits[--at];
	line[length++] = '\\n';
	call(SYS_write, file, (long)line, length);
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("COUNT_FILE");
	long file = path ? call(SYS_open, (long)path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	for (long i = 0; i < COUNT && file >= 0; i++)
		if (other_counts[i])
			write_row(file, i);
	call(SYS_close, file, 0, 0);
}
"""

ENTRY = """.globl {name}
.type {name}, @function
{name}:
	lock incq other_counts + 8 * {number}(%rip)
	movq other_reals + 8 * {number}(%rip), %r11
	test %r11, %r11
	jz 1f
	jmp *%r11
1:	movl ${number}, %r11d
	jmp other_slow
"""

REGISTERS = ("rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9")


def slow_way():
    """All that may hold an argument is kept while the next function is looked up."""
    lines = ["other_slow:"] + [f"push %{name}" for name in REGISTERS]
    lines += ["sub $128, %rsp"] + [f"movups %xmm{i}, {16 * i}(%rsp)" for i in range(8)]
    lines += ["mov %r11, %rdi", "push %rbp", "mov %rsp, %rbp", "and $-16, %rsp",
              "call other_resolve", "mov %rbp, %rsp", "pop %rbp", "mov %rax, %r11"]
    lines += [f"movups {16 * i}(%rsp), %xmm{i}" for i in range(8)] + ["add $128, %rsp"]
    lines += [f"pop %{name}" for name in reversed(REGISTERS)]
    return "\n".join(lines + ["jmp *%r11", ""])


def source():
    """C, with the functions themselves in assembly."""
    with open(TABLE, encoding="utf-8") as file:
        found = [(name, version) for _, name, version in ROW.findall(file.read())
                 if not LEFT_OUT.search(name)]
    rows = ", ".join(f'{{"{name}", {f"{chr(34)}{version}{chr(34)}" if version else "NULL"}}}'
                     for name, version in found)
    code = slow_way() + "".join(ENTRY.format(name=name, number=number)
                                for number, (name, _) in enumerate(found))
    text = "".join(f'\t"{line}\\n"\n' for line in code.splitlines())
    head = HEAD.replace("COUNT]", f"{len(found)}]").replace("i < COUNT", f"i < {len(found)}")
    return head.replace("ROWS", rows) + '\n__asm__(".pushsection .text\\n"\n' + text + \
        '\t".popsection\\n");\n'


def read_counts(path):
    with open(path, encoding="utf-8") as file:
        return {name: int(count) for name, count in map(str.split, file)}

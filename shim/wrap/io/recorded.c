/* SPDX-License-Identifier: MIT */
/*
 * The bodies of those rows of wrapped.def that say all there is to be said of a function:
 * what it is recorded as, and its types. Its parameters are called a, b, c and so on.
 */
#include "shim/wrap/io/io_call.h"

#include "shim/wrap/real.h"

#define EIGHTH(a, b, c, d, e, f, g, count, ...) count
#define COUNT(...) EIGHTH(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)
#define JOIN(left, right) left##right
#define CHOOSE(kind, count) JOIN(kind, count)

#define PARAMETERS_1(A) A a
#define PARAMETERS_2(A, B) A a, B b
#define PARAMETERS_3(A, B, C) A a, B b, C c
#define PARAMETERS_4(A, B, C, D) A a, B b, C c, D d
#define PARAMETERS_5(A, B, C, D, E) A a, B b, C c, D d, E e
#define PARAMETERS_6(A, B, C, D, E, F) A a, B b, C c, D d, E e, F f
#define PARAMETERS_7(A, B, C, D, E, F, G) A a, B b, C c, D d, E e, F f, G g
#define ARGUMENTS_1 a
#define ARGUMENTS_2 a, b
#define ARGUMENTS_3 a, b, c
#define ARGUMENTS_4 a, b, c, d
#define ARGUMENTS_5 a, b, c, d, e
#define ARGUMENTS_6 a, b, c, d, e, f
#define ARGUMENTS_7 a, b, c, d, e, f, g

#define NEXT(name, ...) real_##name(CHOOSE(ARGUMENTS_, COUNT(__VA_ARGS__)))
#define DEFINE(name, type, value, ...)                                                   \
	exported type name(CHOOSE(PARAMETERS_, COUNT(__VA_ARGS__))(__VA_ARGS__))         \
	{                                                                                \
		return value;                                                            \
	}

#define WRAPPED(name)
#define WRAPPED_AT(name, version)
#define WRAPPED_SINCE(name, minor)
#define WRAPPED_ELSE(name, other)
#define LATE(name)
#define OWN(name)
#define WRAPPED_WAIT(name, call, type, ...)                                              \
	DEFINE(name, type, LIBC_CALL(call, NEXT(name, __VA_ARGS__)), __VA_ARGS__)
#define WRAPPED_IO(name, call, type, ...)                                                \
	DEFINE(name, type, IO_CALL(call, a, IO_NEXT, NEXT(name, __VA_ARGS__)),           \
	       __VA_ARGS__)
#define WRAPPED_IO_AT(name, call, type, ...)                                             \
	DEFINE(name, type, IO_CALL(call, a, d, NEXT(name, __VA_ARGS__)), __VA_ARGS__)
#define WRAPPED_SEND(name, call, type, ...)                                              \
	DEFINE(name, type,                                                               \
	       IO_CALL(call, a, IO_NEXT,                                                 \
		       (io_call_send(LIBC_CALL_##call, a), NEXT(name, __VA_ARGS__))),    \
	       __VA_ARGS__)
#define WRAPPED_PATH(name, call, type, ...)                                              \
	DEFINE(name, type, IO_CALL_PATH(call, NEXT(name, __VA_ARGS__)), __VA_ARGS__)
#define WRAPPED_OPEN(name, call, type, ...)                                              \
	DEFINE(name, type, IO_CALL_OPEN(call, a, NEXT(name, __VA_ARGS__)), __VA_ARGS__)

#include "shim/wrap/wrapped.def"

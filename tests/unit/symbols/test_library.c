/* SPDX-License-Identifier: MIT */
/* What this is: what counts as library, on both sides of each border of the rule. */
#include "collector/symbols/library.h"

#include "collector/symbols/symbol.h"
#include "tests/unit/tests.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* name: linkage names are demangled; module NULL: the program's. */
struct example {
	const char *name, *file, *module;
	bool is_library;
};

static void check(const char *rules, const char *executable,
		  const struct example *examples, size_t count)
{
	struct library library;

	library_init(&library, rules, executable);
	for (size_t i = 0; i < count; i++) {
		const struct example *example = &examples[i];
		char *demangled = example->name ? demangle(example->name) : NULL;
		struct library_function function = {
			demangled ? demangled : example->name, example->file,
			example->module ? example->module : executable};

		if (library_has(&library, &function) != example->is_library)
			fail_msg("%s in %s of %s is %s library",
				 function.name ? function.name : "nobody",
				 example->file ? example->file : "no file",
				 function.module ? function.module : "no object",
				 example->is_library ? "no" : "a");
		free(demangled);
	}
	library_done(&library);
}

#define VECTOR "/usr/include/c++/12/bits/stl_vector.h"

TEST(sources_decide)
{
	static const struct example examples[] = {
		/* templates of the library, of types of the user's */
		{"_ZNSt6vectorI5PointSaIS0_EE9push_backERKS0_", VECTOR, NULL, true},
		{"_ZSt4sortIP5PointZ4mainEUlRKS0_S3_E_EvT_S5_T0_",
		 "/usr/include/c++/12/bits/stl_algo.h", NULL, true},
		{"boost::split<std::vector<std::string>>",
		 "/usr/include/boost/algorithm/string/split.hpp", NULL, true},
		{"Eigen::internal::aligned_malloc",
		 "/usr/local/include/eigen3/Eigen/src/Core/util/Memory.h", NULL, true},
		{"operator()", "/usr/lib/gcc/x86_64-linux-gnu/12/include/f.h", NULL,
		 true},
		/* those of compilers that lie elsewhere */
		{"_ZNSt3__16vectorIiNS_9allocatorIiEEE9push_backEOi",
		 "/usr/lib/llvm-14/include/c++/v1/vector", NULL, true},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", "/opt/gcc-13/include/c++/13/vector",
		 NULL, true},
		{"x", "/build/gcc/libstdc++-v3/src/c++11/string-inst.cc", NULL, true},
		{"x", "/home/me/llvm/libcxx/include/string", NULL, true},
		{"x", "/nix/store/0a-boost-1.80/include/boost/x.hpp", NULL, true},
		/* what the user wrote for the library */
		{"_ZNKSt4hashI5PointEclERKS0_", "/home/me/point.h", NULL, false},
		{"std::hash<Point>::operator()", "/home/me/point.h", NULL, false},
		/* lambdas that the library is given are the user's, what calls them is
		   not */
		{"_ZZ4mainENKUlRK5PointS1_E_clES1_S1_", "/home/me/main.cpp", NULL, false},
		{"_ZNSt17_Function_handlerIFvvEZ4mainEUlvE_E9_M_invokeERKSt9_Any_data",
		 "/usr/include/c++/12/bits/std_function.h", NULL, true},
		/* of the user's, in places that look like others */
		{"f", "/usr/src/app/main.c", NULL, false},
		{"f", "/usr/includes/f.h", NULL, false},
		{"f", "/home/me/usr/include/f.h", NULL, false},
		{"f", "/home/me/include/f.h", NULL, false},
		{"f", "/usr/library/f.c", NULL, false},
		{"f", "/home/me/libcxx.h", NULL, false},
		/* where that is relative to is not known */
		{"f", "usr/include/f.h", NULL, false},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", "bits/stl_vector.h", NULL, true},
	};

	check(NULL, "/home/me/app", examples, COUNT(examples));
}

TEST(names_decide_without_a_file)
{
	static const struct example examples[] = {
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", NULL, NULL, true},
		/* its name begins with what it returns */
		{"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_"
		 "constructIPKcEE"
		 "vT_S8_St20forward_iterator_tag",
		 NULL, NULL, true},
		{"_ZN9__gnu_cxx15__snprintf_liteEPcmPKcP13__va_list_tag", NULL, NULL,
		 true},
		{"_ZN10__cxxabiv111__terminateEPFvvE", NULL, NULL, true},
		{"_Znwm", NULL, NULL, true},
		{"_ZnamSt11align_val_t", NULL, NULL, true},
		{"_GLOBAL__sub_I_eh_alloc.cc", NULL, NULL, true},
		/* the library's types are what it is about, not what it is */
		{"_Z5countRKSt6vectorIiSaIiEE", NULL, NULL, false},
		{"_Z4makeIiESt6vectorIT_SaIS1_EEm", NULL, NULL, false},
		{"_ZN4acme3std4sortEv", NULL, NULL, false},
		{"_ZN5stdio4openEv", NULL, NULL, false},
		{"_GLOBAL__sub_I_main.cpp", NULL, NULL, false},
		{"_start", NULL, NULL, true},
		{"_start", "/home/me/start.c", NULL, false},
		{"_start_all", NULL, NULL, false},
		{"operator_new", NULL, NULL, false},
		{"_ZN4acmeplERKSt6vectorIiSaIiEE", NULL, NULL, false},
		{"main", NULL, NULL, false},
		{NULL, NULL, NULL, false},
	};

	check(NULL, "/home/me/app", examples, COUNT(examples));
}

TEST(objects_decide)
{
	static const struct example of_a_user[] = {
		{"zlib_inflate", "/build/zlib/inflate.c", "/usr/lib/libz.so.1", true},
		{"f", NULL, "/lib/x86_64-linux-gnu/libfoo.so.2", true},
		{"f", NULL, "/usr/local/lib/libfoo.so", true},
		{"f", NULL, "/home/me/lib/libfoo.so", false},
		{"f", NULL, "/usr/libexec/app/plugin.so", false},
		{"f", NULL, "/opt/app/lib/libfoo.so", false},
		/* the language's, wherever it lies */
		{"malloc", NULL, "/opt/glibc/libc.so.6", true},
		{"f", "/build/gcc/new_op.cc", "/opt/gcc/lib64/libstdc++.so.6", true},
		{"f", NULL, "/opt/llvm/libc++.so.1", true},
		{"f", NULL, "/opt/llvm/libc++abi.so.1", true},
		{"wrapped_malloc", NULL, "/opt/profshim/lib/libprofshim.so", true},
		{"f", NULL, "/home/me/libclient.so", false},
		{"f", NULL, "/home/me/libcpp.so", false},
		/* the user's own is for who calls it what the library's is */
		{"_Znwm", "/home/me/new.cpp", NULL, true},
		{"_ZdlPv", "/home/me/new.cpp", NULL, false},
		{"_ZN4PoolnwEm", "/home/me/pool.cpp", NULL, false},
	};
	/* a program of a package and its libraries are one */
	static const struct example of_a_package[] = {
		{"PyObject_Malloc", NULL, "/usr/lib/libpython3.11.so.1.0", false},
		{"main", "/build/python/main.c", "/usr/bin/python3", false},
		{"malloc", NULL, "/lib/x86_64-linux-gnu/libc.so.6", true},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", VECTOR, "/usr/bin/python3", true},
	};

	check(NULL, "/home/me/app", of_a_user, COUNT(of_a_user));
	check(NULL, "/usr/local/bin/app", of_a_user, COUNT(of_a_user));
	check(NULL, NULL, of_a_user, COUNT(of_a_user));
	check(NULL, "/usr/bin/python3", of_a_package, COUNT(of_a_package));
}

TEST(users_rules_come_first)
{
	static const struct example by_name[] = {
		{"_ZN4acme5allocEm", "/home/me/alloc.cpp", NULL, true},
		{"_ZN4acme4makeIiEEPT_m", "/home/me/alloc.h", NULL, true},
		{"_ZN4acme5allocEm", NULL, NULL, true},
		/* parameters are others' names */
		{"_Z3useRKN4acme5ArenaE", "/home/me/use.cpp", NULL, false},
		{"_ZN3our3useERKN4acme5ArenaE", "/home/me/use.cpp", NULL, false},
		{"_ZZN3our3runEN4acme5ArenaEENKUlvE_clEv", "/home/me/use.cpp", NULL,
		 false},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", VECTOR, NULL, true},
	};
	static const struct example by_place[] = {
		{"f", "/home/me/vendor/f.c", NULL, true},
		{"f", "/home/me/f.c", NULL, false},
		{"f", NULL, "/home/me/liballoc.so", true},
		{"f", NULL, "/home/me/libmalloc.so", false},
	};
	static const struct example taken_out[] = {
		{"boost::split", "/usr/include/boost/split.hpp", NULL, false},
		{"boost::detail::f", "/usr/include/boost/split.hpp", NULL, true},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi", VECTOR, NULL, true},
		{"zlib_inflate", NULL, "/usr/lib/libz.so.1", false},
		{"_Znwm", NULL, "/usr/lib/libstdc++.so.6", false},
	};

	check("^acme::", "/home/me/app", by_name, COUNT(by_name));
	check("/vendor/|/liballoc\\.so", "/home/me/app", by_place, COUNT(by_place));
	check("/vendor/\n/liballoc\\.so", "/home/me/app", by_place, COUNT(by_place));
	/* the last that fits decides */
	check("!/boost/\n^boost::detail::\n!/libz\\.so\n!^operator new$", "/home/me/app",
	      taken_out, COUNT(taken_out));
	/* what is no rule is left out */
	check("(\n/vendor/\n\n!\n/liballoc\\.so\n(a+)+(b+)+\\1", "/home/me/app", by_place,
	      COUNT(by_place));
}

TEST(refusals)
{
	assert_null(library_refuse("^acme::"));
	assert_null(library_refuse("!^acme::"));
	assert_null(library_refuse("^acme::\n!^acme::user"));
	assert_non_null(library_refuse("("));
	assert_non_null(library_refuse("^acme::\n!("));
	assert_non_null(library_refuse(""));
	assert_non_null(library_refuse("!"));
	assert_non_null(library_refuse("a\n"));
	assert_non_null(library_refuse("(a)\\1"));
}

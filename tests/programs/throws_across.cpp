/* SPDX-License-Identifier: MIT */
/* Exceptions across shared objects: thrown in a library and caught here, thrown here in a
 * callback and caught in the library, passing a library's frames on the way, and thrown
 * through a library without hooks. */
// variants: lto
// plugin: throws_library.cpp link
// plugin: throws_silent.cpp no-hooks
// expect-trust[gcc]: repaired_frames => 0
// expect-trust[clang]: repaired_frames => 1200
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       catch_from_library 100
//         library_throw*3 100
//           library_throw 100 +100
//         after 100
//       library_catches 100
//         library_catch 100
//           Part::Part 100
//           throw_here 100 +100
//           Part::~Part 100
//           library_after 100
//         after 100
//       through_library 100
//         library_call 100
//           Part::Part 100
//           throw_here 100 +100
//           Part::~Part 100
//         after 100
//       through_silent 100
//         rethrow_here 100
//           library_throw*2 100
//             library_throw 100 +100
//           after 100
//         after 100
//       library_type 100
//         library_throw_problem 100 +100
//         after 100
#include "throws_library.h"
#include "truth.h"

static volatile int sum;

ALONE static void after()
{
	sum = sum + 1;
}

ALONE static void throw_here()
{
	throw 'c';
}

ALONE static void catch_from_library()
{
	try {
		library_throw(3);
	} catch (int) {
		after();
	}
}

ALONE static void library_catches()
{
	library_catch(throw_here);
	after();
}

ALONE static void through_library()
{
	try {
		library_call(throw_here);
	} catch (char) {
		after();
	}
}

ALONE static void rethrow_here()
{
	try {
		library_throw(2);
	} catch (...) {
		after();
		throw;
	}
}

ALONE static void through_silent()
{
	try {
		silent_call(rethrow_here);
	} catch (int) {
		after();
	}
}

ALONE static void library_type()
{
	try {
		library_throw_problem();
	} catch (const Problem &problem) {
		sum = sum + problem.number;
		after();
	}
}

int main()
{
	for (int i = 0; i < 100; i++) {
		catch_from_library();
		library_catches();
		through_library();
		through_silent();
		library_type();
	}
	return 0;
}

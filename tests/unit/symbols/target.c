/* SPDX-License-Identifier: MIT */
/* A program to be examined, not run; what it has in it depends on the flags. */
#include <stddef.h>

#ifdef OWN_HOOKS
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function,
								      void *caller)
{
	(void)function;
	(void)caller;
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function,
								     void *caller)
{
	(void)function;
	(void)caller;
}
#endif

#ifdef OWN_MALLOC
static char heap[1 << 20];
static size_t used;

void *malloc(size_t size)
{
	used += (size + 15) & ~(size_t)15;
	return used <= sizeof(heap) ? heap + used - size : NULL;
}

void free(void *block)
{
	(void)block;
}
#endif

#ifdef LIBRARY
int library_function(void)
{
	return 1;
}
#else
#ifdef USES_LIBRARY
int library_function(void);
#else
static int library_function(void)
{
	return 0;
}
#endif

int main(void)
{
	return library_function();
}
#endif

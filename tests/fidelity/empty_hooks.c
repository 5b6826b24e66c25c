/* SPDX-License-Identifier: MIT */
/* What this is:  preloaded hooks that do nothing, the floor of every recorder. */

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function,
								      void *call_site)
{
	(void)function;
	(void)call_site;
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function,
								     void *call_site)
{
	(void)function;
	(void)call_site;
}

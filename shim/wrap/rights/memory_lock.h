/* SPDX-License-Identifier: MIT */
/* Locks on memory. Any thread. */
#pragma once

/* mlockall, as the function and by syscall(). */
long memory_lock_all(int flags);

/* SPDX-License-Identifier: MIT */
/* Snapshots that the program or its user asks for. */
#pragma once

/* Takes a snapshot at each of these signals; 0: none. The constructor. */
void snapshots_watch_signal(int signal_number);

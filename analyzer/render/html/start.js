/* SPDX-License-Identifier: MIT */
/* What is started, once all of the page is there. */

startTables();

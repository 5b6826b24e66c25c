/* SPDX-License-Identifier: MIT */
#pragma once

int part(int value);

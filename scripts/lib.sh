# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What this is:  what scripts/test, scripts/demo and scripts/bench have in common.
# Runs on:       a developer's machine; sourced, never executed.
# Must not:      change anything outside the repository's build* directories.
# See also:      scripts/install_deps, the only script that installs packages.

# The top of the source tree; scripts work from any directory.
# shellcheck disable=SC2034 # used by those who source this
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() {
	printf '%s\n' "$*" >&2
}

fail() {
	say "$*"
	exit 1
}

# Runs a command that is only interesting when it fails: log FILE COMMAND...
quietly() {
	local log=$1
	shift
	if ! "$@" >"$log" 2>&1; then
		say "failed: $*"
		tail -n 60 "$log" >&2
		return 1
	fi
}

# Sets up a Meson build directory, or renews its options when it is there already:
# configure DIRECTORY OPTION...
configure() {
	local directory=$1
	shift
	if [ -f "$directory/build.ninja" ]; then
		meson configure "$directory" "$@"
	else
		rm -rf "$directory"
		meson setup "$directory" "$root" "$@"
	fi
}

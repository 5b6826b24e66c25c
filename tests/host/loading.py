#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Libraries that come, go, or stand beside us: plugins, allocators, other preloads."""
import host
from host import expect, scenario

EXPECTED_ZERO = ("dropped_allocations", "unknown_frees", "lost_frees", "orphan_exits",
                 "repaired_frames", "late_events")


def expect_clean(case, *tolerated):
    for name in EXPECTED_ZERO:
        if name not in tolerated:
            expect(case.trust(name) == 0, f"trust: {name} is {case.trust(name):.0f}")


def rows(case, sql):
    return host.harness.query(case.database, sql)


def build_plugin(case, who, size, *flags):
    path = case.path(f"plugin_{who}.so")
    return host.harness.compile_program(
        host.os.path.join(host.HERE, "plugin.c"), path,
        flags=["-shared", "-fPIC", f"-DWHO={who}", f"-DSIZE={size}", *flags])


def load_plugins(case, cycles, *flags):
    case.compile("plugin_host.c")
    build_plugin(case, "a", 1000, *flags)
    build_plugin(case, "b", 3000, *flags)
    result = case.unharmed([case.path("plugin_host"), str(cycles),
                            case.path("plugin_a.so"), case.path("plugin_b.so")])
    expect("used again" in result.stdout, "the libraries do not share addresses")
    case.settle()
    expect_clean(case)
    calls = case.value("SELECT SUM(calls) FROM functions")
    expect(calls == 1 + 8 * cycles, f"{calls} calls, not {1 + 8 * cycles}")
    sums = rows(case, "SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_bytes) FROM "
                "allocation_sites WHERE alloc_bytes >= alloc_count * 1000 AND "
                "alloc_bytes <= alloc_count * 3000 AND alloc_count > 1")
    expect(sums == [(2 * cycles, 4000 * cycles, 0)], f"the plugins' blocks: {sums}")


@scenario
def a_thousand_loads(case):
    """Two libraries take turns at one address: their calls and blocks never mix, and
    tables do not grow with the number of loads."""
    load_plugins(case, 1200)
    for who, size in (("a", 1000), ("b", 3000)):
        found = rows(case, "SELECT SUM(calls), MIN(module) = MAX(module), MIN(module) LIKE "
                     f"'%plugin_{who}.so' FROM functions WHERE name IN ('step_{who}', "
                     f"'make_{who}')")
        expect(found == [(2400, 1, 1)], f"calls of plugin_{who}: {found}")
        found = rows(case, "SELECT SUM(alloc_count), SUM(alloc_bytes) FROM "
                     f"allocation_sites WHERE name = 'make_{who}'")
        expect(found == [(1200, size * 1200)], f"blocks of plugin_{who}: {found}")
    expect(case.calls("run") == 2400, f"calls of run: {case.calls('run'):.0f}")
    expect(case.trust("unloaded_modules") == 2400, "unloads were not seen")
    expect(case.trust("folded_paths") == 0, "paths were folded")
    expect(case.trust("tool_memory_bytes") < 8 << 20,
           f"{case.trust('tool_memory_bytes'):.0f} bytes for two plugins")


@scenario
def more_loads_than_places(case):
    """Without build ids each load is another library. When the table is full, names are
    lost, but those that are known hold nothing of others."""
    load_plugins(case, 1200, "-Wl,--build-id=none")
    for who, size in (("a", 1000), ("b", 3000)):
        found = rows(case, "SELECT SUM(alloc_count) > 900, SUM(alloc_bytes) = "
                     f"{size} * SUM(alloc_count) FROM allocation_sites WHERE name = "
                     f"'make_{who}'")
        expect(found == [(1, 1)], f"blocks of plugin_{who}: {found}")


host.main()

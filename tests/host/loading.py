#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Libraries that come, go, or stand beside us: plugins, allocators, other preloads."""
import os

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
        os.path.join(host.HERE, "plugin.c"), path,
        flags=["-shared", "-fPIC", f"-DWHO={who}", f"-DSIZE={size}", *flags])


def load_plugins(case, cycles, *flags, links=False):
    """links: each load is by another name."""
    case.compile("plugin_host.c")
    names = [build_plugin(case, who, size, *flags) for who, size in
             (("a", 1000), ("b", 3000))]
    words = [str(cycles), *names]
    if links:
        words = ["1"]
        for number in range(cycles):
            for who, name in zip("ab", names):
                os.link(name, case.path(f"{who}{number}.so"))
                words.append(case.path(f"{who}{number}.so"))
    result = case.unharmed([case.path("plugin_host"), *words])
    expect("used again" in result.stdout, "the libraries do not share addresses")
    case.settle()
    expect_clean(case)
    calls = case.value("SELECT SUM(calls) FROM call_paths WHERE kind = 'function'")
    expect(calls == 1 + 8 * cycles, f"{calls} calls, not {1 + 8 * cycles}")
    # The loader's blocks are of such sizes, too. Of plugins without a name there may be
    # one site for both.
    sums = rows(case, "SELECT SUM(s.alloc_count), SUM(s.alloc_bytes), SUM(s.live_bytes) "
                "FROM allocation_sites s JOIN call_paths USING (run_id, path_id) "
                "JOIN functions f USING (run_id, function_id) WHERE "
                f"(s.alloc_count > 1 OR {links:d}) AND "
                "s.alloc_bytes BETWEEN s.alloc_count * 1000 AND s.alloc_count * 3000 AND "
                "ifnull(f.module, '') NOT LIKE '%/ld-linux%'")
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
    # two functions of one name, each the same one however often it is loaded
    found = rows(case, "SELECT name, SUM(calls) FROM functions WHERE full_name = 'run' "
                 "GROUP BY name ORDER BY name")
    expect(found == [(f"run [plugin.c] [plugin_{who}.so]", 1200) for who in "ab"],
           f"calls of run: {found}")
    expect(case.trust("unloaded_modules") == 2400, "unloads were not seen")
    expect(case.trust("folded_paths") == 0, "paths were folded")
    expect(case.trust("tool_memory_bytes") < 8 << 20,
           f"{case.trust('tool_memory_bytes'):.0f} bytes for two plugins")


@scenario
def loads_without_build_id(case):
    """Without build-ids a library is known again by its file."""
    load_plugins(case, 1200, "-Wl,--build-id=none")
    for who in "a", "b":
        found = rows(case, "SELECT SUM(calls), COUNT(*) FROM functions WHERE name = "
                     f"'make_{who}'")
        expect(found == [(1200, 1)], f"calls of make_{who}: {found}")


@scenario
def more_loads_than_places(case):
    """Each load is another library. When the table is full, names are lost, but those that
    are known hold nothing of others."""
    load_plugins(case, 1200, "-Wl,--build-id=none", links=True)
    for who, size in (("a", 1000), ("b", 3000)):
        found = rows(case, "SELECT SUM(alloc_count) > 900, SUM(alloc_bytes) = "
                     f"{size} * SUM(alloc_count), COUNT(*) = COUNT(DISTINCT name) FROM "
                     f"allocation_sites WHERE name LIKE 'make_{who} [plugin.c] "
                     f"[{who}%.so]'")
        expect(found == [(1, 1, 1)], f"blocks of plugin_{who}: {found}")


def expect_plugins(case, cycles):
    """What wanders.c called, by name."""
    case.settle()
    expect_clean(case)
    for name in "step_a", "make_a", "step_b", "make_b":
        expect(case.calls(name) == cycles, f"{case.calls(name):.0f} calls of {name}")
    paths = rows(case, "SELECT DISTINCT module FROM functions WHERE name LIKE 'step__'")
    expect(len(paths) == 2 and all(path[0].startswith("/") for path in paths),
           f"modules {paths}")
    expect(case.trust("unresolved_functions") == 0,
           f"{case.trust('unresolved_functions'):.0f} functions without a name")


def wander(case, *libraries, settings=None):
    program = case.compile("wanders.c")
    os.makedirs(case.path("elsewhere"), exist_ok=True)
    result = case.run([program, "elsewhere", "7", *libraries], settings)
    expect(result.returncode == 0 and not result.stderr, f"{result}")


@scenario
def relative_names(case):
    """A library opened as ./plugin.so, or found by a relative search path, is where it was
    then, not where the program goes later, nor below where the collector is."""
    for name, flags in {"known": [], "unknown": ["-Wl,--build-id=none"]}.items():
        for who, size in ("a", 1000), ("b", 3000):
            build_plugin(case, who, size, *flags)
        case.database = case.path(name + ".db")
        wander(case, "./plugin_a.so", "elsewhere/../plugin_b.so")
        expect_plugins(case, 7)
        case.database = case.path(name + "-searched.db")
        wander(case, "plugin_a.so", "plugin_b.so", settings={"LD_LIBRARY_PATH": "."})
        expect_plugins(case, 7)


@scenario
def relative_dependencies(case):
    """A NEEDED ./plugin.so, and an RPATH of a dot."""
    build_plugin(case, "a", 1000, "-Wl,-soname,./plugin_a.so")
    build_plugin(case, "b", 3000)
    os.mkdir(case.path("elsewhere"))
    source = os.path.join(host.HERE, "wanders.c")
    program = host.harness.compile_program(
        source, case.path("wanders"),
        flags=["-Wl,--no-as-needed", case.path("plugin_a.so"), "-Wl,-rpath,.",
               "-Wl,--disable-new-dtags"])
    case.unharmed([program, "elsewhere", "7", "./plugin_a.so", "plugin_b.so"])
    expect_plugins(case, 7)


@scenario
def snapshots_after_leaving(case):
    """PROFSHIM_SNAPSHOT_AT finds the function in a library opened by a relative name by a
    program that has gone elsewhere since."""
    build_plugin(case, "a", 1000)
    build_plugin(case, "b", 3000, "-Wl,--build-id=none")
    wander(case, "./plugin_a.so", "./plugin_b.so",
           settings={"PROFSHIM_SNAPSHOT_AT": "step_a:enter,step_b:exit"})
    expect_plugins(case, 7)
    expect(case.trust("note_no_function") == 0, "a function was not found")
    found = rows(case, "SELECT label, COUNT(*) FROM snapshots GROUP BY label ORDER BY label")
    expect(found == [("step_a:enter", 7), ("step_b:exit", 7)], f"snapshots: {found}")


@scenario
def another_file_by_now(case):
    """The library was replaced while the program ran: no name of the new file, which has
    the same path, and the report says why."""
    for name, flags in {"known": [], "unknown": ["-Wl,--build-id=none"]}.items():
        for who, size in ("a", 1000), ("b", 3000):
            build_plugin(case, who, size, *flags)
        host.harness.compile_program(
            os.path.join(host.HERE, "plugin.c"), case.path("other.so"),
            flags=["-shared", "-fPIC", "-DWHO=other", "-DSIZE=1000", *flags])
        program = case.compile("replaces.c")
        case.database = case.path(name + ".db")
        result = case.run([program, "./plugin_a.so", "other.so", "plugin_a.so"])
        expect(result.returncode == 0, f"{result}")
        case.settle()
        found = rows(case, "SELECT COUNT(*) FROM functions WHERE name LIKE '%other'")
        expect(found == [(0,)], f"{name}: names of another file: {found}")
        found = rows(case, "SELECT naming, SUM(calls) FROM functions WHERE module LIKE "
                     "'%plugin_a.so' GROUP BY naming")
        expect(found == [("none", 3)], f"{name}: {found}")
        found = rows(case, "SELECT trouble FROM module WHERE path LIKE '%plugin_a.so'")
        expect(found == [("changed",)], f"{name}: {found}")


ALLOCATORS = ("libjemalloc.so.2", "libtcmalloc_minimal.so.4")


def expect_blocks(case):
    """What blocks.c counts. The child's ten blocks are never freed."""
    case.settle()
    expect_clean(case)
    expect(case.trust("inherited_frees") == 1000, "frees of inherited blocks")
    found = rows(case, "SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites "
                 "WHERE name IN ('make', 'make_aligned')")
    # 4,000 and the child's; odd ones freed by a thread, every fourth reallocated
    expect(found == [(4010, 3000)], f"blocks made and freed: {found}")
    found = rows(case, "SELECT SUM(alloc_bytes) FROM allocation_sites WHERE name = 'make'")
    expect(found == [(sum(i % 40 + 1 for i in range(4000) if i % 10) + 80,)],
           f"bytes: {found}")


@scenario
def allocators_behind_us(case):
    """jemalloc and tcmalloc align small blocks to 8 bytes only."""
    program = case.compile("blocks.c")
    for name in ALLOCATORS:
        case.database = case.path(name + ".db")
        case.unharmed([program], {"LD_PRELOAD": f"{case.products.library} {name}"})
        expect_blocks(case)
        expect(case.trust("note_other_new") == 0, "the program has no operator new")


@scenario
def allocators_behind_us_serve_new(case):
    """What C++ allocates does not come to malloc then, and that is told."""
    program = case.compile("static_objects.cpp")
    for name in ALLOCATORS:
        case.database = case.path(name + ".db")
        case.unharmed([program], {"LD_PRELOAD": f"{case.products.library} {name}"})
        case.settle()
        expect(case.trust("note_other_new") == 1, "trust does not tell")
        text = case.analyze("report", case.database).stdout
        expect("allocations by operator new are not seen" in " ".join(text.split()), text)
    case.database = case.path("libc.db")
    case.unharmed([program])
    case.settle()
    expect(case.trust("note_other_new") == 0, "told of libc's")


@scenario
def allocators_before_us(case):
    """Then they serve the program, and we see its calls only; the report says so."""
    program = case.compile("blocks.c")
    for name in ALLOCATORS:
        case.database = case.path(name + ".db")
        case.unharmed([program], {"LD_PRELOAD": f"{name}:{case.products.library}"})
        case.settle()
        expect(case.trust("note_own_allocator") == 1, "trust does not tell")
        expect(case.calls("make") == 3600 + 10, f"{case.calls('make'):.0f} calls")
        for trouble in EXPECTED_ZERO:
            expect(case.trust(trouble) == 0, f"trust: {trouble} is {case.trust(trouble)}")


@scenario
def allocator_in_the_program(case):
    """Blocks that libc makes for a program with a malloc of its own are that malloc's."""
    program = case.compile("own_heap.c")
    case.unharmed([program])
    case.settle()
    expect(case.trust("note_own_allocator") == 1, "trust does not tell")


@scenario
def other_preloads(case):
    """Another library that interposes malloc and fork is asked as often as without us."""
    program = case.compile("blocks.c")
    other = case.compile("other_preload.c", flags=["-shared", "-fPIC"], hooks=False)
    alone = host.harness.run([program], env={**host.harness.plain_environment(),
                                             "LD_PRELOAD": other}, cwd=case.directory)
    for order in ([case.products.library, other], [other, case.products.library]):
        case.database = case.path(f"{order.index(other)}.db")
        result = case.run([program], {"LD_PRELOAD": ":".join(order)})
        expect(result.stdout == alone.stdout and "malloc 1" in alone.stdout,
               f"printed {result.stdout!r} instead of {alone.stdout!r}")
        expect(result.returncode == 0 and not result.stderr, f"{result}")
        if order[0] != other:
            expect_blocks(case)


@scenario
def other_wraps_functions_with_versions(case):
    """Of libc's posix_spawn and quick_exit there are two each, and the right one has a
    version. A library behind us that wraps them has none, and is asked all the same."""
    program = case.compile("leaves_at_once.c")
    other = case.compile("other_wrappers.c", flags=["-shared", "-fPIC"], hooks=False)
    for order in ([case.products.library, other], [other, case.products.library]):
        case.database = case.path(f"{order.index(other)}.db")
        result = case.run([program], {"LD_PRELOAD": ":".join(order)})
        expect(result.stdout == "other: posix_spawn\nchild\nother: quick_exit\n",
               f"printed {result.stdout!r}")
        expect(result.returncode == 3 and not result.stderr, f"{result}")


@scenario
def other_locks(case):
    """A library that wraps a lock, and not the trying of it, sees every call that locks."""
    program = case.compile("locker.c", flags=["-pthread"])
    other = case.compile("other_locks.c", flags=["-shared", "-fPIC"], hooks=False)
    for order in ([case.products.library, other], [other, case.products.library]):
        case.database = case.path(f"{order.index(other)}.db")
        result = case.run([program], {"LD_PRELOAD": ":".join(order)})
        expect(result.stdout == "other: 2001 10\n" and not result.stderr, f"{result}")
        locks = rows(case, "SELECT name, acquisitions FROM locks WHERE name = 'mutex'")
        expect(locks == [("mutex", 2001)], f"{locks}")
        waits = rows(case, "SELECT SUM(calls) FROM call_paths WHERE name = "
                           "'pthread_cond_timedwait'")
        expect(waits == [(10,)], f"{waits}")


@scenario
def loaded_by_hand(case):
    """The shim as an ordinary library does nothing at all."""
    program = case.compile("by_hand.c")
    for way in ("LOCAL", "GLOBAL", "NAMESPACE"):
        result = case.run_plain([program, case.products.library, way])
        expect(result.returncode == 5 and not result.stderr, f"{way}: {result}")
        expect(result.stdout == "A=1\nenviron is the same\n", f"{way}: {result.stdout}")
    expect(sorted(os.listdir(case.directory)) == ["by_hand"],
           f"files appeared: {os.listdir(case.directory)}")


@scenario
def indirect_functions(case):
    """Resolvers run before our library is relocated, or after it."""
    source = os.path.join(host.HERE, "chooser.c")
    library = host.harness.compile_program(source, case.path("libchooser.so"),
                                           flags=["-shared", "-fPIC", "-DLIBRARY"])
    user = ["-DUSER", library, "-Wl,-rpath," + case.directory]
    for name, flags in {"lazy": ["-Wl,-z,lazy"], "now": ["-Wl,-z,now"],
                        "fixed": ["-no-pie"]}.items():
        for kind, more in {"own": [], "library": user}.items():
            program = host.harness.compile_program(source, case.path(f"{kind}-{name}"),
                                                   flags=[*flags, *more])
            for order in ("", library):
                settings = {"LD_PRELOAD": f"{case.products.library}:{order}"}
                case.database = case.path(f"{kind}-{name}-{bool(order)}.db")
                case.unharmed([program], settings)
                case.settle()
                expect(case.calls("twice") == 2, f"{kind} {name}: calls of twice")
                settings = {"LD_PRELOAD": f"{order}:{case.products.library}"}
                case.database = case.path(f"{kind}-{name}-{bool(order)}-2.db")
                case.unharmed([program], settings)


@scenario
def bound_to_their_own(case):
    """RTLD_DEEPBIND, dlopen(NULL) and a namespace with a libc of its own."""
    program = case.compile("bound_deep.c")
    plugin = build_plugin(case, "a", 1000)
    result = case.unharmed([program, plugin])
    expect(result.stdout == "done\n", f"{result}")
    case.settle()
    found = rows(case, "SELECT SUM(alloc_count), SUM(live_count) FROM allocation_sites "
                 "WHERE name = 'main'")
    expect(found == [(1000, 0)], f"blocks of main: {found}")
    expect(case.trust("unknown_frees") == 1000, "the plugin's blocks, freed by main")


@scenario
def own_sqlite(case):
    """Linked into the program or shared with nobody: ours is in another process."""
    for name, flags in {"static": ["-l:libsqlite3.a", "-lm", "-pthread"],
                        "shared": ["-lsqlite3"]}.items():
        program = case.compile("own_sqlite.c", flags=flags)
        case.database = case.path(name + ".db")
        result = case.unharmed([program])
        expect(": 2001000\n0 " in result.stdout, f"printed {result.stdout}")
        case.settle()
        expect_clean(case)
        expect(case.calls("use") == 1, "the call of use")


@scenario
def own_unwinder(case):
    """The program uses libunwind, and libgcc's unwinder; either may carry
    its exceptions."""
    for name, flags in {"gcc": [], "first": ["-Wl,--no-as-needed", "-lunwind"],
                        "last": ["-lgcc_s", "-lunwind"]}.items():
        program = case.compile("own_unwinder.cpp", flags=[*flags, "-lunwind"])
        case.database = case.path(name + ".db")
        result = case.unharmed([program])
        expect(result.stdout == "depth 20, caught 100\n", f"printed {result.stdout}")
        case.settle()
        expect_clean(case, "repaired_frames")
        expect(case.calls("fail") == 550, "calls of fail")
        expect(case.calls("depth") == 21, "calls of depth")


@scenario
def search_paths(case):
    """RPATH, RUNPATH and $ORIGIN are those of whoever calls dlopen()."""
    os.mkdir(case.path("inner"))
    build_plugin(case, "a", 1000)
    os.rename(case.path("plugin_a.so"), case.path("inner/plugin_a.so"))
    source = os.path.join(host.HERE, "asks_by_name.c")
    for name, tags in {"rpath": "-Wl,--disable-new-dtags",
                       "runpath": "-Wl,--enable-new-dtags"}.items():
        library = host.harness.compile_program(
            source, case.path(f"libasks_{name}.so"),
            flags=["-shared", "-fPIC", "-DLIBRARY", tags, "-Wl,-rpath,$ORIGIN/inner"])
        program = host.harness.compile_program(
            source, case.path(name), flags=[library, tags, "-Wl,-rpath,$ORIGIN"])
        case.database = case.path(name + ".db")
        result = case.unharmed([program])
        expect(result.stdout == "0 0\n", f"{name}: {result.stdout}")
        case.settle()
        expect(case.calls("step_a") == 1, "the call of step_a")


@scenario
def relative_preload(case):
    """LD_PRELOAD=./libprofshim.so: the collector is found from there, too."""
    program = case.compile("ticker.c")
    directory = os.path.dirname(case.products.library)
    case.unharmed([program, case.path("counts"), "1", "1000"],
                  {"LD_PRELOAD": "./" + os.path.basename(case.products.library)}, cwd=directory)
    case.settle()
    expect(case.trust("collector_recovered") == 0, "no collector was started")


host.main()

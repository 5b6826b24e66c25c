# SPDX-License-Identifier: MIT
"""The numbers of fidelity as two tables of 80 columns."""


def times(value):
    """A ratio in five characters."""
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 \
        else f"{value:.0f}"


def percent(value):
    return "-" if value is None else f"{value * 100:.0f}"


def seconds(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def of(pair):
    return "-" if not pair else f"{pair[0]}/{pair[1]}"


def main_range(row):
    low, high = row["main_to_plain_spread"]
    return f"{times(low)}..{times(high)}"


TIME_HEAD = f"""
{'program':7} {'setting':11}{'plain':>5}{'hooks':>6}{'rec':>5}{'rec':>5}{'cpu':>6} \
{'main':>5}{'lowest..':>11}{'+-':>5}{'in':>4}{'share':>6}
{'':7} {'':11}{'s':>5}{'x':>6}{'x':>5}{'/hks':>5}{'/hks':>6} \
{'corr':>5}{'highest':>11}{'%':>5}{'':>4}{'said':>4}{'true':>5}"""


def time_lines(result):
    if "plain" not in result:
        return
    name = f"{result['program']:7}"
    first = f"{seconds(result['plain']['wall_s']):>5}{times(result['hooks_to_plain']):>6}"
    for row in result["settings"]:
        if "missing" in row:
            yield f"{name} {row['setting']:11.11}{first} {row['missing']:.48}"
        else:
            yield (f"{name} {row['setting']:11.11}{first}{times(row['wall_to_plain']):>5}"
                   f"{times(row['wall_to_hooks']):>5}{times(row['cpu_to_hooks']):>6}"
                   f" {times(row['main_to_plain']):>5}{main_range(row):>11}"
                   f"{percent(row['main_error']):>5}{of(row['main_covered']):>4}"
                   f"{percent(row['stated_share']):>4}{percent(row['true_share']):>5}")
        name, first = f"{'':7}", f"{'':11}"


FUNCTION_HEAD = f"""
{'program':7} {'setting':9}{'calls':>6} {'counts':>9} {'self':>5}{'limit':>6}{'same':>5}\
{'limit':>6}{'own':>5}{'limit':>6}{'same':>5}{'limit':>6}{'plain':>6}{'same':>5}{'in':>7}{'+-':>4}
{'':7} {'':9}{'M':>6} {'':>9} {'rank':>5}{'':>6}{'%':>5}{'%':>6}{'rank':>5}{'':>6}{'%':>5}\
{'%':>6}{'rank':>6}{'%':>5}{'':>7}{'%':>4}"""


def rank(agreement):
    value = (agreement or {}).get("rank")
    return "-" if value is None else f"{value:.2f}"


def same(agreement):
    return percent((agreement or {}).get("common_share"))


def function_lines(result):
    if "functions" not in result:
        return
    name = f"{result['program']:7}"
    for row in result["settings"]:
        if "missing" in row:
            continue
        different = row["functions_with_other_counts"]
        covered = row.get("functions_covered") or {}
        limits = row.get("limits", {})
        both = [pair for build in ("recorded", "hooked")
                for pair in (row["agreement"].get(build), limits.get(build))]
        plain = row["agreement"].get("plain")
        yield (f"{name} {row['setting']:9.9}{row['calls'] / 1e6:>6.1f}"
               f" {'equal' if not different else f'{different} differ':>9} "
               f"{rank(both[0]):>5}{rank(both[1]):>6}{same(both[0]):>5}{same(both[1]):>6}"
               f"{rank(both[2]):>5}{rank(both[3]):>6}{same(both[2]):>5}{same(both[3]):>6}"
               f"{rank(plain):>6}{same(plain):>5}"
               f"{of(covered.get('held')):>7}{percent(covered.get('width')):>4}")
        name = f"{'':7}"


TIME_FOOT = """
plain: wall time of the command without hooks; hooks: CPU time with empty hooks to that
without; rec: wall of the recorded command, start and end of the recorder included, to plain
(x) and to empty hooks (/hks); cpu /hks: its own CPU time to that with empty hooks. corr:
corrected total of main() to what it takes in the plain build, median, lowest and highest;
+-: the error that the report states; in: how many of the intervals hold the plain build's.
share: of the hooks as the report says it, and truly, 1 - plain / recorded, of main()."""


PAIR_HEAD = f"""
{'program':7} {'--plain':>8}{'main':>6}{'lowest..':>11} {'rank':>5}{'limit':>6}{'same':>5}\
{'limit':>6}{'in':>8}{'+-':>4}
{'':7} {'samples':>8}{'':>6}{'highest':>11} {'':>5}{'':>6}{'%':>5}{'%':>6}{'':>8}{'%':>4}"""


def pair_lines(result):
    pair = result.get("paired")
    if not pair:
        return
    yield (f"{result['program']:7} {pair['samples']:>8.0f}{times(pair['main_to_plain']):>6}"
           f"{main_range(pair):>11} {rank(pair.get('agreement')):>5}"
           f"{rank(pair.get('limit')):>6}{same(pair.get('agreement')):>5}"
           f"{same(pair.get('limit')):>6}{of(pair.get('held')):>8}"
           f"{percent(pair.get('width')):>4}")


PAIR_FOOT = """
Of recordings with the plain build beside: samples: of one run; main: what it says that the plain
build computed, to main()'s CPU time there; rank, same, limit: as above, of each function's
own instructions, which perf's samples of other runs tell; in, +-: as above."""


def waiting(results):
    """How quiet the machine was."""
    waited = {result["program"]: result["waited"] for result in results
              if result.get("waited") is not None}
    if not waited:
        return ""
    name = max(waited, key=waited.get)
    return f"Without a CPU for at most {waited[name] * 100:.1f} % of the time ({name})."


FUNCTION_FOOT = """
counts: entries of each function against the exact counter. rank: agreement of self times
over the top 20 of perf's samples; same: how much of the time is with the same function. self:
of other runs that were recorded, without samples in the recorder; own: of the build with hooks,
which do nothing, without samples in them; limit: what half of its runs and as many samples of
the others as the recording had agree in; plain: of the plain build, samples given to the
function that their line is part of in the recorded build. in: how many intervals of self times,
of the plain build's top 20 of every turn, hold its samples'; +-: their half width, the median."""

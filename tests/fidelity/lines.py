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


TIME_HEAD = f"""
{'program':8} {'setting':12}{'plain':>6}{'hooks':>6}{'rec':>6}{'rec':>6} {'main':>6} \
{'lowest..':>7} {'+-':>4}{'in':>4}{'share':>6}{'true':>5}
{'':8} {'':12}{'s':>6}{'x':>6}{'x':>6}{'hooks':>6} {'x':>6} {'highest':>12} {'%':>4}\
{'':>4}{'%':>6}{'%':>5}"""


def time_lines(result):
    if "plain" not in result:
        return
    first = f"{result['program']:8}"
    plain = f"{seconds(result['plain']['wall_s']):>6}{times(result['hooks_to_plain']):>6}"
    for row in result["settings"]:
        if "missing" in row:
            yield f"{first} {row['setting']:12.12}{plain} {row['missing']:.48}"
        else:
            low, high = row["main_to_plain_spread"]
            yield (f"{first} {row['setting']:12.12}{plain}{times(row['wall_to_plain']):>6}"
                   f"{times(row['wall_to_hooks']):>6} {times(row['main_to_plain']):>6}"
                   f" {times(low) + '..' + times(high):>12} {percent(row['main_error']):>4}"
                   f"{of(row['main_covered']):>4}{percent(row['stated_share']):>6}"
                   f"{percent(row['true_share']):>5}")
        first, plain = f"{'':8}", f"{'':12}"


FUNCTION_HEAD = f"""
{'program':8} {'setting':12}{'calls':>8}{'functions':>10}{'counts':>11}{'perf':>7}\
{'grind':>7}{'plain':>7}{'limit':>7}
{'':8} {'':12}{'million':>8}{'called':>10}{'':>11}{'rank':>7}{'rank':>7}{'perf':>7}\
{'perf':>7}{'in':>8}"""


def rank(row, reference, account):
    value = row["agreement"].get(reference, {}).get(account)
    return "-" if value is None else f"{value:.2f}"


def function_lines(result):
    if "functions" not in result:
        return
    first, functions = f"{result['program']:8}", f"{result['functions']:>10,}"
    limit = result.get("perf_and_callgrind")
    for row in result["settings"]:
        if "missing" in row:
            continue
        different = row["functions_with_other_counts"]
        yield (f"{first} {row['setting']:12.12}{row['calls'] / 1e6:>8.1f}{functions}"
               f"{'equal' if not different else f'{different} differ':>11}"
               f"{rank(row, 'perf', 'as_built'):>7}{rank(row, 'callgrind', 'as_built'):>7}"
               f"{rank(row, 'perf', 'as_plain'):>7}"
               f"{'-' if limit is None else f'{limit:.2f}':>7}"
               f"{of(row['functions_covered']):>8}")
        first = f"{'':8}"


TIME_FOOT = """
plain: wall time of the command without hooks, s; hooks: with empty hooks, to plain; rec:
recorded, to plain and to hooks. main: its corrected total to what it takes in the plain
build, median, lowest and highest; +-: the error that the report states; in: how many of
the recordings' intervals hold the plain build's. share: of the hooks in the time as the
report says it; true: 1 - plain / recorded, of main()."""

FUNCTION_FOOT = """
counts: entries of each function against the exact counter. Rank agreement of self times
over the top 20 of perf's samples or callgrind's instructions of the plain build: perf,
grind: as the report has them, inlined copies folded; plain perf: every function folded
that the plain build does not have; limit: callgrind's with perf. in: how many intervals of
self times hold the samples' estimate."""

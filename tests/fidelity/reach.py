# SPDX-License-Identifier: MIT
"""What a recording should reach, and how many programs' recordings do."""


def rank_and_limit(agreement, limit):
    """Nobody can rank better than so many samples do."""
    rank = agreement.get("rank")
    return None if rank is None else rank >= min(0.9, limit.get("rank") or 1)


def rank_of(row, build):
    return rank_and_limit(row["agreement"].get(build, {}), row.get("limits", {}).get(build, {}))


def share_in_same(row, build):
    share, limit = (row.get(of, {}).get(build, {}).get("common_share")
                    for of in ("agreement", "limits"))
    return None if share is None or limit is None else share >= limit - 0.06


def share_of(pair, least):
    return None if not pair else pair[0] >= least * pair[1]


# Of prof-record --plain, likewise; of a program's own row.
PAIR_CRITERIA = (
    ("main() within 3 %", lambda pair: abs(pair["main_to_plain"] - 1) <= 0.03),
    ("rank >= 0.9, or the limit", lambda pair: rank_and_limit(pair["agreement"], pair["limit"])),
    ("same functions, to 4 points of the limit",
     lambda pair: pair["agreement"]["common_share"] >= pair["limit"]["common_share"] - 0.04),
)


# What it is called, and whether a row reaches it; None: it cannot be told.
CRITERIA = (
    ("counts of all functions equal", lambda row: not row["functions_with_other_counts"]),
    ("CPU time <= 1.10 of empty hooks", lambda row: row["cpu_to_hooks"] <= 1.1),
    ("CPU time <= 1.5 of plain", lambda row: row["cpu_to_plain"] <= 1.5),
    ("corrected main() within 5 % of plain",
     lambda row: abs(row["main_to_plain"] - 1) <= 0.05),
    ("corrected main() within 25 % of plain",
     lambda row: abs(row["main_to_plain"] - 1) <= 0.25),
    ("recordings within 10 % of each other",
     lambda row: row["main_to_plain_spread"][1] <= 1.1 * row["main_to_plain_spread"][0]),
    ("each interval of main() holds plain", lambda row: share_of(row["main_covered"], 1)),
    ("share of the hooks within 5 points",
     lambda row: abs(row["stated_share"] - row["true_share"]) <= 0.05),
    ("rank with recorded runs >= 0.9, or the limit",
     lambda row: rank_of(row, "recorded")),
    ("same functions as these, to 6 points of it",
     lambda row: share_in_same(row, "recorded")),
    ("rank with empty hooks >= 0.9, or the limit", lambda row: rank_of(row, "hooked")),
    ("same functions, to 6 points of the limit",
     lambda row: share_in_same(row, "hooked")),
    ("rank with plain >= 0.9, or the limit", lambda row: rank_of(row, "plain")),
    ("95 % of intervals of self times hold",
     lambda row: share_of((row.get("functions_covered") or {}).get("held"), 0.95)),
)


def reached(results, setting):
    """[(how many, of how many)] in the order of CRITERIA."""
    rows = [row for result in results for row in result.get("settings", [])
            if isinstance(row, dict) and row["setting"] == setting and "missing" not in row]
    counts = []
    for _, is_reached in CRITERIA:
        known = [told for told in map(is_reached, rows) if told is not None]
        counts.append((sum(known), len(known)))
    return counts


def lines(results, settings):
    columns = {setting: reached(results, setting) for setting in settings}
    if not any(count for counts in columns.values() for _, count in counts):
        return
    yield f"\n{'programs that reach it':44}" + "".join(
        f" {setting:>12.12}" for setting in settings)
    for index, (name, _) in enumerate(CRITERIA):
        yield f"{name:44}" + "".join(
            f" {'{}/{}'.format(*columns[setting][index]):>12}" for setting in settings)


def pair_lines(results):
    """Of prof-record --plain, with the intervals of all programs together."""
    pairs = [result["paired"] for result in results if "agreement" in result.get("paired", {})]
    if not pairs:
        return
    yield f"\n{'programs that reach it, with --plain':44}"
    for name, is_reached in PAIR_CRITERIA:
        known = [told for told in map(is_reached, pairs) if told is not None]
        yield f"{name:44} {sum(known)}/{len(known)}"
    held, count = (sum(pair["held"][index] for pair in pairs) for index in (0, 1))
    yield f"{'of all intervals of self times hold':44} {held / count * 100:.1f} % of {count}"

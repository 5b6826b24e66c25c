# SPDX-License-Identifier: MIT
"""The rows of the benchmark, as a table of 80 columns and as JSON."""
from measure import Missing, middle

COLUMNS = ("plain", "hooks", "shim", "peer")


class Row:
    """One measured thing.

    samples: by column; plain: without -finstrument-functions; hooks: compiled with it but
    not recorded; shim: recorded by us; peer: recorded by somebody else. added: what
    counts is the difference to plain, slower: the ratio to plain, else the number itself.
    reach: the figure to reach, of what counts.
    """

    def __init__(self, case, name, unit, samples, peer=None, added=False, slower=False,
                 reach=None, note=None):
        self.case, self.name, self.unit, self.samples = case, name, unit, samples
        self.peer, self.added, self.slower = peer, added, slower
        self.reach, self.note = reach, note

    def cost(self, column):
        """What counts of a column, None when it or plain is missing."""
        number = middle(self.samples.get(column, []))
        plain = middle(self.samples.get("plain", []))
        if number is None or not (self.added or self.slower):
            return number
        if plain is None:
            return None
        return number - plain if self.added else number / plain

    def ratio(self):
        """How many times more the peer costs than we do."""
        ours, theirs = self.cost("shim"), self.cost("peer")
        return theirs / ours if ours and theirs and ours > 0 else None

    def reasons(self):
        return [sample.reason for sample in self.samples.values()
                if isinstance(sample, Missing)]

    def as_json(self):
        numbers = {name: {"median": middle(sample), "samples": sample}
                   for name, sample in self.samples.items()
                   if not isinstance(sample, Missing)}
        return {"case": self.case, "name": self.name.strip(), "unit": self.unit,
                "measured": numbers, "missing": self.reasons(), "peer": self.peer,
                "cost": {name: self.cost(name) for name in COLUMNS[1:]},
                "cost_is": "added to plain" if self.added else
                           "ratio to plain" if self.slower else "the number itself",
                "reach": self.reach, "peer_to_shim": self.ratio(), "note": self.note}


def number(value):
    """Three or four digits, in the room of seven characters."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


HEAD = (f"{'':32}{'':4}{'plain':>7}{'hooks':>7}{'shim':>7}{'peer':>8}{'cost':>7}"
        f"{'reach':>7}")


def line(row):
    cells = [middle(row.samples.get(name, [])) for name in COLUMNS]
    cost = row.cost("shim")
    cost_text = number(cost) + ("x" if row.slower and cost is not None else "")
    reach_text = number(row.reach) + ("x" if row.slower and row.reach else "")
    mark = " " if row.reach is None or cost is None or cost <= row.reach else "!"
    return (f"{row.case} {row.name:<30.30}{row.unit:>4}"
            f"{number(cells[0]):>7}{number(cells[1]):>7}{number(cells[2]):>7}"
            f"{number(cells[3]):>8}{cost_text:>7}"
            f"{reach_text if row.reach is not None else '':>7}{mark}").rstrip()


FOOT = """
plain: not instrumented, not recorded; hooks: compiled with -finstrument-functions, not
recorded; shim: recorded by profshim; peer: by uftrace (a, b, e) or heaptrack (c).
over two clock reads: plain has hooks that read the clock and do nothing else.
phase change: slowdown against empty hooks, by each 10 ms of CPU time of the threads; of
three kinds of work the one that is slowest.
servers (o): CPU time; plain has hooks that do nothing.
waits (l): hooks is recorded with PROFSHIM_WAITS=off, and so is plain of switches and servers.
cost: shim less plain (a-d, g), times plain (x), or shim itself. !: not reached."""


def ratios(rows):
    for row in rows:
        if row.ratio():
            yield f"{row.peer} costs {row.ratio():.1f}x as much: {row.name.strip()}"
        for reason in row.reasons():
            yield f"missing: {row.name.strip()}: {reason}"

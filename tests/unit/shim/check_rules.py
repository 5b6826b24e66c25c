#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are the rules of frames read as readelf reads them? usage: check_rules.py SHOW-RULES

Every row of .eh_frame of the libraries that this process and C++ programs have, and of
its program: where the canonical frame address and the caller's frame pointer are.
"""
import os
import re
import subprocess
import sys


def mapped_objects():
    with open("/proc/self/maps", encoding="utf-8") as file:
        return sorted({line.split()[-1] for line in file
                       if re.search(r" r-xp .* /", line) and "deleted" not in line})


def library_of_cpp():
    path = subprocess.run(["g++", "-print-file-name=libstdc++.so.6"], text=True,
                          capture_output=True, check=False).stdout.strip()
    return [os.path.realpath(path)] if path.startswith("/") else []


def expected_rule(augmentation, columns, cells):
    row = dict(zip(columns, cells))
    cfa = re.fullmatch(r"(rsp|rbp)\+(\d+)", row["CFA"])
    saved = re.fullmatch(r"c-(\d+)", row.get("rbp", "c-0").replace("u", "c-0")
                         .replace("s", "c-0"))
    if "S" in augmentation:
        places = [row.get(name, "") for name in ("CFA", "rbp", "rsp", "ra")]
        return "signal" if all(place.endswith("exp") for place in places) else "odd"
    if row.get("ra") == "u":
        return "end"
    if row.get("ra") == "c-8" and row["CFA"] == row.get("rbp") == "exp":
        return "exp"
    if row.get("ra") != "c-8" or row.get("rsp", "u") != "u" or not cfa or not saved:
        return "odd"
    return f"{cfa.group(1)}+{cfa.group(2)} {saved.group(1)}"


def expected_rules(path):
    """{address: rule} from readelf."""
    text = subprocess.run(["readelf", "--wide", "--debug-dump=frames-interp", path],
                          capture_output=True, text=True, check=False).stdout
    text = re.split(r"^Contents of the \.eh_frame section.*$", text, flags=re.MULTILINE)[-1]
    text = text.partition("Contents of the .debug_frame")[0]
    commons, rules = {}, {}
    columns, augmentation, common = [], "", None
    for line in text.splitlines():
        cells = line.split()
        if re.search(r" (CIE|FDE) ", line):
            common = cells[4].strip('"') if cells[3] == "CIE" else None
            if common is None:
                augmentation, rule = commons[int(cells[4].partition("=")[2], 16)]
                rules[int(re.search(r" pc=([0-9a-f]+)", line).group(1), 16)] = rule
            else:
                number = int(cells[0], 16)
                commons[number] = common, "odd"
        elif line.startswith("   LOC"):
            columns = cells
        elif len(cells) != len(columns) or not re.match(r"[0-9a-f]{16} ", line):
            continue
        elif common is not None:
            commons[number] = common, expected_rule(common, columns, cells)
        else:
            rules[int(cells[0], 16)] = expected_rule(augmentation, columns, cells)
    return rules


def differences(show_rules, path):
    expected = expected_rules(path)
    shown = subprocess.run([show_rules, path], text=True, capture_output=True, check=False,
                           input="".join(f"{address:x}\n" for address in expected))
    found = shown.stdout.split("\n")[:-1]
    if len(found) != len(expected):
        yield f"{path}: {len(found)} rules of {len(expected)}, status {shown.returncode}"
        return
    for (address, rule), other in zip(expected.items(), found):
        # readelf does not show expressions here
        if rule != other and not (rule == "exp" and other in ("odd", "realigned")):
            yield f"{path}: at {address:x} {other}, readelf says {rule}"
    print(f"{path}: {len(expected)} rows, {found.count('odd')} not simple")


def main():
    paths = sorted({*mapped_objects(), *library_of_cpp()})
    wrong = [line for path in paths for line in differences(sys.argv[1], path)]
    print("\n".join(wrong[:20]))
    return bool(wrong) or not paths


sys.exit(main())

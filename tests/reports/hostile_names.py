# SPDX-License-Identifier: MIT
"""Names that steer a terminal, a spreadsheet or a parser, and a run.db that has no others."""
import sqlite3
import unicodedata

import surface

IGNORABLE = ([0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0] +
             [*range(0x180b, 0x1810), *range(0x2060, 0x2070), *range(0xfe00, 0xfe10),
              *range(0xfff0, 0xfff9), *range(0xe0000, 0xe1000)])
# Between those and the last of IGNORABLE there are ideographs, and private ones behind it.
HIDDEN = {c for c in range(0x20000)
          if unicodedata.category(chr(c)) in ("Cc", "Cf", "Zl", "Zp")} | set(IGNORABLE)
ALL_HIDDEN = "".join(map(chr, sorted(HIDDEN - {0}))).replace("\n", "")
NAMES = [
    b"\x1b]0;owned\x07\x1b[2J\x1b[31mred", b"a\r\n| forged | row |\n# head\n\n1,2,3\nb",
    b"\xc2\x9b31m\xc2\x85next", "left\u202eright\u2066\u061c\u200b\ufeffx".encode(),
    b"bad\xff\xc0\x80\xed\xa0\x80\xf5\x80", b"=cmd|' /C calc'!A0", b"+1+cmd()", b"-2+3+cmd()",
    b"@SUM(1)", b"\t=1+1", "＝1+1".encode(), b"]]></text><script>x</script>&\"'\\",
    b"`code` [link](x) <b>|b|</b>", b"a;=b(),c", ALL_HIDDEN.encode(), b"x" * 5000, b"", b" ",
    b"%s%n%n%d", "日本語é".encode(),
]
# Of all of these something, for whoever shows one text only.
WORST = b"\x1b[31m\xc2\x9b\r\n# | <b>" + "\u202e\u200b".encode() + b"\x07\xff"


def poison(path, columns, worst):
    """Every text in these columns gets a hostile one in its place: the worst, or the next of
    the set. Tables, and what is left of them where a text must not come twice."""
    db = sqlite3.connect(path)
    number = 0
    for table, names in columns.items():
        key = surface.key_of(db, table)
        where = " AND ".join(f"{column} IS ?" for column in key)
        for row in db.execute(f"SELECT {', '.join(key)} FROM {table}").fetchall():
            for name in names:
                number += 1
                value = WORST if worst else NAMES[number % len(NAMES)]
                value += b"%d" % number if name == "token" else b""
                db.execute(f"UPDATE {table} SET {name} = CAST(? AS TEXT) WHERE {where}",
                           (value, *row))
    db.commit()
    db.close()

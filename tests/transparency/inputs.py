# SPDX-License-Identifier: MIT
"""The input files of the cases: those of tests/transparency/inputs/, and larger ones that
are made here, the same every time."""
import io
import json
import os
import random
import shutil
import struct
import tarfile
import wave
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu".split()


def words(chance, count):
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(count)]


def make_text(chance, lines):
    return "".join(" ".join(words(chance, chance.randint(0, 14))) + "\n"
                   for _ in range(lines)).encode()


def make_changed(text):
    """A text that differs here and there, for diff and patch."""
    lines = text.split(b"\n")
    for i in range(10, len(lines), 97):
        lines[i] = lines[i].upper()
    del lines[200:205]
    lines[300:300] = [b"a new line"]
    return b"\n".join(lines)


def make_table(chance):
    rows = [f"{i},{word},{chance.randrange(10000)},{chance.random():.6f}"
            for i, word in enumerate(words(chance, 3000))]
    return ("id,name,count,share\n" + "\n".join(rows) + "\n").encode()


def make_json(chance):
    return json.dumps([{"id": i, "name": word, "tags": words(chance, 3),
                        "size": chance.randrange(10 ** 6)}
                       for i, word in enumerate(words(chance, 2000))], indent=1).encode()


def make_xml(chance):
    items = "".join(f'  <item id="{i}" size="{chance.randrange(999)}">\n    <name>{word}</name>'
                    f"\n  </item>\n" for i, word in enumerate(words(chance, 1500)))
    return f'<?xml version="1.0"?>\n<list>\n{items}</list>\n'.encode()


def make_pixels(chance, width, height):
    return b"".join(bytes((x * 255 // width, y * 255 // height, chance.randrange(64)))
                    for y in range(height) for x in range(width))


def make_png(pixels, width, height):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    rows = b"".join(b"\0" + pixels[y * width * 3:(y + 1) * width * 3] for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def make_sound(chance):
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(22050)
        sound.writeframes(b"".join(
            struct.pack("<h", (i * 200 % 20000 - 10000) // 2 + chance.randrange(500))
            for i in range(22050)))
    return file.getvalue()


def make_archive(folder):
    """A tar file of a folder, without anything that depends on the machine."""
    def plain(member):
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = 1700000000
        return member
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.add(folder, "tree", filter=plain)
    return file.getvalue()


def make_tree(chance, folder):
    for i in range(6):
        os.makedirs(os.path.join(folder, f"d{i}", "deep", "er"))
        for j in range(8):
            path = os.path.join(folder, f"d{i}", "deep" if j % 2 else "", f"f{j}.txt")
            write(path, make_text(chance, 5 + 3 * j))
    write(os.path.join(folder, "empty"), b"")
    write(os.path.join(folder, "run.sh"), b"#!/bin/sh\necho run\n")
    os.chmod(os.path.join(folder, "run.sh"), 0o755)
    os.symlink("d0/f0.txt", os.path.join(folder, "link"))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def make_all(directory):
    """Fills an empty directory."""
    chance = random.Random(20231114)
    shutil.copytree(os.path.join(HERE, "inputs"), directory, symlinks=True,
                    dirs_exist_ok=True)
    text = make_text(chance, 1500)
    pixels = make_pixels(chance, 160, 120)
    made = {
        "text.txt": text, "changed.txt": make_changed(text),
        "big.txt": make_text(chance, 25000),
        "words.txt": "\n".join(words(chance, 4000)).encode() + b"\n",
        "sorted.txt": "\n".join(sorted(words(chance, 3000))).encode() + b"\n",
        "numbers.txt": "".join(f"{chance.randrange(-99999, 99999)}\n"
                               for _ in range(5000)).encode(),
        "table.csv": make_table(chance), "data.json": make_json(chance),
        "data.xml": make_xml(chance), "noise.bin": chance.randbytes(300000),
        "picture.ppm": b"P6\n160 120\n255\n" + pixels,
        "picture.png": make_png(pixels, 160, 120), "sound.wav": make_sound(chance),
    }
    for name, data in made.items():
        write(os.path.join(directory, name), data)
    make_tree(chance, os.path.join(directory, "tree"))
    write(os.path.join(directory, "tree.tar"), make_archive(os.path.join(directory, "tree")))
    for folder, _, files in os.walk(directory):
        os.chmod(folder, 0o755)
        for name in files:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o755 if os.access(path, os.X_OK) else 0o644)

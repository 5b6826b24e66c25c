# SPDX-License-Identifier: MIT
"""Allocates a lot, in threads and children."""
import collections
import concurrent.futures
import hashlib
import json
import multiprocessing
import re
import subprocess
import sys


def count(path):
    with open(path, encoding="utf-8") as file:
        return collections.Counter(re.findall(r"\w+", file.read()))


def square(number):
    return number * number


def main():
    words = count("text.txt")
    print(words.most_common(5))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        print(sum(pool.map(square, range(2000))))
    with multiprocessing.Pool(3) as pool:
        print(sum(pool.map(square, range(2000))))
    print(subprocess.run(["sort", "-n"], input="3\n2\n1\n", text=True,
                         capture_output=True, check=True).stdout)
    data = [{"name": word, "count": n} for word, n in sorted(words.items())]
    text = json.dumps(data)
    print(hashlib.sha256(text.encode()).hexdigest(), json.loads(text) == data)
    with open("out.json", "w", encoding="utf-8") as file:
        file.write(text)
    sys.exit(7)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""What the tests share whose program is a text in them."""
import contextlib
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
import harness  # noqa: E402


@contextlib.contextmanager
def recorded(text, overhead):
    """The run.db of the program, which ends well, and its functions: name -> (calls,
    recording)."""
    products = harness.Products(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="profshim-test-") as folder:
        source, database = (os.path.join(folder, name) for name in ("program.c", "run.db"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        program = harness.compile_program(source, os.path.join(folder, "program"))
        result = harness.run([program], cwd=folder, env=products.environment(
            database, PROFSHIM_OVERHEAD=overhead))
        harness.expect(result.returncode == 0, f"it ended with {result.returncode}")
        harness.settle(products, database)
        rows = harness.query(database, "SELECT name, calls, recording FROM functions")
        yield database, {name: (calls, recording) for name, calls, recording in rows}


def expect_counted(functions, name, count):
    calls, recording = functions.get(name, (0, ""))
    harness.expect(calls == count and recording != "exact", f"{name}: {calls}, {recording}")

# SPDX-License-Identifier: MIT
"""An allocation-heavy program: builds a big structure, dumps it as JSON and reads it.

With PYTHONMALLOC=malloc every object is a malloc: about 2.3 million of them, about a
million live at the same time.
"""
import json

records = [{"id": i + 1000, "name": f"record {i}", "values": [i + 0.5, i * 2.5],
            "tags": {"even": i % 2 == 0}} for i in range(70000)]
text = json.dumps(records)
print(len(text), len(records))

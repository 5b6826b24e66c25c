#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check what every command writes as JSON against docs/schemas/reports-1.json, and that the
schema refuses a field that was dropped, renamed or added.

usage: check_schemas.py BUILD-ROOT
       check_schemas.py --accept BUILD-ROOT    writes the schema anew: read the difference. A
                                               field that went or has another name needs
                                               another schema_version
"""
import copy
import json
import os
import subprocess
import sys

import infer
import jsonschema
import outputs

SCHEMA = os.path.join(outputs.HERE, "..", "..", "docs", "schemas", "reports-1.json")


def laid_out(value, indent=0):
    """On one line what fits there."""
    line = json.dumps(value)
    if len(line) + indent <= 88 or not isinstance(value, (dict, list)) or not value:
        return line
    space = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [f"{space}{json.dumps(key)}: {laid_out(one, indent + 1)}"
                 for key, one in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    lines, parts = [], [laid_out(one, indent + 1) for one in value]
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 + len(space) <= 88:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return "[\n" + ",\n".join(space + line for line in lines) + "\n" + " " * indent + "]"


def keep(old, new, place):
    """What no document of now has, but the schema promised: an empty list says nothing of
    its rows. Returns the places."""
    kept = []
    for key in ("properties", "$defs"):
        for name, one in old.get(key, {}).items() if key in new else ():
            if name in new[key]:
                kept += keep(one, new[key][name], f"{place}.{name}")
            else:
                new[key][name] = one
                kept.append(f"{place}.{name}")
    if "items" in old and "items" in new:
        kept += keep(old["items"], new["items"], place)
    elif "items" in old and "array" in new.get("type", ()):
        new["items"] = old["items"]
        kept.append(f"{place}[]")
    return kept


def problems_of_keeping(schema, document):
    """A document without the rows of a list takes nothing out of the schema."""
    poorer = copy.deepcopy(document)
    poorer["rules"] = []
    new = infer.of_reports([poorer])
    keep(schema, new, "schema")
    return [f"of the schema that was kept: {told(error)}"
            for error in validator_of(new, document["report"]).iter_errors(document)]


def accept(documents):
    with open(SCHEMA, encoding="utf-8") as file:
        old = json.load(file)
    new = infer.of_reports(documents)
    for place in keep(old, new, "schema"):
        print(f"no document has {place}; it is kept")
    new["oneOf"] = [{"$ref": f"#/$defs/{name}"} for name in sorted(new["$defs"])
                    if name.startswith("report-")]
    with open(SCHEMA, "w", encoding="utf-8") as file:
        file.write(laid_out(new) + "\n")


def validator_of(schema, report):
    name = infer.report_name(report)
    if name not in schema["$defs"]:
        return None
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})


def told(error):
    return f"{'.'.join(map(str, error.absolute_path)) or 'document'}: {error.message[:200]}"


def damaged(document):
    """(what was done, the document) where one field is wrong."""
    def rows_of(part):
        rows = part if isinstance(part, list) else [part]
        return rows if rows and isinstance(rows[0], dict) and rows[0] else None

    parts = [("document", lambda one: one)]
    parts += [(name, lambda one, name=name: rows_of(one[name])[0])
              for name in document if name not in ("omitted", "trust") and
              not (document["report"] == "sql" and name == "rows") and rows_of(document[name])]
    for name, find in parts:
        changed = copy.deepcopy(document)
        find(changed)["added_field"] = 1
        yield f"{name} with another field", changed
        for field in find(document):
            changed = copy.deepcopy(document)
            find(changed)["renamed"] = find(changed).pop(field)
            yield f"{name}.{field} renamed", changed


def first_rows(document):
    """What is wrong in one row is so in any, and is found sooner among fewer."""
    return {name: part[:1] if isinstance(part, list) else part
            for name, part in document.items()}


def problems_of_strictness(schema, documents):
    """Of the first document of each report."""
    first = {}
    for _, document in documents:
        first.setdefault(document["report"], first_rows(document))
    for report, document in first.items():
        validator = validator_of(schema, report)
        if validator and not validator.is_valid(document):
            yield f"{report}: with the first of its rows alone it is refused"
        for what, changed in damaged(document):
            if validator and validator.is_valid(changed):
                yield f"{report}: the schema lets pass: {what}"


def commands(analyze):
    """Those that take --format."""
    text = subprocess.run([analyze, "--help"], capture_output=True, check=True, text=True).stdout
    for line in text.split("\nCommands:\n")[1].split("\n\n")[0].splitlines():
        command = line.split()[0]
        help_of = subprocess.run([analyze, command, "--help"], capture_output=True, check=True,
                                 text=True).stdout
        if "--format=" in help_of:
            yield command


def main():
    accepting = sys.argv[1] == "--accept"
    build = os.path.abspath(sys.argv[-1])
    documents = outputs.collect(build)
    problems = [f"{what}: no document" for what, document in documents if not document]
    documents = [one for one in documents if one[1]]
    if accepting:
        accept([document for _, document in documents])
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    for what, document in documents:
        validator = validator_of(schema, document["report"])
        if not validator:
            problems.append(f"{what}: the schema has no {document['report']}")
            continue
        problems += [f"{what}: {told(error)}" for error in validator.iter_errors(document)]
    problems += problems_of_strictness(schema, documents)
    problems += problems_of_keeping(schema, next(
        document for _, document in documents if document["report"] == "bottlenecks"))
    written = {document["report"] for _, document in documents}
    analyze = os.path.join(build, "analyzer", "prof-analyze")
    problems += [f"{command}: no document of it was looked at"
                 for command in commands(analyze) if command not in written]
    print("\n".join(problems[:100]))
    sys.exit(f"{len(problems)} problems" if problems else 0)


main()

# SPDX-License-Identifier: MIT
"""A schema that documents fit and nothing else does: every field they all have is required,
every other is refused. What is no text may be unknown, that is null; a number is whole
where its name says that it counts."""

WHOLE = ("_ns", "_bytes", "_count", "_id", "calls", "allocs", "line", "lines", "rank", "depth",
         "number", "index", "_pid", "pid", "tid", "level_count", "contended", "acquisitions",
         "bytes", "_at_exit", "exit_code", "exit_signal")


def is_whole(name):
    return name.endswith(WHOLE)


def of_number(name, value):
    return "integer" if isinstance(value, int) and is_whole(name) else "number"


def type_of(name, value):
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return of_number(name, value)
    return {str: "string", type(None): "null"}[type(value)]


def scalar(name, values):
    """Of numbers and texts; all of them may be null."""
    types = {type_of(name, value) for value in values} - {"null"}
    if "number" in types:
        types.discard("integer")
    if not types: # never known so far
        types = {"integer" if is_whole(name) else "number" if name.endswith("_percent")
                 else "string"}
    if types == {"boolean"}:
        return {"type": "boolean"}
    return {"type": sorted(types) + ["null"]}


def schema_of(name, values):
    if any(isinstance(value, dict) for value in values):
        return of_objects([value for value in values if value is not None])
    if any(isinstance(value, list) for value in values):
        items = [item for value in values if value is not None for item in value]
        found = {"type": "array"}
        if items:
            found["items"] = schema_of(name, items)
        if None in values:
            found["type"] = ["array", "null"]
        return found
    return scalar(name, values)


def of_objects(objects):
    names = {}
    for one in objects:
        for name in one:
            names.setdefault(name, []).append(one[name])
    return {"type": "object", "additionalProperties": False,
            "required": [name for name in names if len(names[name]) == len(objects)],
            "properties": {name: schema_of(name, values) for name, values in names.items()}}


OPEN_OBJECT = {"type": "object", "additionalProperties": {
    "type": "object", "additionalProperties": False, "required": ["row_count", "shown_count"],
    "properties": {"row_count": {"type": "integer"}, "shown_count": {"type": "integer"}}}}


def of_reports(documents):
    """The schema of all documents, by report; what all of them have is there once."""
    reports = {}
    for document in documents:
        reports.setdefault(document["report"], []).append(document)
    shared = {name: schema_of(name, [document[name] for document in documents
                                     if name in document])
              for name in ("trust", "run", "notes")}
    shared["trust"] = {"type": "object", "required": ["verdict"], "properties": {
        "verdict": {"type": "string"}}, "additionalProperties": {"type": "integer"}}
    shared["omitted"] = OPEN_OBJECT
    definitions = dict(shared)
    for report, found in sorted(reports.items()):
        schema = of_objects(found)
        schema["properties"]["report"] = {"const": report}
        schema["properties"]["tool"] = {"const": "prof-analyze"}
        schema["properties"]["schema_version"] = {"const": found[0]["schema_version"]}
        for name in shared:
            if name in schema["properties"]:
                schema["properties"][name] = {"$ref": f"#/$defs/{name}"}
        if report == "sql": # whatever was asked for
            schema["properties"]["rows"] = {"type": "array", "items": {"type": "object"}}
        definitions[report_name(report)] = schema
    return {"$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "What prof-analyze writes with --format json, schema_version 1",
            "oneOf": [{"$ref": f"#/$defs/{report_name(report)}"} for report in sorted(reports)],
            "$defs": definitions}


def report_name(report):
    return f"report-{report}"

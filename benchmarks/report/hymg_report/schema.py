"""Validation against the JSON Schema of hymg-fv's records: by the package jsonschema where it is installed, else by the
few keywords that this schema uses."""
import json
import os
import re

try:
    import jsonschema
except ImportError:
    jsonschema = None

NAME = "hymg-fv.schema.json"
OLDER = "hymg-fv/2"  # of records that were written before
SINCE = {  # what it lacks: members of the record and of the parts under $defs
    None: ["energy"], "node": ["binding", "numa_nodes", "network_cards"],
    "gpu": ["power_limit_watts", "clocks_mhz", "ecc", "throttle_reasons"], "run": ["disturbed"]}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def text():
    """The newest schema's file: beside the package in the sources, in share/hymg where it is installed."""
    here = os.path.dirname(os.path.realpath(__file__))
    for folder in (os.path.join(here, ".."), os.path.join(here, "..", "..")):
        path = os.path.join(folder, NAME)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError(f"{NAME} is neither beside {here} nor in the folder above")


def load(version=None):
    """The schema of a version; the newest where there is no such version."""
    known = json.loads(text())
    return without_news(known) if version == OLDER else known


def without_news(known):
    """The schema hymg-fv/2, from the newest."""
    for place, keys in SINCE.items():
        part = known["$defs"][place] if place else known
        part["required"] = [key for key in part["required"] if key not in keys]
        for key in keys:
            del part["properties"][key]
    known["properties"]["schema"]["const"] = OLDER
    known["title"] = "Record of hymg-fv, schema hymg-fv/2"
    known["properties"]["config"]["properties"]["tuning"]["enum"].remove("auto")
    return known


def load_for(record):
    """The schema of the version that a record says it has."""
    return load(record.get("schema") if isinstance(record, dict) else None)


def errors(value, schema):
    """What is wrong with a record, as lines "PATH: what"; none: it is valid."""
    if jsonschema and hasattr(jsonschema, "Draft202012Validator"):
        return jsonschema_errors(value, schema)
    return own_errors(value, schema, schema)


def jsonschema_errors(value, schema):
    found = jsonschema.Draft202012Validator(schema).iter_errors(value)
    return [f"{error.json_path[2:] or 'the record'}: {error.message}" for error in found]


def is_type(value, name):
    if name in ("integer", "number"):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        return name == "number" or value == int(value)
    return isinstance(value, TYPES[name])


def own_errors(value, schema, root, path=""):
    """type, const, enum, pattern, minimum, exclusiveMinimum, required, properties, additionalProperties, items,
    minItems, maxItems and $ref to #/$defs."""
    where = path or "the record"
    if "$ref" in schema:
        return own_errors(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, path)
    if "type" in schema:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(is_type(value, name) for name in names):
            return [f"{where}: {json.dumps(value)[:60]} is not of type {' or '.join(names)}"]
    if "const" in schema and value != schema["const"]:
        return [f"{where}: {json.dumps(value)[:60]} is not {schema['const']}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where}: {json.dumps(value)[:60]} is none of {schema['enum']}"]
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return [f"{where}: '{value[:60]}' does not match {schema['pattern']}"]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            return [f"{where}: {value} is less than {schema['minimum']}"]
        if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
            return [f"{where}: {value} is not greater than {schema['exclusiveMinimum']}"]
    if isinstance(value, dict):
        return object_errors(value, schema, root, path)
    if isinstance(value, list):
        return list_errors(value, schema, root, path)
    return []


def object_errors(value, schema, root, path):
    where, known = path or "the record", schema.get("properties", {})
    found = [f"{where}: {key} is missing" for key in schema.get("required", []) if key not in value]
    for key, item in value.items():
        if key in known:
            found += own_errors(item, known[key], root, f"{path}.{key}" if path else key)
        elif schema.get("additionalProperties") is False:
            found.append(f"{where}: {key} is not known")
    return found


def list_errors(value, schema, root, path):
    found = []
    if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", len(value)):
        found.append(f"{path}: {len(value)} items, not {schema.get('minItems', 0)} to {schema.get('maxItems', 'any')}")
    for n, item in enumerate(value):
        found += own_errors(item, schema.get("items", {}), root, f"{path}[{n}]")
    return found

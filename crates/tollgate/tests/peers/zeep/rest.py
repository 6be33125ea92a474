"""Calls REST resources using only their OpenAPI document, and validates every response against it.

Standard input: {"document": an OpenAPI 3.1 document, "headers": {HTTP header: value}, "tries": calls
of each operation, "seed": number, "known": {parameter: [values that exist at the service]}}.
Standard output: {"error": the error of the document itself or null, "calls": [{"operation",
"request": [method, URL, body or null], "status", "answer": text, "misfit": why the answer does not
match the document, or null}]}.

Bodies and parameters are generated at random from their schemas, and valid against them.
"""

import base64
import json
import random
import re
import sys
from urllib.parse import quote, urlencode

import requests
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

DOCUMENT = "urn:document"
METHODS = ("get", "put", "post", "delete", "patch")
TEXTS = ["x", "a b", "R&D <é> ]]>", '"q"', "00123", "tea\tand\ncake", "😀", "http://example.org/a"]
XML = '<z:z xmlns:z="urn:unknown">a &amp; b<z:y/></z:z>'
# Depth of an instance below which it contains only required members.
DEPTH_MAX = 5


def main():
    wanted = json.load(sys.stdin)
    document = wanted["document"]
    errors = OpenAPIV31SpecValidator(document).iter_errors()
    error = next((f"{list(it.path)}: {it.message}" for it in errors), None)
    caller = Caller(document, wanted)
    calls = [] if error else [
        caller.call(path, method, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in METHODS
        for _ in range(wanted["tries"])
    ]
    json.dump({"error": error, "calls": calls}, sys.stdout)


class Caller:
    def __init__(self, document, wanted):
        self.server = document["servers"][0]["url"]
        self.schemas = Schemas(document)
        self.instances = Instances(self.schemas, random.Random(wanted["seed"]))
        self.known = wanted.get("known", {})
        self.session = requests.Session()
        self.session.headers.update(wanted.get("headers", {}))
        # The environment's proxies do not apply to loopback.
        self.session.trust_env = False

    def call(self, path, method, operation):
        pointer = "/paths/" + path.replace("~", "~0").replace("/", "~1") + "/" + method
        query, headers = [], {}
        for at, parameter in enumerate(operation.get("parameters", [])):
            place, name = parameter["in"], parameter["name"]
            if not parameter.get("required") and self.instances.random.random() < 0.5:
                continue
            if name in self.known:
                value = self.instances.random.choice(self.known[name])
            else:
                value = self.instances.of(f"{pointer}/parameters/{at}/schema", is_plain=True)
            if place == "path":
                path = path.replace("{" + name + "}", quote(written(value), safe=""))
            elif place == "header":
                headers[name] = written(value).encode()
            else:
                values = value if isinstance(value, list) else [value]
                query += [(name, written(it)) for it in values]
        url = self.server + path + ("?" + urlencode(query) if query else "")
        body = None
        if "requestBody" in operation:
            body = self.instances.of(
                f"{pointer}/requestBody/content/application~1json/schema"
            )
            headers["content-type"] = "application/json"
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        answer = self.session.request(method, url, data=data, headers=headers, timeout=60)
        return {
            "operation": operation["operationId"],
            "request": [method, url, body],
            "status": answer.status_code,
            "answer": answer.text,
            "misfit": self.misfit(pointer, operation["responses"], answer),
        }

    def misfit(self, pointer, responses, answer):
        status = str(answer.status_code)
        status = status if status in responses else "default"
        content = responses[status].get("content")
        if answer.status_code < 400 and status == "default":
            return "the document does not know this status"
        if not content:
            return "has a body" if answer.content else None
        media_type = answer.headers.get("content-type", "").split(";")[0]
        if media_type not in content:
            return f"is {media_type}"
        media_type = media_type.replace("/", "~1")
        at = f"{pointer}/responses/{status}/content/{media_type}/schema"
        return self.schemas.misfit(at, answer.json())


def written(value):
    """Formats a scalar for a URL or a header."""
    return value if isinstance(value, str) else json.dumps(value)


class Schemas:
    """The schemas of a document, by JSON Pointer."""

    def __init__(self, document):
        self.document = document
        resource = DRAFT202012.create_resource(document)
        self.registry = Registry().with_resource(DOCUMENT, resource)
        self.validators = {}

    def at(self, pointer):
        value = self.document
        for token in pointer.split("/")[1:]:
            token = token.replace("~1", "/").replace("~0", "~")
            value = value[int(token) if isinstance(value, list) else token]
        return value

    def misfit(self, pointer, value):
        if pointer not in self.validators:
            schema = {"$ref": f"{DOCUMENT}#{quote(pointer)}"}
            self.validators[pointer] = Draft202012Validator(schema, registry=self.registry)
        errors = self.validators[pointer].iter_errors(value)
        return next((f"{it.json_path}: {it.message}" for it in errors), None)


class Nothing(Exception):
    """No instance was found."""


class Instances:
    def __init__(self, schemas, random_):
        self.schemas = schemas
        self.random = random_

    def of(self, pointer, is_plain=False):
        """Returns a valid instance of the schema at a pointer; in plain text for a URL."""
        for _ in range(200):
            try:
                value = self.make(self.schemas.at(pointer), 0)
            except Nothing:
                continue
            is_fit = self.schemas.misfit(pointer, value) is None
            if is_fit and not (is_plain and has_breaks(value)):
                return value
        raise Nothing(pointer)

    def make(self, schema, depth):
        if "$ref" in schema:
            return self.make(self.schemas.at(schema["$ref"].removeprefix("#")), depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        if "properties" in schema:
            return self.object(schema, depth)
        if "allOf" in schema:
            whole = {}
            for part in schema["allOf"]:
                whole |= self.make(part, depth)
            return whole
        for key in ("anyOf", "oneOf"):
            if key in schema:
                value = self.make(self.branch(schema[key], depth), depth)
                if "discriminator" in schema:
                    value = self.named(schema["discriminator"], value)
                return value
        return self.scalar(schema, depth)

    def branch(self, branches, depth):
        """Returns one of them; if deep already, the shallowest."""
        if depth > DEPTH_MAX:
            return min(branches, key=lambda it: len(json.dumps(self.resolved(it))))
        return self.random.choice(branches)

    def resolved(self, schema):
        return self.schemas.at(schema["$ref"].removeprefix("#")) if "$ref" in schema else schema

    def named(self, discriminator, value):
        """Adds the type of an object that could be of another one."""
        key = discriminator["propertyName"]
        for name, reference in discriminator["mapping"].items():
            if key not in value and self.schemas.misfit(reference.removeprefix("#"), value) is None:
                return {key: name} | value
        return value

    def object(self, schema, depth):
        needed, banned = set(schema.get("required", [])), set()
        # The requirements of a choice are in a double negation.
        demands = schema.get("not", {}).get("not", {})
        for part in [schema, demands, *demands.get("allOf", []), *schema.get("allOf", [])]:
            for key in ("anyOf", "oneOf"):
                if key in part:
                    self.take(part[key], needed, banned)
        value = {}
        for key, below in schema["properties"].items():
            is_wanted = depth <= DEPTH_MAX and self.random.random() < 0.5
            # Keys with this prefix belong to the convention, and are added where required.
            if key in needed or (is_wanted and key not in banned and not key.startswith("@")):
                try:
                    value[key] = self.make(below, depth + 1)
                except Nothing:
                    if key in needed:
                        raise
        return value

    def take(self, branches, needed, banned):
        """Selects one branch of those that require properties."""
        branch = self.random.choice(branches)
        needed |= set(branch.get("required", []))
        others = list(branch.get("not", {}).get("anyOf", []))
        others += [it for it in branches if it is not branch and "not" not in branch]
        for other in others:
            banned |= set(other.get("required", [])) - needed

    def scalar(self, schema, depth):
        kind = schema.get("type")
        if kind == "array":
            least = schema.get("minItems", 0)
            most = min(schema.get("maxItems", 3), least if depth > DEPTH_MAX else least + 2)
            count = self.random.randint(least, most)
            return [self.make(schema["items"], depth + 1) for _ in range(count)]
        if kind == "string":
            return self.text(schema)
        if kind == "integer":
            low, high = schema.get("minimum", -5), schema.get("maximum", 200)
            return self.random.choice([low, high, self.random.randint(max(low, 0), min(high, 99))])
        if kind == "number":
            return self.random.choice([0, 1, 0.5, 12.34, -3])
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "null":
            return None
        raise Nothing(schema)

    def text(self, schema):
        if schema.get("contentMediaType") == "application/xml":
            return XML
        if "contentEncoding" in schema:
            data = self.random.randbytes(self.random.randint(0, 5))
            is_hex = schema["contentEncoding"] == "base16"
            return data.hex().upper() if is_hex else base64.b64encode(data).decode()
        given = schema.get("examples", TEXTS)
        if "pattern" in schema and "examples" not in schema:
            pattern = re.compile(schema["pattern"])
            given = [*given, of_pattern(schema["pattern"], self.random)]
            given = [it for it in given if pattern.search(it)]
        least, most = schema.get("minLength", 0), schema.get("maxLength", 10**6)
        given = [it for it in given if least <= len(it) <= most] or [("x" * least)[:most]]
        return self.random.choice(given)


def has_breaks(value):
    """Returns whether a text is invalid in a header."""
    texts = value if isinstance(value, list) else [value]
    return any(isinstance(it, str) and not it.isprintable() for it in texts)


def of_pattern(pattern, random_):
    """Returns a text that matches a simple pattern."""
    parsed = re._parser.parse(pattern)
    return "".join(piece(it, random_) for it in parsed)


def piece(node, random_):
    kind, value = node
    kind = str(kind)
    if kind == "LITERAL":
        return chr(value)
    if kind == "IN":
        return piece(random_.choice([it for it in value if str(it[0]) != "NEGATE"]), random_)
    if kind == "RANGE":
        return chr(random_.randint(*value))
    if kind == "CATEGORY":
        return "7" if "DIGIT" in str(value) else " " if "SPACE" in str(value) else "w"
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        least, most, inner = value
        count = random_.randint(least, min(most, least + 3))
        return "".join(piece(it, random_) for _ in range(count) for it in inner)
    if kind == "SUBPATTERN":
        return "".join(piece(it, random_) for it in value[-1])
    if kind == "BRANCH":
        return "".join(piece(it, random_) for it in random_.choice(value[1]))
    return "" if kind == "AT" else "x"


main()

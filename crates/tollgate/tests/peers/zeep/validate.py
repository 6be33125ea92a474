"""Validates documents against their schemas with libxml2.

One JSON object per line on standard input: {"schema": path of an XSD or WSDL, "xml": text}, one JSON
object per line on standard output: {"valid": true}, {"valid": false, "error": text}, or {"valid":
false, "error": text, "schema_error": text} if libxml2 rejects the needed part of the schema.

The root may be an Envelope: then its Body's child, or each child of a fault's detail, is validated
alone. A type may be given for a root that no schema declares: "type": "{namespace}Type". With
"operation" (a name) and "direction" (input or output) the body of an rpc message is validated by
the types of its parts.
"""

import functools
import itertools
import json
import os
import sys
import tempfile
from urllib.parse import unquote

from lxml import etree

XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
SOAP_BINDINGS = (
    "{http://schemas.xmlsoap.org/wsdl/soap/}binding",
    "{http://schemas.xmlsoap.org/wsdl/soap12/}binding",
)
SOAP = ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")


class Refused(Exception):
    """The error of a schema."""


def main():
    for line in sys.stdin:
        wanted = json.loads(line)
        answer = {}
        try:
            verdict = judge(wanted)
        except Refused as error:
            verdict = answer["schema_error"] = str(error)
        except (etree.XMLSyntaxError, OSError) as error:
            verdict = f"{type(error).__name__}: {error}"
        answer |= {"valid": False, "error": verdict} if verdict else {"valid": True}
        print(json.dumps(answer), flush=True)


def judge(wanted):
    """Returns the first fault, or None."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(wanted["xml"].encode(), parser)
    path = os.path.abspath(wanted["schema"])
    elements = contents(root)
    content = wanted.get("type")
    if wanted.get("operation"):
        names = [etree.QName(child).localname for child in elements[0].iterchildren("*")]
        content = parts_of(path, wanted["operation"], wanted["direction"], names)
    schema, left_out = schema_of(path, content)
    if schema is None:
        raise Refused("; ".join(left_out.values()))
    for element in elements:
        if content is not None:
            element.tag = "instance"
        if not schema.validate(element):
            verdict = "; ".join(f"line {it.line}: {it.message}" for it in schema.error_log)
            for name, why in left_out.items():
                if f"{name}'" in verdict:
                    raise Refused(f"{name}: {why}")
            return verdict
    return None


def contents(root):
    name = etree.QName(root)
    if name.localname != "Envelope" or name.namespace not in SOAP:
        return [root]
    body = root.find(f"{{{name.namespace}}}Body")
    if body is None or len(body) != 1:
        raise OSError("the envelope has no body with one child")
    child = body[0]
    if child.tag != f"{{{name.namespace}}}Fault":
        return [alone(child)]
    detail = child.find("detail")
    if detail is None:
        detail = child.find(f"{{{name.namespace}}}Detail")
    return [] if detail is None else [alone(it) for it in detail]


def alone(element):
    """Returns the element as a document, with the prefixes of its ancestors."""
    return etree.fromstring(etree.tostring(element, with_tail=False))


def parts_of(path, operation, direction, names):
    """Returns name and type of each part of an rpc message with these children, or None."""
    for parts in messages_of(path).get((operation, direction), []):
        known = [name for name, _ in parts]
        if all(name in known for name in names):
            return tuple(part for part in parts if part[0] in names)
    return None


@functools.cache
def messages_of(path):
    """Returns the rpc messages of SOAP bindings: (operation, direction) to possible parts."""
    seen = set()
    collect(path, seen, {}, [])
    roots = [etree.parse(it).getroot() for it in seen]
    messages, bound = {}, set()
    for root in roots:
        for message in root.iterfind(f"{WSDL}message"):
            name = etree.QName(root.get("targetNamespace"), message.get("name")).text
            parts = message.findall(f"{WSDL}part")
            types = [(it.get("name"), resolved(it, it.get("type"))) for it in parts if it.get("type")]
            # Parts that are elements are header blocks, or the message is not rpc.
            if types or not parts:
                messages[name] = types
        for binding in root.iterfind(f"{WSDL}binding"):
            if any(it.tag in SOAP_BINDINGS for it in binding):
                bound.add(resolved(binding, binding.get("type")))
    found = {}
    for root in roots:
        for kind in root.iterfind(f"{WSDL}portType"):
            if etree.QName(root.get("targetNamespace"), kind.get("name")).text not in bound:
                continue
            for operation, direction in itertools.product(
                kind.iterfind(f"{WSDL}operation"), ("input", "output")
            ):
                side = operation.find(f"{WSDL}{direction}")
                parts = None if side is None else messages.get(resolved(side, side.get("message")))
                if parts is not None:
                    found.setdefault((operation.get("name"), direction), []).append(parts)
    return found


def resolved(element, name):
    """`prefix:name` as `{namespace}name`."""
    prefix, _, local = name.rpartition(":")
    return etree.QName(element.nsmap.get(prefix or None), local).text


@functools.cache
def schema_of(path, content):
    """Returns all schemas that a WSDL or XSD reaches, as one, with an element `instance` of a type or
    with a child for each part; and the components that libxml2 rejects, by name. These are omitted,
    and so are components that need them."""
    driver, copies, left_out = kept(driver_of(path, content)), {}, {}
    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(Copies(copies))
    while True:
        try:
            return etree.XMLSchema(etree.parse(driver, parser)), left_out
        except etree.XMLSchemaParseError as error:
            first = error.error_log[0]
            name = leave_out(copies, first) if len(left_out) < 100 else None
            left_out[name or ""] = f"{first.message} ({os.path.basename(first.filename)})"
            if name is None:
                return None, left_out


class Copies(etree.Resolver):
    """Serves modified copies of documents to libxml2."""

    def __init__(self, copies):
        super().__init__()
        self.copies = copies

    def resolve(self, url, _, context):
        copy = self.copies.get(url)
        return copy and self.resolve_string(copy, context, base_url=url)


def leave_out(copies, error):
    """Removes the global component with an error from its document; returns its name, if any."""
    try:
        document = copies.get(error.filename) or open(error.filename, "rb").read()
    except OSError:
        return None
    root = etree.fromstring(document)
    before = [it for it in root if it.get("name") and it.sourceline <= error.line]
    if not before:
        return None
    root.remove(before[-1])
    copies[error.filename] = etree.tostring(root)
    return before[-1].get("name")


def driver_of(path, content):
    """Returns a schema that imports all others."""
    documents = {}
    root = etree.parse(path).getroot()
    if root.tag == f"{XSD}schema":
        documents[root.get("targetNamespace")] = [path]
    else:
        inline = []
        collect(path, set(), documents, inline)
        write(inline, documents)
    driver = etree.Element(f"{XSD}schema")
    for namespace, paths in documents.items():
        import_all(driver, namespace, paths)
    if isinstance(content, str):
        declare(driver, "instance", content)
    elif content is not None:
        instance = etree.SubElement(driver, f"{XSD}element", name="instance")
        kind = etree.SubElement(instance, f"{XSD}complexType")
        sequence = etree.SubElement(kind, f"{XSD}sequence")
        for name, type_name in content:
            declare(sequence, name, type_name)
    return driver


def declare(parent, name, type_name):
    """Returns an element of a type, `{namespace}Type`."""
    kind = etree.QName(type_name)
    element = etree.SubElement(parent, f"{XSD}element", nsmap={"of": kind.namespace}, name=name)
    prefixes = {uri: prefix for prefix, uri in element.nsmap.items()}
    element.set("type", f"{prefixes[kind.namespace]}:{kind.localname}")


def collect(path, seen, documents, inline):
    """Finds the schemas of a WSDL and of those that it imports."""
    if path in seen:
        return
    seen.add(path)
    root = etree.parse(path).getroot()
    for element in root.iterfind(f"{WSDL}import"):
        if element.get("location"):
            collect(beside(path, element.get("location")), seen, documents, inline)
    for schema in root.iterfind(f"{WSDL}types/{XSD}schema"):
        for element in schema:
            if element.get("schemaLocation"):
                element.set("schemaLocation", beside(path, element.get("schemaLocation")))
        if any(it.tag != f"{XSD}import" for it in schema.iterchildren("*")):
            inline.append(schema)
            continue
        # Only imports.
        for element in schema.iterfind(f"{XSD}import[@schemaLocation]"):
            paths = documents.setdefault(element.get("namespace"), [])
            if element.get("schemaLocation") not in paths:
                paths.append(element.get("schemaLocation"))


def write(inline, documents):
    """Creates documents from inline schemas, which may import each other by namespace only."""
    written = {}
    for schema in inline:
        # The name comes first: a schema may import a later one.
        name = kept(etree.Element("empty"))
        written.setdefault(schema.get("targetNamespace"), []).append((schema, name))
    for namespace, schemas in written.items():
        for schema, name in schemas:
            imported = {it.get("namespace"): it for it in schema.iterfind(f"{XSD}import")}
            # Many schemas use others without importing them.
            for other in written.keys() - imported.keys() - {namespace}:
                imported[other] = etree.Element(f"{XSD}import")
                if other:
                    imported[other].set("namespace", other)
                schema.insert(0, imported[other])
            for other, element in imported.items():
                if other in written and not element.get("schemaLocation"):
                    element.set("schemaLocation", written[other][0][1])
            with open(name, "wb") as file:
                # With the prefixes that the WSDL declares around it.
                file.write(etree.tostring(schema, with_tail=False))
    for namespace, schemas in written.items():
        documents.setdefault(namespace, []).extend(name for _, name in schemas)


def import_all(driver, namespace, paths):
    """Merges documents of a namespace by includes: libxml2 accepts one document per namespace."""
    location = paths[0]
    if len(paths) > 1:
        whole = etree.Element(f"{XSD}schema")
        if namespace:
            whole.set("targetNamespace", namespace)
        for path in paths:
            etree.SubElement(whole, f"{XSD}include", schemaLocation=path)
        location = kept(whole)
    element = etree.SubElement(driver, f"{XSD}import", schemaLocation=location)
    if namespace:
        element.set("namespace", namespace)


def beside(path, location):
    """Resolves a location relative to a document; URLs are unchanged, and not fetched."""
    return location if "://" in location else os.path.normpath(
        os.path.join(os.path.dirname(path), unquote(location)))


def kept(element):
    """Returns the path of a temporary document, deleted when the program ends."""
    handle, path = tempfile.mkstemp(suffix=".xsd", dir=FOLDER.name)
    with os.fdopen(handle, "wb") as file:
        file.write(etree.tostring(element))
    return path


FOLDER = tempfile.TemporaryDirectory()
main()

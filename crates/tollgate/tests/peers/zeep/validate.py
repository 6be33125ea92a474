"""Says whether documents are valid by their schemas, as libxml2 sees it.

One JSON object a line on standard input: {"schema": path of an XSD or WSDL, "xml": text}, one JSON
object a line on standard output: {"valid": true} or {"valid": false, "error": text}. The root may
be an Envelope: then its Body's child, or each child of a fault's detail, is judged alone. A type
may be named for a root that no schema declares: "type": "{namespace}Type".
"""

import copy
import functools
import json
import os
import sys
import tempfile
from urllib.parse import unquote

from lxml import etree

XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
SOAP = ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")


def main():
    for line in sys.stdin:
        wanted = json.loads(line)
        try:
            verdict = judge(wanted)
        except (etree.XMLSyntaxError, etree.XMLSchemaParseError, OSError) as error:
            verdict = f"{type(error).__name__}: {error}"
        answer = {"valid": False, "error": verdict} if verdict else {"valid": True}
        print(json.dumps(answer), flush=True)


def judge(wanted):
    """The first fault, or nothing."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(wanted["xml"].encode(), parser)
    schema = schema_of(os.path.abspath(wanted["schema"]), wanted.get("type"))
    if wanted.get("type"):
        root.tag = "instance"
    for element in contents(root):
        if not schema.validate(element):
            return "; ".join(f"line {it.line}: {it.message}" for it in schema.error_log)
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
        return [copy.deepcopy(child)]
    detail = child.find("detail")
    if detail is None:
        detail = child.find(f"{{{name.namespace}}}Detail")
    return [] if detail is None else [copy.deepcopy(it) for it in detail]


@functools.cache
def schema_of(path, type_name):
    """All schemas that a WSDL or XSD reaches, as one; with an element `instance` of the type."""
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
    if type_name:
        name = etree.QName(type_name)
        element = f'<e xmlns:t="{name.namespace}" name="instance" type="t:{name.localname}"/>'
        driver.append(etree.fromstring(element))
        driver[-1].tag = f"{XSD}element"
    return etree.XMLSchema(etree.parse(kept(driver)))


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
        # Nothing but imports.
        for element in schema.iterfind(f"{XSD}import[@schemaLocation]"):
            paths = documents.setdefault(element.get("namespace"), [])
            if element.get("schemaLocation") not in paths:
                paths.append(element.get("schemaLocation"))


def write(inline, documents):
    """Makes documents of inline schemas, which may import each other by namespace alone."""
    written = {}
    for schema in inline:
        # The name comes first: a schema may import one that stands behind it.
        name = kept(etree.Element("empty"))
        written.setdefault(schema.get("targetNamespace"), []).append((schema, name))
    for namespace, schemas in written.items():
        for schema, name in schemas:
            imported = {it.get("namespace"): it for it in schema.iterfind(f"{XSD}import")}
            # Many schemas use their neighbours without saying so.
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
    """libxml2 takes one document for a namespace, so several become one that includes them."""
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
    """A location as seen from a document; addresses stay as they are, and are not fetched."""
    return location if "://" in location else os.path.normpath(
        os.path.join(os.path.dirname(path), unquote(location)))


def kept(element):
    """The path of a temporary document, gone when the program ends."""
    handle, path = tempfile.mkstemp(suffix=".xsd", dir=FOLDER.name)
    with os.fdopen(handle, "wb") as file:
        file.write(etree.tostring(element))
    return path


FOLDER = tempfile.TemporaryDirectory()
main()

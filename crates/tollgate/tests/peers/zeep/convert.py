"""Reads XML documents with lxml, and returns them as JSON by the convention of the policy
`xml_to_json` with its defaults.

{"documents": [text, ...]} on standard input; on standard output one object for each document:
{"root": name, "json": value}, or {"error": text} if libxml2 rejects it.
"""

import json
import sys

from lxml import etree

XML = "http://www.w3.org/XML/1998/namespace"


def main():
    documents = json.load(sys.stdin)["documents"]
    print(json.dumps([read(document) for document in documents]))


def read(document):
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(document.encode(), parser)
    except etree.XMLSyntaxError as error:
        return {"error": str(error)}
    return {"root": prefixed(root, root.tag), "json": value(root, {})}


def value(element, around):
    """Returns the value of an element, below elements that declare these prefixes."""
    members = {}
    for prefix, uri in element.nsmap.items():
        if around.get(prefix) != uri:
            members[f"@xmlns:{prefix}" if prefix else "@xmlns"] = uri
    if None in around and None not in element.nsmap:
        members["@xmlns"] = ""
    for name, text in element.attrib.items():
        members[f"@{prefixed(element, name, is_attribute=True)}"] = text
    children = list(element.iterchildren("*"))
    text = "".join(piece for piece in pieces(element) if not children or piece.strip(" \t\r\n"))
    if not members and not children:
        return text
    if text:
        members["#text"] = text
    for child in children:
        name, inner = prefixed(child, child.tag), value(child, element.nsmap)
        if name not in members:
            members[name] = inner
        elif isinstance(members[name], list):
            members[name].append(inner)
        else:
            members[name] = [members[name], inner]
    return members


def pieces(element):
    """Returns the texts between child elements; comments and instructions do not separate them."""
    found = [element.text or ""]
    for node in element.iterchildren():
        if isinstance(node.tag, str):
            found.append(node.tail or "")
        else:
            found[-1] += node.tail or ""
    return found


def prefixed(element, name, is_attribute=False):
    """`{namespace}name` with the prefix of the document."""
    parts = etree.QName(name)
    if parts.namespace is None:
        return parts.localname
    if parts.namespace == XML:
        return f"xml:{parts.localname}"
    if not is_attribute:
        return f"{element.prefix}:{parts.localname}" if element.prefix else parts.localname
    prefixes = (prefix for prefix, uri in element.nsmap.items() if uri == parts.namespace and prefix)
    return f"{next(prefixes)}:{parts.localname}"


main()

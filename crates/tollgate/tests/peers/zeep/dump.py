"""Calls a SOAP service with zeep, unmodified, and prints the responses as JSON.

Standard input: {"wsdl": URL or path, "service": name, "port": name, "address": URL or absent,
"headers": {HTTP header: value} or absent, "calls": [{"operation": name, "arguments": {…},
"soapheaders": {…} or absent}]}.
Standard output: one JSON array, an object for each call: {"operation", "answer"}, or {"operation",
"fault"}, or {"operation", "error"} if there was neither. Keys are sorted, types are named, so
that two dumps are equal when zeep has read the same.

Arguments are JSON. {"@type": "{namespace}Type", …} is a value of that type, {"@nil": true} is
xsi:nil, {"@base64": text} are bytes, {"@xml": text} is an element as is, {"@element":
"{namespace}name", "value": …} is a global element.
"""

import base64
import datetime
import decimal
import json
import sys

import requests
import zeep
from lxml import etree
from zeep.xsd import AnyObject, CompoundValue, Nil


def main():
    wanted = json.load(sys.stdin, parse_float=decimal.Decimal)
    session = requests.Session()
    session.headers.update(wanted.get("headers", {}))
    # The environment's proxies do not apply to loopback.
    session.trust_env = False
    client = zeep.Client(
        wanted["wsdl"],
        transport=zeep.Transport(session=session, timeout=60, operation_timeout=60),
        settings=zeep.Settings(strict=True, xsd_ignore_sequence_order=False),
    )
    service = client.bind(wanted.get("service"), wanted.get("port"))
    if wanted.get("address"):
        service = client.create_service(service._binding.name, wanted["address"])
    dumps = [call(client, service, one) for one in wanted["calls"]]
    json.dump(dumps, sys.stdout, sort_keys=True, indent=1, ensure_ascii=False)
    print()


def call(client, service, one):
    dump = {"operation": one["operation"]}
    try:
        arguments = {name: given(client, it) for name, it in one.get("arguments", {}).items()}
        # A bare message of a simple type has no name of its own.
        positional = [arguments.pop("")] if "" in arguments else []
        if "soapheaders" in one:
            arguments["_soapheaders"] = {
                name: given(client, it) for name, it in one["soapheaders"].items()
            }
        dump["answer"] = read(service[one["operation"]](*positional, **arguments))
    except zeep.exceptions.Fault as fault:
        dump["fault"] = {
            "code": fault.code,
            "message": fault.message,
            "actor": fault.actor,
            "subcodes": [str(subcode) for subcode in fault.subcodes or []],
            "detail": None if fault.detail is None else canonical(fault.detail),
        }
    except Exception as error:  # What zeep makes of an answer is the result, whatever it is.
        dump["error"] = f"{type(error).__name__}: {error}"
    return dump


def given(client, value):
    """Converts a JSON value to zeep's form."""
    if isinstance(value, list):
        return [given(client, it) for it in value]
    if not isinstance(value, dict):
        return value
    if "@nil" in value:
        return Nil
    if "@base64" in value:
        return base64.b64decode(value["@base64"])
    if "@xml" in value:
        return etree.fromstring(value["@xml"])
    if "@element" in value:
        element = client.get_element(value["@element"])
        inner = given(client, value["value"])
        return AnyObject(element, element(**inner) if isinstance(inner, dict) else element(inner))
    fields = {name: given(client, it) for name, it in value.items() if name != "@type"}
    return client.get_type(value["@type"])(**fields) if "@type" in value else fields


def read(value):
    """Returns a response of zeep as lossless JSON."""
    if isinstance(value, CompoundValue):
        read_type = value._xsd_type
        fields = {name: read(value[name]) for name in value}
        return {"@type": str(read_type.qname or read_type.name), **fields}
    if isinstance(value, dict):
        return {str(name): read(it) for name, it in value.items()}
    if isinstance(value, (list, tuple)):
        return [read(it) for it in value]
    if isinstance(value, AnyObject):
        return {"@element": str(value.xsd_elm and value.xsd_elm.qname), "value": read(value.value)}
    if isinstance(value, etree._Element):
        return canonical(value)
    if isinstance(value, bytes):
        return {"@base64": base64.b64encode(value).decode()}
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return repr(value)
    # Decimals with their digits, durations, QNames, text.
    return str(value)


def canonical(element):
    """Returns canonical XML with prefixes by order: equal for equal content."""
    if isinstance(element, bytes):  # What zeep gives as detail of an answer that was no envelope.
        return element.decode(errors="replace")
    return etree.canonicalize(
        etree.tostring(element, with_tail=False).decode(),
        rewrite_prefixes=True,
        qname_aware_attrs=["{http://www.w3.org/2001/XMLSchema-instance}type"],
    )


main()

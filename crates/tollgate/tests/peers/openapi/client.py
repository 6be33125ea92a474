"""Calls the shop as REST with a client that OpenAPI Generator made of its document, unmodified, and
as SOAP with zeep, and prints what both have read.

Standard input: {"client": folder of the generated package `shop`, "key": what the gateway asks for,
"wsdl": URL of the server's own}.
Standard output: {call: {"read": what the client read, or {"status", "problem"} of an error, or
{"failed": why}, "differs": where zeep has read something else, or null}}.
"""

import decimal
import importlib
import json
import sys

import isodate
import requests
import zeep
from pydantic import BaseModel
from zeep.xsd import CompoundValue, Nil

# What zeep reads, as text, of attributes that are not there: their defaults.
DEFAULTS = {"priority": "false", "by": "shop"}


def main():
    wanted = json.load(sys.stdin)
    sys.path.insert(0, wanted["client"])
    shop = importlib.import_module("shop")
    settings = shop.Configuration(api_key={"key": wanted["key"]})
    api = shop.DefaultApi(shop.ApiClient(settings))
    session = requests.Session()
    # Proxies of the environment are not for loopback.
    session.trust_env = False
    client = zeep.Client(wanted["wsdl"], transport=zeep.Transport(session=session))
    direct = client.bind("Shop", "ShopSoap12")
    calls = [*reads(api, direct), *writes(shop, api, client, direct)]
    json.dump({name: result(shop, *each) for name, *each in calls}, sys.stdout)


def reads(api, direct):
    """Names of calls, what makes them, and what zeep makes of the same call."""
    query = {"status": ["in transit", "delivered"], "limit": 2}
    return [
        ("path", lambda: api.get_order(5).order, lambda: direct.getOrder(5)),
        ("nil", lambda: api.get_order(12).order, lambda: direct.getOrder(12)),
        (
            "query",
            lambda: api.search_orders(placed_from="2026-01-20", **query),
            lambda: direct.searchOrders(placedFrom=isodate.parse_date("2026-01-20"), **query),
        ),
        ("derived", lambda: api.get_item("TB-0002").item, lambda: direct.getItem("TB-0002")),
        (
            "recursion",
            lambda: api.get_categories(3).category,
            lambda: direct.getCategories(3),
        ),
        # zeep cannot read a substitution group.
        ("substitution", lambda: api.list_items(limit=3), None),
        ("scalar", lambda: api.lookup_stock("BK-0001"), lambda: direct.lookupStock("BK-0001")),
        ("void", lambda: api.delete_order(6), None),
        ("fault.declared", lambda: api.get_order(61), None),
        ("fault.undeclared", lambda: api.get_order(500), None),
        ("refused", lambda: api.search_orders(customer="\u0000"), None),
    ]


def writes(shop, api, client, direct):
    """The same of calls with a body."""
    catalog = "{http://shop.example/catalog}"
    book = {"sku": "TB-0002", "name": "T <2>", "stock": 3, "author": ["A"], "subject": "Maths"}
    gadget = {"sku": "GD-0001", "name": "g", "stock": 0}
    customer = {"number": "C9", "name": "Ann & Bob"}

    def order(reference, lines):
        new = shop.NewOrder(
            type="NewOrder",
            reference=reference,
            customer=shop.Customer(**customer),
            lines=shop.Lines(line=lines),
            voucher=shop.Voucher(pin="0042", value="V-1"),
            note=["a", "", "c\n d"],
        )
        body = shop.CreateOrderRequest(order=shop.CreateOrderRequestOrder(new))
        return api.create_order(body, x_soap_session_token="t<1>")

    def line(product, **more):
        price = shop.Money(value=12.3, currency="EUR")
        return shop.Line(product=shop.LineProduct(product), price=price, **more)

    def lines():
        part = line(
            shop.Gadget(type="Gadget", volts=None, **gadget),
            number=2,
            quantity=shop.LineQuantity(7),
        )
        whole = shop.Textbook(type="Textbook", level=3, **book)
        return [line(whole, number=1, quantity=shop.LineQuantity("half"), part=[part])]

    def their_order():
        price = {"_value_1": "12.3", "currency": "EUR"}
        part = client.get_type(catalog + "Gadget")(volts=Nil, **gadget)
        whole = client.get_type(catalog + "Textbook")(level=3, **book)
        part = {"product": part, "quantity": "7", "price": price, "number": 2}
        whole = {"product": whole, "quantity": "half", "price": price, "number": 1, "part": [part]}
        new = {
            "reference": "X-1",
            "customer": customer,
            "lines": {"line": [whole]},
            "voucher": {"_value_1": "V-1", "pin": "0042"},
            "note": ["a", "", "c\n d"],
        }
        answer = direct.createOrder(new, _soapheaders={"session": {"token": "t<1>"}})
        return answer.body

    values = {"string": ' <&"> ', "int": -7, "boolean": True, "date": "2026-02-28"}
    shape = {"left": 1}

    def echoed():
        sent = [shop.Values(nothing=None, numbers=[1, 2], **values)]
        return api.echo_values(shop.EchoValues(values=sent)).values

    def shapes():
        drawing = shop.Drawing(circle_or_square_or_text=[
            shop.DrawingCircleOrSquareOrTextInner(text="t"),
            shop.DrawingCircleOrSquareOrTextInner(square=shop.Square(side=shop.CircleRadius(2))),
        ])
        sent = shop.Shapes(drawing=drawing, way=shop.Way(**shape))
        return api.echo_shapes(shop.EchoShapes(shapes=sent)).shapes

    return [
        ("nested", lambda: order("X-1", lines()), their_order),
        ("fault.simple", lambda: order("DUPLICATE", lines()), None),
        ("fault.typed", lambda: order("X-2", []), None),
        ("echoed", echoed, None),
        ("choices", shapes, None),
        (
            "one_way",
            lambda: api.notify_shipped(
                shop.NotifyShipped(order_id=53, shipped="2026-01-01T00:00:00Z")
            ),
            None,
        ),
    ]


def result(shop, ours, theirs):
    try:
        read = ours()
    except shop.ApiException as error:
        return {"read": {"status": error.status, "problem": typed(error.data)}, "differs": None}
    except Exception as error:  # What the client makes of an answer is the result, whatever it is.
        return {"read": {"failed": f"{type(error).__name__}: {error}"}, "differs": None}
    differs = theirs and next(differences(read, theirs(), ""), None)
    return {"read": typed(read), "differs": differs}


def actual(value):
    """What a class for one of several holds."""
    while hasattr(value, "actual_instance"):
        value = value.actual_instance
    return value


def fields(model):
    """The values of a model by the names of JSON."""
    of = type(model).model_fields
    return {it.alias or name: actual(getattr(model, name)) for name, it in of.items()}


def typed(value):
    """A model as JSON, with the names of its classes, without what may be absent and is None."""
    value = actual(value)
    if isinstance(value, BaseModel):
        of = type(value).model_fields
        needed = {it.alias or name for name, it in of.items() if it.is_required()}
        read = fields(value).items()
        read = {name: typed(it) for name, it in read if it is not None or name in needed}
        return {"class": type(value).__name__, **read}
    if isinstance(value, list):
        return [typed(it) for it in value]
    return value


def differences(ours, theirs, at):
    """Where two clients have read something else."""
    ours = actual(ours)
    if isinstance(theirs, CompoundValue):
        read = fields(ours)
        name = theirs._xsd_type.name
        if name and read.get("@type") not in (None, name):
            yield f"{at}: {read['@type']} and not {name}"
        for key in theirs:
            name = "value" if key == "_value_1" else key
            value = read.pop(name, None)
            if value is not None or theirs[key] != DEFAULTS.get(key, value):
                yield from differences(value, theirs[key], f"{at}/{name}")
        others = {key for key, value in read.items() if value is not None} - {"@type", "@element"}
        if others:
            yield f"{at}: {others} too"
    elif isinstance(theirs, list):
        ours = ours or []
        if len(ours) != len(theirs):
            yield f"{at}: {len(ours)} and not {len(theirs)}"
        for index, (one, other) in enumerate(zip(ours, theirs)):
            yield from differences(one, other, f"{at}/{index}")
    elif value_of(ours, theirs) != theirs:
        yield f"{at}: {ours!r} and not {theirs!r}"


def value_of(ours, theirs):
    """A value in the type that zeep has for it."""
    if isinstance(theirs, tuple):  # A year, perhaps a month, and no zone.
        return *(int(it) for it in ours.split("-")), None
    if isinstance(theirs, decimal.Decimal):
        return decimal.Decimal(str(ours))
    if hasattr(theirs, "hour"):
        return isodate.parse_datetime(ours)
    if hasattr(theirs, "isoformat"):
        return isodate.parse_date(ours)
    # Text where XML has no other type, such as in a union.
    return str(ours) if isinstance(theirs, str) and ours is not None else ours


main()

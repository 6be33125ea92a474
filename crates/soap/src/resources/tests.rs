use super::*;
use crate::plan::{Element, Header, Message, Name, NamespaceId, Simple, TypeId, WhiteSpace};
use crate::plan::{Elements, Field};
use crate::version::SoapVersion;

fn name(local: &str) -> Name {
    Name {
        namespace: NamespaceId(0),
        local: local.into(),
    }
}

fn element(local: &str, ty: TypeId) -> Element {
    Element {
        name: name(local),
        ty,
        nillable: false,
        is_abstract: false,
        default: None,
        fixed: None,
    }
}

fn push(plan: &mut ServicePlan, ty: Type) -> TypeId {
    plan.types.push(ty);
    TypeId(plan.types.len() as u32 - 1)
}

fn simple(plan: &mut ServicePlan) -> TypeId {
    let simple = Simple {
        kind: Kind::String,
        white_space: WhiteSpace::Preserve,
        facets: None,
    };
    push(plan, Type::Simple(simple))
}

/// Makes a type from words such as `id`, `tag*` (an array) and `note?` (optional), or `a(b,c)`.
fn type_of(plan: &mut ServicePlan, fields: &str) -> TypeId {
    let (mut all, mut order) = (Vec::new(), Vec::new());
    for word in fields.split(' ').filter(|word| !word.is_empty()) {
        let (word, below) = match word.split_once('(') {
            Some((word, below)) => (word, Some(below.trim_end_matches(')').replace(',', " "))),
            None => (word, None),
        };
        let local = word.trim_end_matches(['*', '?']);
        let ty = match below {
            Some(below) => type_of(plan, &below),
            None => simple(plan),
        };
        let min = u32::from(local == word);
        let max = if word.ends_with('*') { None } else { Some(1) };
        order.push(Particle::Field(all.len() as u16, Occurs { min, max }));
        all.push(Field {
            json: local.into(),
            kind: FieldKind::Element(element(local, ty)),
            is_array: word.ends_with('*'),
        });
    }
    // As compiled from a contract: a sequence of one member is that member.
    let order = match order.len() {
        1 => order.remove(0),
        _ => Particle::Sequence(order, Presence::Required),
    };
    let complex = Complex {
        name: None,
        json: "T".into(),
        is_abstract: false,
        attributes: Vec::new(),
        any_attribute: false,
        content: Content::Elements(Elements { fields: all, order }),
        derived: Vec::new(),
        is_list: false,
    };
    push(plan, Type::Complex(complex))
}

fn plan(operations: &[(&str, &str)]) -> ServicePlan {
    let mut plan = ServicePlan::default();
    for (operation, fields) in operations {
        let ty = type_of(&mut plan, fields);
        plan.operations.push(Operation {
            name: (*operation).into(),
            overload: None,
            version: SoapVersion::V1_1,
            action: "".into(),
            request: Message {
                body: Some(element(operation, ty)),
                headers: Vec::new(),
                is_rpc: false,
            },
            response: None,
            faults: Vec::new(),
            proxy_only: None,
        });
    }
    plan
}

fn path(text: &str) -> PathTemplate {
    PathTemplate::parse(text).expect("a path")
}

fn shown(resource: &Resource) -> String {
    let parameters = resource.parameters.iter().map(|parameter| {
        let place = match parameter.place {
            Place::Path => "path",
            Place::Query => "query",
            Place::Header => "header",
        };
        let more = if parameter.is_array { "*" } else { "" };
        let required = if parameter.required { "!" } else { "" };
        format!(
            " {place}:{}{more}{required}=/{}",
            parameter.name,
            parameter.path.join("/")
        )
    });
    format!(
        "{} {}{}",
        resource.method,
        resource.path,
        parameters.collect::<String>()
    )
}

#[test]
fn an_overload_has_the_words_of_its_message_and_never_only_a_number() {
    let rows = [
        (
            "find_2",
            Some("find-by-name"),
            "name",
            "GET /find-by-name query:name!=/name",
        ),
        (
            "getOrder_2",
            Some("get-order-by-id"),
            "id",
            "GET /order-by-id/{id} path:id!=/id",
        ),
        ("getOrder_3", Some("order-of-ann"), "", "GET /order-of-ann"),
        // No GET, since its inputs are not flat, or no method by its first word.
        (
            "find_2",
            Some("find-by-name"),
            "lines*(a)",
            "POST /find-by-name",
        ),
        ("make_2", Some("make-again"), "id", "POST /make-again"),
        ("make_2", Some("other"), "id", "POST /make_2"),
        ("find_2", None, "id", "POST /find_2"),
    ];
    for (operation, words, fields, expected) in rows {
        let mut plan = plan(&[(operation, fields), ("other", "")]);
        plan.operations[0].overload = words.map(Into::into);
        assert_eq!(
            shown(&propose(&plan, Style::Rest)[0]),
            expected,
            "{words:?}"
        );
        let by_name = format!("POST /{operation}");
        assert_eq!(shown(&propose(&plan, Style::Rpc)[0]), by_name);
    }
}

// rest.resource.proposed
#[test]
fn names_and_inputs_decide_on_the_resource() {
    let rows = [
        (
            "getOrder",
            "orderId",
            "GET /order/{orderId} path:orderId!=/orderId",
        ),
        (
            "searchOrders",
            "from? tag*",
            "GET /orders query:from=/from query:tag*=/tag",
        ),
        ("GetHTTPStatus", "", "GET /http-status"),
        (
            "find_big.orders",
            "id number",
            "GET /big-orders query:id!=/id query:number!=/number",
        ),
        (
            "getRoute",
            "fromId toId",
            "GET /route query:fromId!=/fromId query:toId!=/toId",
        ),
        (
            "getOrder",
            "request(orderId,full)",
            "GET /order/{orderId} path:orderId!=/request/orderId query:full!=/request/full",
        ),
        ("getOrder", "request(a(b))", "POST /getOrder"),
        ("getAll", "lines*(a)", "POST /getAll"),
        ("get", "id", "POST /get"),
        ("get_2", "id", "POST /get_2"),
        (
            "deleteOrder",
            "id reason?",
            "DELETE /order/{id} path:id!=/id query:reason=/reason",
        ),
        ("updateOrder", "id note", "PUT /order/{id} path:id!=/id"),
        (
            "updateOrder",
            "order(id,lines)",
            "PUT /order/{id} path:id!=/order/id",
        ),
        (
            "updateOrder",
            "orderId change(a(b),id)",
            "PUT /order/{orderId} path:orderId!=/orderId",
        ),
        ("patchOrder", "id?", "PATCH /order"),
        ("createOrder", "id", "POST /createOrder"),
        ("issue", "id", "POST /issue"),
        ("getGröße", "", "GET /gr%C3%B6%C3%9Fe"),
        // rest.name.resource: a name with characters that a path cannot contain, or with a leading
        // digit.
        (
            "list_2ndRow.A-b",
            "größe? x.y-z?",
            "GET /2nd-row-a-b query:größe=/größe query:x.y-z=/x.y-z",
        ),
        (
            "getOrder",
            "größeId",
            "GET /order/{größeId} path:größeId!=/größeId",
        ),
        (
            "getPrice",
            "phoneNumber",
            "GET /price query:phoneNumber!=/phoneNumber",
        ),
    ];
    for (operation, fields, expected) in rows {
        let plan = plan(&[(operation, fields)]);
        let proposed = propose(&plan, Style::Rest);
        assert_eq!(shown(&proposed[0]), expected, "{operation}({fields})");
        assert_eq!(faults(&plan, &proposed, &[]), [], "{operation}({fields})");
        let rpc = propose(&plan, Style::Rpc);
        assert_eq!(shown(&rpc[0]), format!("POST /{}", segment(operation)));
        assert_eq!(faults(&plan, &rpc, &[]), []);
    }
}

// rest.resource.clash
#[test]
fn two_operations_never_share_a_place() {
    let plan = plan(&[("getOrder", "id"), ("findOrder", "code"), ("getOrders", "")]);
    let shown: Vec<_> = propose(&plan, Style::Rest).iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            "GET /order/{id} path:id!=/id",
            "POST /findOrder",
            "GET /orders"
        ]
    );
}

// rest.resource.header
#[test]
fn flat_header_blocks_become_fields_of_the_head() {
    let mut plan = plan(&[("getOrder", "headers? id")]);
    let (flat, text) = (type_of(&mut plan, "user level?"), simple(&mut plan));
    let deep = type_of(&mut plan, "a(b(c))");
    let parts = [
        ("auth", flat),
        ("session", text),
        ("deep", deep),
        ("nämé", text),
    ];
    plan.operations[0].request.headers = parts
        .map(|(part, ty)| Header {
            part: part.into(),
            element: element(part, ty),
        })
        .into();
    let proposed = propose(&plan, Style::Rest);
    assert_eq!(
        shown(&proposed[0]),
        "GET /order/{id} path:id!=/id query:headers=/headers \
         header:X-Soap-auth-user=/@headers/auth/user header:X-Soap-auth-level=/@headers/auth/level \
         header:X-Soap-session=/@headers/session"
    );
    assert_eq!(faults(&plan, &proposed, &[]), []);
}

// rest.resource.wrong
#[test]
fn faults_of_an_edited_list_are_reported() {
    let plan = plan(&[("getOrder", "id note?"), ("listOrders", "")]);
    let edited = |edit: fn(&mut Vec<Resource>)| {
        let mut resources = propose(&plan, Style::Rest);
        edit(&mut resources);
        let faults = faults(&plan, &resources, &[]).into_iter();
        faults
            .map(|fault| format!("/{}{}: {}", fault.resource, fault.field, fault.sentence))
            .collect::<Vec<_>>()
    };
    assert_eq!(edited(|of| of[0].path = path("/orders/{id}")), [""; 0]);
    assert_eq!(
        edited(|of| (of[0].path, of[0].parameters) = (path("/order"), Vec::new())),
        ["/0/method: GET has no body, and /id is required"]
    );
    assert_eq!(
        edited(|of| of[0].parameters[1].path = vec!["nope".into()]),
        ["/0/parameters/1/path: /nope is not a scalar of the request"]
    );
    assert_eq!(
        edited(|of| of[0].parameters[1].is_array = true),
        ["/0/parameters/1/is_array: /note is not an array"]
    );
    assert_eq!(
        edited(|of| of[1].operation = "nope".into()),
        ["/1/operation: the contract has no operation \"nope\""]
    );
}

// rest.reimport.merged
#[test]
fn edited_resources_survive_a_new_import() {
    let before = plan(&[
        ("getOrder", "id"),
        ("listOrders", ""),
        ("getItem", "sku"),
        ("findShops", "town? colour?"),
    ]);
    let mut edited = propose(&before, Style::Rest);
    edited[0].path = path("/orders/{id}");
    edited[1].enabled = false;
    edited[2].path = path("/items/{sku}");
    (edited[3].path, edited[3].enabled) = (path("/all-shops"), false);
    let after = plan(&[
        ("getOrder", "id full?"),
        ("getItem", "code"),
        ("getOrders", "id"),
        ("findShops", "town? country"),
    ]);
    let Merged { resources, changes } = merge(&after, &edited, Style::Rest, &[]);
    assert_eq!(
        changes,
        [
            Change::Broken {
                operation: "getItem".into(),
                reasons: vec![
                    "/sku is not a scalar of the request".into(),
                    "GET has no body, and /code is required".into(),
                ],
            },
            Change::Added {
                operation: "getOrders".into()
            },
            Change::Broken {
                operation: "findShops".into(),
                reasons: vec![
                    "/colour is not a scalar of the request".into(),
                    "GET has no body, and /country is required".into(),
                ],
            },
            Change::Removed {
                operation: "listOrders".into()
            },
        ]
    );
    assert_eq!(
        resources.iter().map(shown).collect::<Vec<_>>(),
        [
            "GET /orders/{id} path:id!=/id",
            "GET /items/{code} path:code!=/code",
            "POST /getOrders",
            "GET /all-shops query:town=/town query:country!=/country",
        ]
    );
    // An operation that could not be called before cannot be called now.
    assert!(!resources[3].enabled);
    let again = merge(&after, &resources, Style::Rest, &[]);
    assert_eq!((again.resources, again.changes), (resources, Vec::new()));
}

#[test]
fn a_configured_header_is_not_a_parameter() {
    let mut plan = plan(&[("getOrder", "id")]);
    let text = simple(&mut plan);
    plan.operations[0].request.headers = vec![Header {
        part: "session".into(),
        element: element("session", text),
    }];
    let proposed = propose(&plan, Style::Rest);
    let merged = merge(&plan, &proposed, Style::Rest, &["session"]);
    assert_eq!(
        merged.resources.iter().map(shown).collect::<Vec<_>>(),
        ["GET /order/{id} path:id!=/id"]
    );
    assert_eq!(faults(&plan, &proposed, &["session"]).len(), 1);
}

#[test]
fn a_proposal_leaves_edited_places_alone() {
    let plan = plan(&[("createOrder", "id"), ("place", "id")]);
    let mut edited = propose(&plan, Style::Rest);
    edited.truncate(1);
    edited[0].path = path("/place");
    let merged = merge(&plan, &edited, Style::Rest, &[]);
    let shown: Vec<_> = merged.resources.iter().map(shown).collect();
    assert_eq!(shown, ["POST /place", "POST /place-2"]);
}

//! Converts the kept parts of a Swagger 2.0 document: its servers and security schemes. Its
//! operations are the same in both versions, except for content that is not kept.

use super::{CONVERTED_VERSION, flow_name, server_urls};
use crate::tree::{Map, Node};

/// Fields of the document that 3.0 does not have.
const REMOVED: [&str; 6] = [
    "swagger",
    "consumes",
    "produces",
    "definitions",
    "parameters",
    "responses",
];

/// Converts the root of a document.
pub(crate) fn convert_root(root: &mut Map) {
    for key in REMOVED {
        root.take(key);
    }
    root.put("openapi", Node::Text(CONVERTED_VERSION.to_owned()));
    let servers = servers(root);
    root.put("servers", Node::List(servers));
    let mut components = Map::default();
    if let Some(Node::Map(mut schemes)) = root.take("securityDefinitions") {
        schemes.values_mut().for_each(convert_scheme);
        components.put("securitySchemes", Node::Map(schemes));
    }
    root.put("components", Node::Map(components));
}

fn servers(root: &mut Map) -> Vec<Node> {
    let [host, base, schemes] = ["host", "basePath", "schemes"].map(|key| root.take(key));
    let text = |node: &Option<Node>| node.as_ref().and_then(Node::as_text).map(str::to_owned);
    let schemes = match &schemes {
        Some(Node::List(list)) => list.iter().filter_map(Node::as_text).collect(),
        _ => Vec::new(),
    };
    let base = text(&base).unwrap_or_default();
    let urls = server_urls(text(&host).as_deref(), &base, &schemes);
    let servers = urls.into_iter().map(|url| {
        let mut server = Map::default();
        server.put("url", Node::Text(url));
        Node::Map(server)
    });
    servers.collect()
}

fn convert_scheme(definition: &mut Node) {
    let Node::Map(scheme) = definition else {
        return;
    };
    match scheme.text("type") {
        Some("basic") => {
            scheme.put("type", Node::Text("http".to_owned()));
            scheme.put("scheme", Node::Text("basic".to_owned()));
        }
        Some("oauth2") => {
            let name = flow_name(scheme.text("flow"));
            let mut flow = Map::default();
            let scopes = scheme.take("scopes");
            flow.put(
                "scopes",
                scopes.unwrap_or_else(|| Node::Map(Map::default())),
            );
            let mut flows = Map::default();
            flows.put(name, Node::Map(flow));
            scheme.put("flows", Node::Map(flows));
        }
        _ => {}
    }
}

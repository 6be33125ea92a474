//! The commands of the guide, run as written: for a SOAP service, with Apache CXF, and for an API
//! that requires tokens. They start after the README's sign-in.

use std::process::Command;

use tollgate_testkit::upstream::refusing;
use tollgate_testkit::{Builder, Peer};

use crate::house::first_start;
use crate::peers::{peers, shop};
use crate::readme::{blocks, blocks_in};

/// Returns the shell commands of a page, after those of the README's sign-in.
fn walk(page: &str) -> String {
    let sign_in = include_str!("../../../../README.md");
    let sign_in = sign_in.split("\n## Publish, subscribe, call\n").nth(1);
    let sign_in = sign_in.and_then(|walk| walk.split("\n### 2.").next());
    blocks(sign_in.expect("the README's walk")) + &blocks(page)
}

/// Runs the commands of a page about a SOAP service; returns their output and the statuses of
/// their calls.
async fn run_page(page: &str, peer: &Peer) -> (String, Vec<String>) {
    let peers = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");
    let walk = walk(page)
        .replace("http://127.0.0.1:8181", &peer.url)
        .replace("crates/tollgate/tests/peers", peers);
    run_commands(&first_start(), &walk).await
}

/// Runs the commands with a new process; returns their output and the statuses of their calls.
async fn run_commands(builder: &Builder, walk: &str) -> (String, Vec<String>) {
    let tollgate = builder.start().unwrap();
    let (_, password) = tollgate.password.clone().unwrap();
    let walk = walk
        .replace("the one-time password that make run printed", &password)
        .replace("127.0.0.1:9000", &tollgate.control.to_string())
        .replace("127.0.0.1:8080", &tollgate.gateway.to_string());
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new("timeout")
        .args(["100", "sh", "-e", "-c", &walk])
        .current_dir(directory.path())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}\n{errors}");
    let statuses = printed.split("HTTP/1.1 ").skip(1);
    let statuses = statuses.filter_map(|rest| rest.get(..3).map(str::to_owned));
    let statuses = statuses.collect();
    (printed, statuses)
}

fn assert_contains(output: &str, expected: &[&str]) {
    for expected in expected {
        assert!(output.contains(expected), "no {expected:?} in\n{output}");
    }
}

#[tokio::test]
async fn the_guide_leads_from_a_contract_to_counted_soap_calls() {
    let Some(peers) = peers() else {
        return;
    };
    let page = include_str!("../../../../docs/guide/publish-a-soap-service.md");
    let (output, statuses) = run_page(page, &shop(&peers)).await;
    let expected = ["200", "200", "401", "500", "500", "200", "200", "500"];
    assert_eq!(statuses, expected, "{output}");
    assert_contains(
        &output,
        &[
            "\"code\": \"wsdl.port_left_out\"",
            "/shop/1.0?wsdl=1",
            "authenticate.missing",
            "no order 61",
            "admit.operation",
            "\"countShipped\"",
            "\"_unknown\"",
            "[] []",
        ],
    );
}

#[tokio::test]
async fn the_guide_leads_from_a_contract_to_rest_calls_of_a_soap_service() {
    let Some(peers) = peers() else {
        return;
    };
    let page = include_str!("../../../../docs/guide/turn-it-into-rest.md");
    let (output, statuses) = run_page(page, &shop(&peers)).await;
    let expected = [
        "200", "200", "200", "204", "202", "400", "400", "404", "409",
    ];
    assert_eq!(statuses, expected, "{output}");
    assert_contains(
        &output,
        &[
            "getOrder GET /order/{orderId}",
            "searchOrders GET /orders",
            "deleteOrder DELETE /order/{orderId}",
            "updateOrder PUT /order",
            "createOrder POST /createOrder",
            "\"stars\":5",
            "/order/colour",
            "urn:tollgate:soap-fault:orderNotFound",
            "urn:tollgate:soap-fault:duplicateOrder",
            "/order/{orderId} /orders",
            "searchOrders changed",
            "listItems changed",
        ],
    );
}

#[tokio::test]
async fn the_guide_leads_to_a_token_its_calls_and_its_end() {
    let page = include_str!("../../../../docs/guide/protect-an-api.md");
    let port = refusing().unwrap().port().to_string();
    // The service runs in the background until the shell ends.
    let walk = format!("trap 'kill $!' EXIT\n{}", walk(page).replace("3001", &port));
    let secured = first_start().secured().unwrap();
    let (output, statuses) = run_commands(&secured, &walk).await;
    assert_eq!(statuses, ["200", "403", "401", "200", "401"], "{output}");
    assert_contains(
        &output,
        &[
            "\"path\":\"/orders\",\"caller\":\"app_",
            "insufficient_scope",
            "authorize.scope",
            "authenticate.missing",
            "authenticate.invalid",
        ],
    );
}

#[tokio::test]
async fn the_guide_leads_from_a_new_document_to_its_roll_back() {
    let page = include_str!("../../../../docs/guide/change-an-api.md");
    let port = refusing().unwrap().port().to_string();
    // The service runs in the background until the shell ends.
    let walk = format!("trap 'kill $!' EXIT\n{}", walk(page).replace("3002", &port));
    let (output, statuses) = run_commands(&first_start(), &walk).await;
    assert_eq!(statuses, ["200", "200", "404", "200"], "{output}");
    assert_contains(
        &output,
        &[
            "\"name\":\"kennel\"",
            "operation_removed",
            "request_bound_narrower",
            "nobody needs mine",
            "kennel does",
        ],
    );
}

#[tokio::test]
async fn the_guide_leads_to_a_call_from_a_web_page() {
    let page = include_str!("../../../../docs/guide/call-from-browsers.md");
    let (output, statuses) = run_commands(&first_start(), &walk(page)).await;
    assert_eq!(statuses, ["204", "403", "401"], "{output}");
    assert_contains(
        &output,
        &[
            "access-control-allow-methods: GET, PUT",
            "access-control-allow-headers: apikey, authorization, content-type, x-shop\r",
            "route.cors",
            "access-control-allow-origin: https://shop.example",
            "authenticate.missing",
        ],
    );
}

/// An API as `apictl` of WSO2 exports it.
fn exported(name: &str, version: &str) -> String {
    let folder = format!("exported/{name}-{version}");
    format!(
        "mkdir -p {folder}/Definitions\n\
         cat > {folder}/api.yaml <<'END'\n\
         type: api\nversion: v4.2.0\ndata:\n  id: 1\n  name: {name}\n  context: \"/{name}\"\n  \
         version: \"{version}\"\n  endpointConfig:\n    endpoint_type: http\n    \
         sandbox_endpoints:\n      url: http://127.0.0.1:9\n    production_endpoints:\n      \
         url: http://127.0.0.1:3999\nEND\n\
         cat > {folder}/Definitions/swagger.yaml <<'END'\n\
         openapi: 3.0.1\ninfo: {{title: {name}, version: '{version}'}}\n\
         paths: {{'/items/{{id}}': {{get: {{parameters: [{{name: id, in: path, required: true, \
         schema: {{type: string}}}}], responses: {{'200': {{description: ok}}}}}}}}}}\nEND\n"
    )
}

#[tokio::test]
async fn the_guide_brings_the_apis_of_another_manager_over() {
    let page = include_str!("../../../../docs/guide/coming-from.md");
    let walk = walk(page);
    let exports = [("orders", "1.0.0"), ("orders", "2.0.0"), ("stock", "1.0.0")];
    let exports = exports.map(|(name, version)| exported(name, version));
    let (sign_in, page) = walk.split_at(walk.find("# Prints the first value").unwrap());
    let calls = "for path in orders/1.0.0 orders/2.0.0 stock/1.0.0; do\n\
                 curl -i \"$GATEWAY/$path/items/1\"; done\n\
                 control \"$ADMINISTRATOR\" \"$CONTROL/apis\" | grep -o '\"total\":[0-9]*'\n";
    let walk = format!("{sign_in}{}{page}{calls}", exports.concat());
    let (output, statuses) = run_commands(&first_start(), &walk).await;
    // Published at the same paths, for callers with a key.
    assert_eq!(statuses, ["401", "401", "401"], "{output}");
    assert_contains(&output, &["\"total\":2", "http://127.0.0.1:3999"]);
    assert!(!output.contains("127.0.0.1:9\""), "{output}");
}

#[tokio::test]
async fn the_guide_leads_to_messages_that_policies_shape() {
    let page = include_str!("../../../../docs/guide/shape-a-message.md");
    let (first, others) = page.split_once("\n## Try it first\n").unwrap();
    let readme = include_str!("../../../../README.md");
    let readme = readme.split("\n## Publish, subscribe, call\n").nth(1);
    let published = readme.and_then(|walk| walk.split("\n### 4.").next());
    let calls = "curl -i -H \"apikey: $KEY\" \"$GATEWAY/petstore/1.0/pets\"\n\
                 curl -i \"$GATEWAY/petstore/1.0/pets\"\n";
    // The page's other policies are saved in the same draft.
    let drafts = others.split("```json\n").skip(1).map(|rest| {
        let block = rest.split("```").next().unwrap();
        format!(
            "control \"$ADMINISTRATOR\" -X PATCH \"$CONTROL/versions/$VERSION/draft\" \
             -d @- <<'END' | grep -o '\"policies\".*'\n{block}END\n"
        )
    });
    let drafts: Vec<_> = drafts.collect();
    let walk = blocks(published.unwrap()) + &blocks(first) + calls + &drafts.concat();
    let port = refusing().unwrap().port().to_string();
    // The service runs in the background until the shell ends.
    let walk = format!("trap 'kill $!' EXIT\n{}", walk.replace("3000", &port));
    let (output, statuses) = run_commands(&first_start(), &walk).await;
    assert_eq!(statuses, ["200", "401"], "{output}");
    assert_contains(
        &output,
        &[
            "\"path\":\"/pets?lang=en\"",
            "x-reason: authenticate.missing",
            "/v2/animals/{{ path.pet }}",
            "threat_protection",
        ],
    );
    assert!(
        drafts.len() >= 2 && !output.contains("\"errors\""),
        "{output}"
    );
    let refused = blocks_in(first, "json");
    assert!(refused.contains("\"policy.header\""), "{refused}");
}

#[tokio::test]
async fn the_guide_leads_through_the_control_api() {
    let page = include_str!("../../../../docs/guide/control-api.md");
    let (output, _) = run_commands(&first_start(), &walk(page)).await;
    assert_contains(
        &output,
        &[
            "\"total\":1",
            "\"proposed_upstream\":\"http://127.0.0.1:3000\"",
            "\"calls_last_day\":0",
            "etag.stale",
            "\"address\":\"",
            "\"servers\":[",
            "\"step\":\"day\"",
            "body.invalid",
        ],
    );
}

use super::*;

fn read(name: &str) -> Scenario {
    Scenario::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), name).unwrap()
}

#[test]
fn every_form_contains_the_same_text_and_json_messages_have_the_configured_size() {
    let [post, proxy, rest] = ["post", "soap-proxy", "soap-to-rest"].map(read);
    for message_bytes in [102, 5120] {
        let sent = |scenario: &Scenario, callee| {
            let call = scenario.call(callee, message_bytes, 30);
            (call.target, call.body.unwrap())
        };
        let (target, body) = sent(&post, Callee::Tollgate);
        assert_eq!(
            (target.as_str(), body.len() as u64),
            ("/post/1.0/echo?delay_ms=30", message_bytes)
        );
        let (target, ours) = sent(&proxy, Callee::Tollgate);
        assert_eq!(target, "/soap-proxy/1.0?delay_ms=30");
        let (target, envelope) = sent(&proxy, Callee::BackEnd);
        assert_eq!(target, "/soap?delay_ms=30");
        assert_eq!(ours, envelope);
        let (target, json) = sent(&rest, Callee::Tollgate);
        assert_eq!(target, "/soap-to-rest/1.0/echo");
        assert_eq!(json.len() as u64, message_bytes);
        assert_eq!(sent(&rest, Callee::BackEnd).1, envelope);
        let text = format!("<text>{}</text>", "m".repeat(message_bytes as usize - 11));
        assert!(envelope.contains(&text), "{envelope}");
    }
    assert!(!proxy.allows(10, 0) && proxy.allows(11, 30));
    assert!(
        !read("soap-to-rest").allows(102, 30),
        "the delay cannot be passed on"
    );
}

#[test]
fn a_call_that_users_send_once_has_another_target_in_each_round() {
    let cold = read("get-cold");
    assert!(cold.once);
    let targets = [0, 1].map(|turn| cold.call(Callee::Tollgate, 102, 300).in_turn(turn).target);
    assert_eq!(targets[0], "/get-cold/1.0/bytes/102?delay_ms=300&turn=0");
    assert_ne!(targets[0], targets[1]);
}

#[test]
fn messages_of_templates_have_the_size_of_the_cell() {
    let sizes = |name: &str, message_bytes| {
        let scenario = read(name);
        let ours = scenario.call(Callee::Tollgate, message_bytes, 0);
        let direct = scenario.call(Callee::BackEnd, message_bytes, 0);
        assert_eq!(ours.body, direct.body, "{name}");
        let sent = ours.body.unwrap().len() as u64;
        assert_eq!(direct.expect.body_bytes, Some(sent), "the back end's echo");
        (sent, ours.expect.body_bytes.unwrap())
    };
    for message_bytes in [50, 1024, 10240] {
        for name in ["transformation", "template"] {
            assert_eq!(sizes(name, message_bytes), (message_bytes, message_bytes));
        }
    }
    assert_eq!(sizes("template-dense-1k", 1024), (1024, 952));
    assert_eq!(sizes("template-dense-10k", 10240), (10240, 10449));
}

#[test]
fn a_step_sends_a_file_of_the_folder() {
    let proxy = read("soap-proxy");
    let import = &proxy.publish[0];
    assert!(import.text.contains("<service name=\"EchoService\">"));
    assert_eq!(import.content_type.as_deref(), Some("text/xml"));
}

#[test]
fn credentials_headers_and_background_load_of_scenarios_are_validated() {
    let world = World::default();
    let [get, jwt, first_seen, issuing] =
        ["get", "get-jwt", "get-jwt-first-seen", "get-beside-issuing"].map(read);
    assert_eq!(
        (get.carries, get.credentials(world)),
        (Credential::ApiKey, world.keys)
    );
    assert_eq!(
        (jwt.carries, first_seen.credentials(world)),
        (Credential::Jwt, 6_000)
    );
    assert_eq!(
        [&get, &jwt, &issuing].map(Scenario::needs_tokens),
        [false, true, true]
    );
    for (line, why) in [
        ("carries = 'password'", "unknown variant `password`"),
        ("credentials = 0", "credentials must be above 0"),
        (
            "background = { basic = 1 }",
            "background requires kinds of tokens and rates above 0, not 1 of basic",
        ),
        (
            "background = { jwt = 0 }",
            "background requires kinds of tokens and rates above 0, not 0 of jwt",
        ),
        (
            "background = { forged = 1 }",
            "background of forged tokens requires calls that carry jwt",
        ),
        (
            "headers = { Via = '{address} {adress}' }",
            "Via: \"{address} {adress}\" has a placeholder other than {address}",
        ),
    ] {
        let bench = tempfile::tempdir().unwrap();
        let folder = bench.path().join("scenarios/s");
        fs::create_dir_all(&folder).unwrap();
        let text = "title = 's'\nmethod = 'GET'\ntarget = '/'\nbase = '/s'\nstatus = 200\n";
        fs::write(folder.join("scenario.toml"), format!("{text}{line}\n")).unwrap();
        let error = Scenario::read(bench.path(), "s").unwrap_err();
        assert!(format!("{error:#}").contains(why), "{error:#}");
    }
}

//! The guide's page on the convention, checked with both transcoders: in each of its examples a
//! schema is followed by messages, each with its JSON, and by JSON that is refused, with the
//! reported violations.

use crate::service::{Service, compact, content, expected_content, wsdl};

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/guide/json-convention.md"
);

/// Returns the fenced blocks of a section: the words after the fence, and the content.
pub(crate) fn blocks(section: &str) -> Vec<(&str, &str)> {
    let fenced = section.split("```").skip(1).step_by(2);
    let blocks = fenced.map(|block| block.split_once('\n').expect("a line that names it"));
    blocks.collect()
}

/// Returns the contract with messages of the first type in a schema.
fn service(schema: &str) -> Service {
    let (_, rest) = schema.split_once("name=\"").expect("a named type");
    let (name, _) = rest.split_once('"').expect("the end of a name");
    let message = |local| format!("<xs:element name='{local}' type='t:{name}'/>");
    let messages = message("request") + &message("response");
    let wsdl = wsdl(&(schema.to_owned() + &messages), "request", "response");
    Service::of(&[("main.wsdl", &wsdl)])
}

/// Returns a message of the page with another name.
fn renamed(message: &str, local: &str) -> String {
    let name = message.trim().trim_start_matches('<');
    let end = name.find([' ', '>', '/']).expect("the end of a name");
    let name = &name[..end];
    let begun = message
        .trim()
        .replacen(&format!("<{name}"), &format!("<{local}"), 1);
    begun.replace(&format!("</{name}>"), &format!("</{local}>"))
}

fn check(section: &str) -> usize {
    let mut blocks = blocks(section).into_iter();
    let (_, schema) = blocks.next().expect("a schema");
    let service = service(schema);
    let mut checked = 0;
    while let Some((kind, first)) = blocks.next() {
        let (_, second) = blocks.next().expect("blocks come in twos");
        checked += 1;
        if kind == "json refused" {
            let violations = service.sent(first).expect_err(first);
            assert_eq!(violations, second.trim_end(), "{first}");
            continue;
        }
        let json = service.answered(&renamed(first, "response"));
        assert_eq!(json, Ok((compact(second), 0)), "{first}");
        let value = serde_json::from_str(second).expect(second);
        assert_eq!(service.misfit_of_answer(&value), None, "{second}");
        if kind == "xml answer" {
            continue;
        }
        let xml = service
            .sent(second)
            .unwrap_or_else(|violations| panic!("{second}{violations}"));
        assert_eq!(
            content(&xml),
            expected_content(&renamed(first, "request")),
            "{xml}"
        );
        assert_eq!(service.misfit_of_request(&value), None, "{second}");
    }
    checked
}

#[test]
fn every_example_of_the_guide_holds_in_both_directions() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (_, examples) = page.split_once("\n## Examples\n").expect("examples");
    let (examples, _) = examples.split_once("\n## ").expect("what follows them");
    let checked: Vec<usize> = examples.split("\n### ").skip(1).map(check).collect();
    assert!(
        checked.len() > 5 && checked.iter().all(|&count| count > 0),
        "{checked:?}"
    );
}

use super::{Example, examples};
use crate::Limits;
use crate::model::api::Method;
use crate::model::template::PathTemplate;

const DOCUMENT: &str = r##"
openapi: 3.1.0
info: { title: Pets, version: "1" }
paths:
  /pets/{id}:
    get:
      responses:
        "200":
          content:
            text/plain: { example: plain }
            application/json:
              examples:
                cat: { value: { name: Tom, age: 1.50 } }
                dog: { $ref: "#/components/examples/dog" }
                far: { externalValue: "https://a.example/b" }
        4XX: { $ref: "#/components/responses/gone" }
        default:
          content:
            text/csv: { schema: { examples: ["a,b"] } }
    delete:
      responses:
        "204": { description: Deleted }
        "200":
          content:
            application/xml: { example: { a: 1 } }
            application/json: { schema: { $ref: "#/components/schemas/none" } }
  /more: { $ref: "#/components/pathItems/more" }
  /files/{path}:
    x-tollgate-rest: "*"
    get: { responses: { "200": { content: { text/plain: { example: file } } } } }
components:
  examples: { dog: { value: [1, null] } }
  responses:
    gone:
      content: { application/problem+json: { schema: { $ref: "#/components/schemas/gone" } } }
  schemas: { gone: { example: { title: Gone } }, none: { type: string } }
  pathItems:
    more:
      post: { responses: { "201": { content: { "*/*": { example: text } } } } }
"##;

#[test]
fn the_example_of_a_response_is_found() {
    let found = examples(DOCUMENT.as_bytes(), Limits::default()).unwrap();
    let rows = [
        (
            Method::Get,
            "/pets/{id}",
            200,
            None,
            "application/json {\"name\":\"Tom\",\"age\":1.5}",
        ),
        // Parameters may have another name in the version.
        (
            Method::Get,
            "/pets/{pet}",
            200,
            Some("dog"),
            "application/json [1,null]",
        ),
        (Method::Get, "/pets/{id}", 200, Some("far"), "none"),
        (Method::Get, "/pets/{id}", 200, Some("cow"), "none"),
        (
            Method::Get,
            "/pets/{id}",
            410,
            None,
            "application/problem+json {\"title\":\"Gone\"}",
        ),
        (Method::Get, "/pets/{id}", 500, None, "text/csv a,b"),
        (Method::Delete, "/pets/{id}", 204, None, " "),
        (Method::Delete, "/pets/{id}", 204, Some("a"), "none"),
        (Method::Delete, "/pets/{id}", 200, None, "none"),
        (Method::Delete, "/pets/{id}", 404, None, "none"),
        (
            Method::Post,
            "/more",
            201,
            None,
            "application/json \"text\"",
        ),
        (Method::Post, "/other", 201, None, "none"),
        (Method::Get, "/files/{path*}", 200, None, "text/plain file"),
    ];
    for (method, path, status, name, expected) in rows {
        let path = PathTemplate::parse(path).unwrap();
        let shown = match found.find(method, &path, status, name) {
            Some(Example { media_type, body }) => format!("{media_type} {body}"),
            None => "none".to_owned(),
        };
        assert_eq!(shown, expected, "{method:?} {path} {status} {name:?}");
    }
}

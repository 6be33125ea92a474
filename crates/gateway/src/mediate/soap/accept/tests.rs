use super::*;

#[test]
fn the_most_specific_range_decides_whether_json_is_taken() {
    let rows: [(&[&str], bool); 18] = [
        (&[], true),
        (&[""], true),
        (&["*/*"], true),
        (&["application/*"], true),
        (&["Application/JSON"], true),
        (&["application/json;charset=utf-8;q=0.1"], true),
        (&["application/problem+json"], true),
        (&["text/html, application/xhtml+xml, */*;q=0.8"], true),
        (&["text/html", "application/json"], true),
        (&["text/html"], false),
        (&["application/xml"], false),
        (&["application/json;q=0"], false),
        (&["*/*;q=0.000"], false),
        (&["application/json; Q=0.0, */*"], false),
        (&["application/json;q=0, application/*"], false),
        (&["*/*;q=0, application/json"], true),
        (&["application/json;q=0, application/json;q=0.001"], true),
        (&["application/problem+json;q=0"], false),
    ];
    for (values, expected) in rows {
        let takes = takes_json(values.iter().map(|value| value.as_bytes()));
        assert_eq!(takes, expected, "{values:?}");
    }
}

use super::*;

#[test]
fn a_template_keeps_its_text_and_has_a_shape() {
    let template = PathTemplate::parse("/pets/{pet}/photos/").unwrap();
    assert_eq!(template.as_str(), "/pets/{pet}/photos/");
    assert_eq!(template.shape(), "/pets/{}/photos/");
    assert_eq!(
        template.shape(),
        PathTemplate::parse("/pets/{id}/photos/").unwrap().shape()
    );
    assert!(PathTemplate::parse("/").unwrap().segments().is_empty());
}

#[test]
fn what_is_not_a_template_is_refused_with_the_reason() {
    let rows = [
        ("pets", TemplateError::NoSlash),
        ("/a//b", TemplateError::DotSegment),
        ("/a/../b", TemplateError::DotSegment),
        ("/a/%2E%2e/b", TemplateError::DotSegment),
        ("/{}", TemplateError::Parameter("{}".into())),
        ("/{a", TemplateError::Parameter("{a".into())),
        ("/a}b", TemplateError::Parameter("a}b".into())),
        ("/{a{b}}", TemplateError::Parameter("{a{b}}".into())),
        ("/x{a}y{", TemplateError::Parameter("x{a}y{".into())),
        ("/{a}{b}", TemplateError::Adjacent("{a}{b}".into())),
        ("/a b", TemplateError::Character(' ')),
        ("/a?b={c}", TemplateError::Query),
        ("/a#b", TemplateError::Fragment),
        ("/{a}/{a}", TemplateError::Repeated("a".into())),
        ("/{a}-{a}", TemplateError::Repeated("a".into())),
    ];
    for (text, error) in rows {
        assert_eq!(PathTemplate::parse(text), Err(error), "{text}");
    }
    assert_eq!(
        PathTemplate::parse(&"/a".repeat(600)),
        Err(TemplateError::TooLong)
    );
}

#[test]
fn parameters_and_literals_alternate_in_a_segment() {
    let parts = |text| {
        let template = PathTemplate::parse(text).unwrap();
        let segments = template.segments().iter();
        let parts = segments.flat_map(|it| it.parts().map(|part| format!("{part:?}")));
        parts.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(parts("/{id}.json"), r#"Parameter("id") Literal(".json")"#);
    assert_eq!(
        parts("/a/Orders({id})"),
        r#"Literal("a") Literal("Orders(") Parameter("id") Literal(")")"#
    );
    let compare = PathTemplate::parse("/repos/{base}...{head}").unwrap();
    assert_eq!(compare.shape(), "/repos/{}...{}");
    assert_eq!(compare.parameters().collect::<Vec<_>>(), ["base", "head"]);
    let most: Vec<_> = (0..SEGMENT_PARAMETERS_MAX + 1)
        .map(|it| format!("{{{it}}}"))
        .collect();
    assert!(PathTemplate::parse(&format!("/{}", most[1..].join("-"))).is_ok());
    assert_eq!(
        PathTemplate::parse(&format!("/{}", most.join("-"))),
        Err(TemplateError::TooManyParameters)
    );
}

#[test]
fn characters_invalid_in_paths_are_encoded_in_documents() {
    let rows = [
        ("/straße/{größe}", "/stra%C3%9Fe/{größe}"),
        ("/a b/{c d}", "/a%20b/{c d}"),
        ("/100%/%41%4", "/100%25/%41%254"),
        ("/ü%C3%BC", "/%C3%BC%C3%BC"),
        ("/a|b", "/a%7Cb"),
    ];
    for (text, stored) in rows {
        let template = PathTemplate::from_document(text).unwrap();
        assert_eq!(template.as_str(), stored);
        assert_eq!(PathTemplate::parse(stored), Ok(template));
    }
    let refused = |text| PathTemplate::from_document(text).unwrap_err();
    assert_eq!(refused("/a?beta"), TemplateError::Query);
    assert_eq!(refused("/a#b"), TemplateError::Fragment);
    assert_eq!(refused("/a\n"), TemplateError::Character('\n'));
}

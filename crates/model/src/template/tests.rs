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
        ("/{a}/{a*}", TemplateError::Repeated("a".into())),
        ("/{a*}/b", TemplateError::Rest("{a*}".into())),
        ("/x{a*}", TemplateError::Rest("x{a*}".into())),
        ("/{a+}.json", TemplateError::Rest("{a+}.json".into())),
        ("/{a**}", TemplateError::Rest("{a**}".into())),
        ("/{*}", TemplateError::Rest("{*}".into())),
        ("/{id:[0-9]+}", TemplateError::Rest("{id:[0-9]+}".into())),
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

#[test]
fn the_last_segment_may_be_the_rest_of_the_path() {
    let any = PathTemplate::parse("/files/{rest*}").unwrap();
    let rest = |length| Rest {
        name: "rest".to_owned(),
        length,
    };
    assert_eq!(any.rest(), Some(&rest(RestLength::Any)));
    assert_eq!(any.shape(), "/files/{*}");
    assert_eq!(any.parameters().collect::<Vec<_>>(), ["rest"]);
    let some = PathTemplate::parse("/files/{rest+}").unwrap();
    assert_eq!(some.rest(), Some(&rest(RestLength::NotEmpty)));
    assert_eq!(some.shape(), "/files/{+}");
    // A star outside of braces is a character like any other.
    assert_eq!(PathTemplate::parse("/*").unwrap().shape(), "/*");
    // A sign that is part of the name is percent-encoded.
    let signed = PathTemplate::parse("/{proxy%2B}").unwrap();
    assert_eq!((signed.rest(), signed.shape().as_str()), (None, "/{}"));
    assert_eq!(signed.parameters().collect::<Vec<_>>(), ["proxy+"]);
    assert_eq!(signed.as_documented().as_deref(), Some("/{proxy+}"));
    assert_eq!(any.as_documented(), None);
}

#[test]
fn documents_write_the_rest_of_a_path_in_several_ways() {
    let rows = [
        ("/*", "/{rest*}", Some(Reading::Rest)),
        ("/**", "/{rest*}", Some(Reading::Rest)),
        ("/{rest}/*", "/{rest}/{rest2*}", Some(Reading::Rest)),
        ("/a/{proxy+}", "/a/{proxy+}", Some(Reading::Rest)),
        ("/a/{name*}", "/a/{name*}", Some(Reading::Rest)),
        ("/v1/{+name}", "/v1/{name+}", Some(Reading::Rest)),
        ("/{path:.*}", "/{path*}", Some(Reading::Rest)),
        ("/{path:.+}", "/{path+}", Some(Reading::Rest)),
        ("/a*", "/a*", Some(Reading::Star)),
        ("/*/b", "/*/b", Some(Reading::Star)),
        ("/{proxy+}/b", "/{proxy%2B}/b", Some(Reading::Name)),
        (
            "/v1/{+name}:cancel",
            "/v1/{+name}:cancel",
            Some(Reading::Name),
        ),
        ("/{id:[0-9]+}", "/{id:[0-9]%2B}", Some(Reading::Name)),
        ("/{id:a|b}", "/{id:a|b}", None),
        ("/a+b", "/a+b", None),
    ];
    for (text, template, reading) in rows {
        let path = DocumentPath::read(text).unwrap();
        assert_eq!(
            (path.template.as_str(), path.reading),
            (template, reading),
            "{text}"
        );
    }
    assert_eq!(DocumentPath::read("*"), Err(TemplateError::NoSlash));
    let literally = |text| DocumentPath::read_literally(text).unwrap();
    assert_eq!(literally("/*").as_str(), "/*");
    assert_eq!(literally("/{proxy+}").as_str(), "/{proxy%2B}");
}

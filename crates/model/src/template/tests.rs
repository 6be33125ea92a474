use super::*;

#[test]
fn a_template_keeps_its_text_and_knows_its_shape() {
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
        ("/a{b}", TemplateError::Parameter("a{b}".into())),
        ("/a b", TemplateError::Character(' ')),
        ("/a?b", TemplateError::Character('?')),
        ("/{a}/{a}", TemplateError::Repeated("a".into())),
    ];
    for (text, error) in rows {
        assert_eq!(PathTemplate::parse(text), Err(error), "{text}");
    }
    assert_eq!(
        PathTemplate::parse(&"/a".repeat(600)),
        Err(TemplateError::TooLong)
    );
}

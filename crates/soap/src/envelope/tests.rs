use tollgate_xml::{Bounds, Names, Stack, decode};

use super::*;

fn read(text: &str) -> Result<(SoapVersion, Option<String>), Error> {
    let names = Names::new([]);
    let mut stack = Stack::default();
    let text = decode(text.as_bytes(), None, Bounds::default()).unwrap();
    let mut reader = Reader::new(&text, &names, &mut stack, Bounds::default());
    let opened = open(&mut reader)?;
    if opened.child.is_some() {
        reader.skip()?;
    }
    close(&mut reader, opened)?;
    Ok((opened.version, opened.child.map(|tag| tag.local.to_owned())))
}

#[test]
fn an_envelope_is_a_header_and_one_body_with_one_child() {
    let row = |text: &str, is_1_2: bool| {
        let namespace = match is_1_2 {
            false => "http://schemas.xmlsoap.org/soap/envelope/",
            true => "http://www.w3.org/2003/05/soap-envelope",
        };
        read(&text.replace("ENV", &format!("xmlns='{namespace}'")))
    };
    let child = |name: &str| Some(name.to_owned());
    let rows = [
        ("<Envelope ENV><Body><a/></Body></Envelope>", Ok(child("a"))),
        (
            "<Envelope ENV> <!-- --><Header><b>x</b></Header>\n<Body> <a>1</a> </Body> </Envelope>",
            Ok(child("a")),
        ),
        (
            "<?p?><Envelope ENV><?p?><Header/><?p?><Body><a/></Body></Envelope>",
            Ok(child("a")),
        ),
        ("<Envelope ENV><Body/></Envelope>", Ok(None)),
        ("<Envelope ENV><Body> </Body></Envelope>", Ok(None)),
        ("<Envelope ENV/>", Err(Error::Structure)),
        ("<Envelope ENV><Header/></Envelope>", Err(Error::Structure)),
        (
            "<Envelope ENV><Body/><Body/></Envelope>",
            Err(Error::Structure),
        ),
        (
            "<Envelope ENV><Body><a/></Body><Body/></Envelope>",
            Err(Error::Structure),
        ),
        (
            "<Envelope ENV><Body><a/></Body><b/></Envelope>",
            Err(Error::Structure),
        ),
        (
            "<Envelope ENV><Body/><Header/></Envelope>",
            Err(Error::Structure),
        ),
        (
            "<Envelope ENV><Header/><Header/><Body/></Envelope>",
            Err(Error::Structure),
        ),
        (
            "<Envelope ENV><b/><Body/></Envelope>",
            Err(Error::Structure),
        ),
        (
            "<Envelope ENV><Body xmlns=''/></Envelope>",
            Err(Error::Structure),
        ),
        (
            "<Envelope ENV><Body><a/><b/></Body></Envelope>",
            Err(Error::Children),
        ),
        ("<Envelope ENV>x<Body/></Envelope>", Err(Error::Text)),
        ("<Envelope ENV><Body>x</Body></Envelope>", Err(Error::Text)),
        (
            "<Envelope ENV><Body>&#32;</Body></Envelope>",
            Err(Error::Text),
        ),
        (
            "<Envelope ENV><Body><a/>x</Body></Envelope>",
            Err(Error::Text),
        ),
        ("<Envelope><Body/></Envelope>", Err(Error::NotAnEnvelope)),
        ("<html/>", Err(Error::NotAnEnvelope)),
        (
            "<Envelope xmlns='urn:x'><Body/></Envelope>",
            Err(Error::Version),
        ),
    ];
    for (text, expected) in rows {
        for is_1_2 in [false, true] {
            let version = if is_1_2 {
                SoapVersion::V1_2
            } else {
                SoapVersion::V1_1
            };
            let expected = expected.clone().map(|child| (version, child));
            assert_eq!(row(text, is_1_2), expected, "{text}");
        }
    }
}

#[test]
fn a_processing_instruction_in_the_body_is_refused() {
    let problem = |result: Result<_, Error>| match result {
        Err(Error::Xml(error)) => error.problem,
        other => panic!("{other:?}"),
    };
    for body in ["<?p i?><a/>", "<a><?p i?></a>", "<a/><?p i?>"] {
        let text = format!(
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>{body}\
             </e:Body></e:Envelope>"
        );
        assert_eq!(problem(read(&text)), xml::Problem::Instruction, "{body}");
    }
}

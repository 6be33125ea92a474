use std::collections::HashSet;

use super::*;

#[test]
fn programs_are_recognized_by_their_field() {
    let rows = [
        ("curl/8.5.0", "curl"),
        ("python-requests/2.32.3", "python_requests"),
        ("Go-http-client/1.1", "go"),
        (
            "Apache-HttpClient/4.5.14 (Java/21.0.1)",
            "apache_httpclient",
        ),
        ("Java/1.8.0_392", "java"),
        ("Zeep/4.2.1 (www.python-zeep.org)", "zeep"),
        ("PostmanRuntime/7.39.0", "postman"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
            "edge",
        ),
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/126.0.0.0 Safari/537.36",
            "chrome",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like \
             Gecko) Version/17.5 Safari/605.1.15",
            "safari",
        ),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
            "firefox",
        ),
        ("my-program/1.0", "other"),
        ("", "other"),
    ];
    for (text, word) in rows {
        assert_eq!(Agent::of(text.as_bytes()).word(), word, "{text}");
    }
}

#[test]
fn each_family_has_a_word_of_its_own() {
    let words: HashSet<_> = FAMILIES.iter().map(|(word, _)| word).collect();
    assert_eq!(words.len(), FAMILIES.len());
    let last = Agent::from_number(u16::try_from(FAMILIES.len()).unwrap());
    assert_eq!(last.word(), FAMILIES.last().unwrap().0);
    assert_eq!(Agent::from_number(u16::MAX), Agent::default());
}

use regex::Regex;

use super::PATTERNS;

#[test]
fn names_are_the_same_in_ecma_262_save_for_planes_of_private_use() {
    let all = ('\0'..='\u{EFFFF}').flat_map(|of| [of.to_string(), format!("a{of}")]);
    let texts: Vec<_> = all
        .chain(["".into(), "aa:a-1".into(), "a\n".into()])
        .collect();
    for pattern in PATTERNS.iter() {
        let Some(ecma) = pattern.ecma else { continue };
        let ours = Regex::new(pattern.translated.as_deref().expect("a pattern")).unwrap();
        let ecma = Regex::new(ecma).unwrap();
        let mut differing = texts
            .iter()
            .filter(|text| ours.is_match(text) != ecma.is_match(text));
        assert_eq!(differing.next(), None, "{}", pattern.local);
    }
}

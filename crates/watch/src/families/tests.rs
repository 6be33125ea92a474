use std::collections::HashSet;

use super::*;

#[test]
fn names_follow_the_conventions_of_prometheus() {
    let mut names = HashSet::new();
    for family in FAMILIES {
        let Family {
            name, kind, help, ..
        } = family;
        assert!(names.insert(name), "{name} is declared twice");
        assert_eq!(name.ends_with("_total"), *kind == Kind::Counter, "{name}");
        assert_eq!(name.ends_with("_info"), *kind == Kind::Info, "{name}");
        let is_usual = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        assert!(name.bytes().all(is_usual), "{name}");
        assert!(help.ends_with('.') && !help.contains('\n'), "{name}");
        assert!(family.labels.iter().all(|it| !it.starts_with("__")));
        if *kind == Kind::Histogram {
            assert_eq!(family.unit(), Some("seconds"), "{name}");
        }
    }
}

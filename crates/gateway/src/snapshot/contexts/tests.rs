use tollgate_model::lifecycle::State;

use super::*;
use crate::route::tests::version;

#[test]
fn a_removed_version_is_gone_and_its_context_with_the_last_one() {
    let mut contexts = Contexts::default();
    let only = version(1, "/a", "1", true, State::Published);
    contexts.insert(&only);
    assert!(contexts.find(b"/a/x").is_some());
    contexts.remove(&only.served);
    assert!(contexts.find(b"/a/1/x").is_none());
    assert!(contexts.apis.is_empty());
}

#[test]
fn a_path_with_the_name_of_another_version_is_none_of_the_default_one() {
    let mut contexts = Contexts::default();
    let mut default = version(2, "/a", "2.0", true, State::Published);
    let served = &mut Arc::get_mut(&mut default).unwrap().served;
    served.other_versions = vec!["1.0".to_owned(), "3.0".to_owned()];
    contexts.insert(&default);
    contexts.insert(&version(3, "/a", "3.0", false, State::Published));
    let found = |path: &[u8]| {
        let found = contexts.find(path);
        found.map(|(version, end)| (version.served.id.raw(), end))
    };
    for (path, expected) in [
        (&b"/a/1.0/c"[..], None),
        (b"/a/1.0", None),
        (b"/a/1.0/", None),
        (b"/a/1.01/c", Some((2, 2))),
        (b"/a/c/1.0", Some((2, 2))),
        (b"/a", Some((2, 2))),
        (b"/a/2.0/1.0", Some((2, 6))),
        (b"/a/3.0/c", Some((3, 6))),
    ] {
        assert_eq!(found(path), expected, "{}", path.escape_ascii());
    }
}

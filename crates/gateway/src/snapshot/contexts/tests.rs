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

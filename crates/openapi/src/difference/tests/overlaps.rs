//! Operations with calls that another operation answers in the other document.

use super::*;

/// The operations that match the paths of removed and new ones: `removed -> other` and
/// `new <- other`.
fn overlaps(old: &str, new: &str) -> Vec<String> {
    let document =
        |paths: &str| format!("openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths: {paths}\n");
    let difference = of(&document(old), &document(new));
    let words = |it: &NamedOperation| format!("{} {}", it.method, it.path);
    let pair = |lone: &LoneOperation, arrow| {
        let other = lone.matched_by.as_ref()?;
        Some(format!(
            "{} {arrow} {}",
            words(&lone.operation),
            words(other)
        ))
    };
    let removed = difference.removed.iter().filter_map(|it| pair(it, "->"));
    let added = difference.added.iter().filter_map(|it| pair(it, "<-"));
    removed.chain(added).collect()
}

#[test]
fn calls_of_a_removed_operation_reach_the_closest_that_matches() {
    let kept = "'/pets/{id}': {get: {}}, '/{kind}/{id}': {get: {}}, '/pets/mine/all': {get: {}}";
    let old = format!("{{{kept}, /pets/mine: {{get: {{}}, delete: {{}}}}}}");
    let found = overlaps(&old, &format!("{{{kept}}}"));
    assert_eq!(found, ["GET /pets/mine -> GET /pets/{id}"]);
    let found = overlaps(
        "{'/pets/{id}.json': {get: {}}}",
        "{'/pets/{id}': {get: {}}}",
    );
    assert_eq!(
        found,
        [
            "GET /pets/{id}.json -> GET /pets/{id}",
            "GET /pets/{id} <- GET /pets/{id}.json"
        ]
    );
    // Calls of a closer one that was there before reach it as before.
    let mine = "{'/pets/{id}': {get: {}}, /pets/mine: {get: {}}}";
    assert!(overlaps(mine, "{/pets/mine: {get: {}}}").is_empty());
    // Paths match as the gateway matches them.
    let found = overlaps("{/%61: {get: {}}}", "{/a: {put: {}}, '/{x}': {get: {}}}");
    assert_eq!(found, ["GET /%61 -> GET /{x}", "GET /{x} <- GET /%61"]);
}

#[test]
fn a_new_operation_answers_calls_of_a_less_close_one() {
    let old = "{'/pets/{id}': {get: {}}}";
    let new = "{'/pets/{id}': {get: {}}, /pets/mine: {get: {}, put: {}}, /dogs/mine: {get: {}}}";
    assert_eq!(overlaps(old, new), ["GET /pets/mine <- GET /pets/{id}"]);
    // A new one that is less close gets other calls.
    let new = "{'/pets/{id}': {get: {}}, '/{kind}/{id}': {get: {}}}";
    assert!(overlaps(old, new).is_empty());
}

#[test]
fn overlaps_are_in_the_sentence() {
    let (old, new) = ("/pets/mine: {get: {}}", "'/pets/{id}': {get: {}}");
    let document = |paths: &str| {
        format!("openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths: {{{paths}}}\n")
    };
    let both = document(&format!("{old}, {new}"));
    let removed = of(&both, &document(new));
    assert_eq!(
        removed.removed[0].change.breaking,
        Some(Rule::OperationRemoved)
    );
    assert_eq!(
        sentences(&removed),
        [
            "GET /pets/mine is removed and its path now matches GET /pets/{id}; calls that need it \
             fail."
        ]
    );
    let added = of(&document(new), &both);
    assert!(!added.added[0].change.judged);
    assert_eq!(
        sentences(&added),
        [
            "GET /pets/mine is new and answers calls that GET /pets/{id} answered; check whether \
             existing calls are affected."
        ]
    );
}

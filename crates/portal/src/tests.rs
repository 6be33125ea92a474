use super::{File, file, is_built, page, table};

#[test]
fn the_table_is_in_the_order_in_which_it_is_searched() {
    assert!(table::FILES.is_sorted_by(|one, next| one.path < next.path));
}

#[test]
fn the_page_has_the_nonce_and_no_place_for_another() {
    let page = page("bm9uY2U=");
    assert!(page.contains("nonce=\"bm9uY2U=\""));
    assert!(!page.contains(super::NONCE));
}

#[test]
fn what_was_not_built_is_not_found() {
    assert!(file("assets/nothing.js").is_none());
    assert!(file("").is_none());
    // The page has a nonce, so that it is never sent as it was built.
    assert!(file("index.html").is_none());
}

#[test]
fn what_is_compressed_is_smaller() {
    for File {
        path,
        bytes,
        brotli,
        gzip,
    } in table::FILES
    {
        for compressed in brotli.iter().chain(gzip) {
            assert!(compressed.len() < bytes.len(), "{path}");
        }
    }
    assert_eq!(is_built(), !table::FILES.is_empty());
}

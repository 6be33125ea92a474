use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Content, File, file, is_built, page, table};

#[test]
fn the_table_is_sorted_by_path() {
    assert!(table::FILES.is_sorted_by(|one, next| one.path < next.path));
}

#[test]
fn the_page_contains_the_nonce_and_no_placeholder() {
    let page = page("bm9uY2U=");
    assert!(page.contains("nonce=\"bm9uY2U=\""));
    assert!(!page.contains(super::NONCE));
}

#[test]
fn a_file_that_was_not_built_is_not_found() {
    assert!(file("assets/nothing.js").is_none());
    assert!(file("").is_none());
    // The page contains a nonce, so it is never sent as built.
    assert!(file("index.html").is_none());
}

#[test]
fn a_compressed_form_is_smaller_than_the_next() {
    for file in table::FILES {
        let mut sizes = file
            .codings()
            .map(|(_, bytes)| bytes.len())
            .collect::<Vec<_>>();
        if !sizes.is_empty() {
            let plain = file.plain().unwrap();
            assert_eq!(plain.as_ptr(), file.plain().unwrap().as_ptr(), "shared");
            sizes.push(plain.len());
        }
        assert!(
            sizes.is_sorted_by(|one, next| one < next),
            "{}: {sizes:?}",
            file.path
        );
    }
    assert_eq!(is_built(), !table::FILES.is_empty());
}

#[test]
fn a_client_that_accepts_no_coding_gets_the_built_bytes() {
    let text = "export const words = 1;\n".repeat(100);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap().leak();
    let of = |content| File {
        path: "assets/words.js",
        content,
    };
    let compressed = of(Content::Compressed { gzip, brotli: None });
    assert_eq!(compressed.plain().unwrap(), text.as_bytes());
    let codings = compressed.codings().map(|(coding, _)| coding);
    assert!(codings.eq(["gzip"]));

    let plain = of(Content::Plain(b"as it is"));
    assert_eq!(&*plain.plain().unwrap(), b"as it is");
    assert_eq!(plain.codings().count(), 0);

    let cut = of(Content::Compressed {
        gzip: &gzip[..20],
        brotli: None,
    });
    assert!(cut.plain().is_err());
}

use super::Codings::{self, Gzip, GzipAndBrotli, Identity};

#[test]
fn callers_are_classed_by_what_they_accept() {
    let rows: &[(&[&str], Codings)] = &[
        (&[], Identity),
        (&[""], Identity),
        (&["identity"], Identity),
        (&["deflate, zstd"], Identity),
        (&["gzip"], Gzip),
        (&["X-GZIP;q=0.5"], Gzip),
        (&["gzip, deflate, br, zstd"], GzipAndBrotli),
        (&["gzip", "br;q=1.0"], GzipAndBrotli),
        (&["*"], GzipAndBrotli),
        (&["*;q=0"], Identity),
        (&["*, br;q=0"], Gzip),
        (&["gzip;q=0, br"], Identity),
        (&["gzip;q=0.000"], Identity),
        (&["gzip; q=2"], Identity),
        (&["gzip;q=x"], Identity),
        (&["br"], Identity),
    ];
    for (lines, expected) in rows {
        let codings = Codings::of(lines.iter().map(|line| line.as_bytes()));
        assert_eq!(codings, *expected, "{lines:?}");
    }
}

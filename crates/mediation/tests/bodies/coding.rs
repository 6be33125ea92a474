//! Content codings, as senders use and misuse them.

use std::io::{self, Read, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use tollgate_mediation::coding::Coded::{self, Malformed, TooLong, Unsupported};
use tollgate_mediation::coding::decode;

pub(crate) fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

pub(crate) fn brotli(mut body: impl Read) -> Vec<u8> {
    let mut coded = Vec::new();
    {
        let mut encoder = brotli::CompressorWriter::new(&mut coded, 4096, 5, 22);
        io::copy(&mut body, &mut encoder).expect("memory");
    }
    coded
}

fn decoded(coding: &str, body: &[u8]) -> Result<Vec<u8>, Coded> {
    let mut out = b"kept".to_vec();
    decode(coding.as_bytes(), body, 10_000, &mut out)?;
    Ok(out.split_off(4))
}

/// A coding, a coded body, and the decoded one.
type Row = (&'static str, Vec<u8>, Result<Vec<u8>, Coded>);

#[test]
fn a_coding_is_removed_or_refused() {
    let body = b"one, two, three".repeat(50);
    let (zip, br) = (gzip(&body), brotli(&body[..]));
    let with = |coded: &[u8], more: &[u8]| [coded, more].concat();
    let cut = |coded: &[u8], bytes: usize| coded[..coded.len() - bytes].to_vec();
    let mut wrong_sum = zip.clone();
    let sum = wrong_sum.len() - 8;
    wrong_sum[sum] ^= 1;
    let exact = vec![7; 10_000];
    let long = vec![7; 10_001];
    let rows: Vec<Row> = vec![
        ("identity", body.clone(), Ok(body.clone())),
        ("", body.clone(), Ok(body.clone())),
        ("gzip", zip.clone(), Ok(body.clone())),
        (" X-GZip ", zip.clone(), Ok(body.clone())),
        ("br", br.clone(), Ok(body.clone())),
        ("gzip", with(&zip, &zip), Ok(with(&body, &body))),
        ("gzip", gzip(b""), Ok(Vec::new())),
        ("br", brotli(&b""[..]), Ok(Vec::new())),
        ("gzip", gzip(&exact), Ok(exact.clone())),
        ("br", brotli(&exact[..]), Ok(exact)),
        ("gzip", gzip(&long), Err(TooLong)),
        ("br", brotli(&long[..]), Err(TooLong)),
        ("identity", long, Err(TooLong)),
        ("gzip", Vec::new(), Err(Malformed)),
        ("br", Vec::new(), Err(Malformed)),
        ("gzip", cut(&zip, 1), Err(Malformed)),
        ("gzip", cut(&zip, 20), Err(Malformed)),
        ("br", cut(&br, 1), Err(Malformed)),
        ("gzip", with(&zip, b"x"), Err(Malformed)),
        ("gzip", with(&zip, b"\0"), Err(Malformed)),
        ("br", with(&br, b"x"), Err(Malformed)),
        ("gzip", wrong_sum, Err(Malformed)),
        ("gzip", br.clone(), Err(Malformed)),
        ("br", zip.clone(), Err(Malformed)),
        ("gzip, gzip", gzip(&zip), Err(Unsupported)),
        ("gzip, br", zip.clone(), Err(Unsupported)),
        ("identity, gzip", zip.clone(), Err(Unsupported)),
        ("deflate", zip.clone(), Err(Unsupported)),
        ("zstd", zip, Err(Unsupported)),
    ];
    for (index, (coding, coded, expected)) in rows.into_iter().enumerate() {
        assert_eq!(decoded(coding, &coded), expected, "row {index}: {coding}");
    }
}

#[test]
fn a_bomb_stops_at_the_bound() {
    const MIB: usize = 1 << 20;
    let zeros = vec![0; 64 * MIB];
    // A GiB in members of 64 MiB; Brotli has one stream.
    let zip = gzip(&zeros).repeat(16);
    for (coding, bomb) in [("gzip", zip), ("br", brotli(&zeros[..]))] {
        let mut allocated = 0;
        let info = allocation_counter::measure(|| {
            let mut out = Vec::new();
            let result = decode(coding.as_bytes(), &bomb, MIB, &mut out);
            assert_eq!(result, Err(TooLong));
            allocated = out.capacity();
        });
        assert!(allocated <= 3 * MIB, "{coding}: {allocated}");
        assert!(
            info.bytes_max <= 24 * MIB as u64,
            "{coding}: {}",
            info.bytes_max
        );
    }
}

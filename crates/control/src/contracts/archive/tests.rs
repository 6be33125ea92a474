use std::io::Write;

use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::*;

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn code(archive: &[u8]) -> String {
    files(archive).unwrap_err().code
}

#[test]
fn wsdl_and_schema_files_are_read_and_others_ignored() {
    let taken = files(&archive(&[
        ("a/b.wsdl", b"1"),
        ("../../etc/c.XSD", b"2"),
        ("readme.txt", b"3"),
        ("__MACOSX/a/._b.wsdl", b"4"),
        ("d\\e.xml", b"5"),
    ]));
    let taken = taken.unwrap();
    let names: Vec<_> = taken.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a/b.wsdl", "../../etc/c.XSD", "d/e.xml"]);
    assert_eq!(taken[2].1, b"5");
}

#[test]
fn an_archive_that_inflates_beyond_the_bound_is_rejected_early() {
    let zeros = vec![0; 40 << 20];
    assert_eq!(files(&archive(&[("a.xsd", &zeros)])).unwrap().len(), 1);
    let bomb = archive(&[("a.xsd", &zeros), ("b.xsd", &zeros)]);
    assert!(bomb.len() < 200_000);
    assert_eq!(code(&bomb), "archive.too_large");
    // Nothing is inflated if the archive declares too much.
    assert_eq!(bytes(&bomb).unwrap_err().code, "archive.too_large");
    let names: Vec<String> = (0..1_001).map(|name| format!("{name}.txt")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(code(&archive(&many)), "archive.entries");
    assert_eq!(code(&archive(&[("a.txt", b"1")])), "archive.empty");
    assert_eq!(code(b"PK\x03\x04"), "archive.malformed");
    let mut cut = archive(&[("a.xsd", &zeros[..1_000])]);
    cut[40] ^= 0xff;
    assert_eq!(code(&cut), "archive.malformed");
}

#[test]
fn the_inflated_size_is_known_before_and_not_exceeded() {
    let kept = [
        ("a.wsdl", &[b' '; 30_000][..]),
        ("b.txt", b"1"),
        ("c.xsd", b"234"),
    ];
    let mut zip = archive(&kept);
    assert_eq!(bytes(&zip).unwrap(), 30_003);
    assert_eq!(files(&zip).unwrap()[0].1.len(), 30_000);
    // Declares the first entry smaller than it is, in the central directory.
    let size = 30_000_u32.to_le_bytes();
    let declared = zip.windows(4).rposition(|four| four == size).unwrap();
    zip[declared..declared + 4].copy_from_slice(&7_u32.to_le_bytes());
    assert_eq!(bytes(&zip).unwrap(), 10);
    assert_eq!(code(&zip), "archive.malformed");
    assert_eq!(bytes(b"PK\x03\x04").unwrap_err().code, "archive.malformed");
}

#[test]
fn two_entries_with_the_same_name_are_rejected() {
    let mut twice = archive(&[("a.wsdl", b"1"), ("b.wsdl", b"2"), ("c.txt", b"3")]);
    // The writer rejects this, so the name of the second is overwritten in both places.
    let second: Vec<_> = twice.windows(6).enumerate().collect();
    let second = second.iter().filter(|(_, name)| *name == b"b.wsdl");
    let places: Vec<usize> = second.map(|(at, _)| *at).collect();
    assert_eq!(places.len(), 2);
    for at in places {
        twice[at] = b'a';
    }
    assert_eq!(code(&twice), "archive.repeated");
}

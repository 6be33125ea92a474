use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn key(byte: u8) -> MasterKey {
    MasterKey::new(&[byte; KEY_BYTES]).unwrap()
}

#[test]
fn what_is_sealed_opens_with_the_same_key_for_the_same_owner_alone() {
    let sealed = key(1).seal("version 7", "s3cr3t").unwrap();
    assert!(sealed.starts_with("v1:") && !sealed.contains("s3cr3t"));
    assert_eq!(key(1).open("version 7", &sealed).as_deref(), Some("s3cr3t"));
    assert_eq!(key(2).open("version 7", &sealed), None);
    assert_eq!(key(1).open("version 8", &sealed), None);
    let mut bent = sealed.clone().into_bytes();
    bent[20] ^= 1;
    let bent = String::from_utf8(bent).unwrap();
    for text in [
        &*bent,
        "",
        "v1:",
        "v1:AAAA",
        "s3cr3t",
        &sealed[..sealed.len() - 4],
    ] {
        assert_eq!(key(1).open("version 7", text), None, "{text:?}");
    }
    let again = key(1).seal("version 7", "s3cr3t").unwrap();
    assert_ne!(sealed, again, "a nonce is used once");
}

#[test]
fn a_key_is_made_once_and_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    let file = KeyFile::Own(path.clone());
    // Left behind by a process that ended while it created a key.
    fs::write(folder.path().join("master.new"), "AAA").unwrap();
    let made = file.read_or_make().unwrap();
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let sealed = made.seal("x", "s3cr3t").unwrap();
    let read = file.read_or_make().unwrap();
    assert_eq!(read.open("x", &sealed).as_deref(), Some("s3cr3t"));
    let missing = KeyFile::Given(folder.path().join("nothing"));
    assert!(
        missing.read_or_make().is_err(),
        "one that is given is not made"
    );
    assert!(!missing.path().exists());
}

#[test]
fn a_file_that_is_no_key_is_told_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    for text in [
        "",
        "\n",
        "AAAA",
        "not base64 at all",
        &STANDARD.encode([0; 33]),
    ] {
        fs::write(&path, text).unwrap();
        let refused = KeyFile::Given(path.clone()).read().err().unwrap();
        let expected = format!(
            "the master key {} is not 32 bytes in Base64",
            path.display()
        );
        assert_eq!(refused.to_string(), expected);
    }
    fs::write(&path, [0xff, 0xfe]).unwrap();
    let refused = KeyFile::Given(path).read().err().unwrap().to_string();
    assert!(refused.contains("cannot be read"), "{refused}");
    let key = STANDARD.encode([7; KEY_BYTES]);
    let refused = KeyFile::Given(key.into()).read().err().unwrap().to_string();
    let expected =
        "the master key in the settings is no path: write the key to a file and name that";
    assert_eq!(refused, expected);
}

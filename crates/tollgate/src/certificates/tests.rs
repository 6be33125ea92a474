use std::fs;

use rcgen::{
    CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256, SignatureAlgorithm,
    date_time_ymd,
};

use super::*;

const NOW_US: i64 = 1_790_000_000_000_000;

/// Writes a pair for these names that expires at the beginning of a year.
fn pair(folder: &Path, stem: &str, names: &[&str], end: i32) {
    pair_with(folder, stem, names, (end, &PKCS_ECDSA_P256_SHA256));
}

/// Like [`pair`], with a key of this type.
fn pair_with(
    folder: &Path,
    stem: &str,
    names: &[&str],
    (end, algorithm): (i32, &'static SignatureAlgorithm),
) {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(end, 1, 1);
    let key = KeyPair::generate_for(algorithm).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    fs::write(folder.join(format!("{stem}.key")), key.serialize_pem()).unwrap();
    fs::write(folder.join(format!("{stem}.crt")), certificate.pem()).unwrap();
}

/// Returns the pair for a name and a client that supports every signature scheme.
fn shown(certificates: &Certificates, name: Option<&str>) -> String {
    let schemes = tls::provider()
        .signature_verification_algorithms
        .supported_schemes();
    certificates
        .present
        .load()
        .find(name, &schemes)
        .name
        .clone()
}

#[test]
fn a_pair_is_selected_by_the_requested_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    pair(path, "a", &["a.example"], 2040);
    pair(path, "b", &["*.b.example", "b.example"], 2040);
    pair(path, "default", &["other.example"], 2040);
    // The layout of ACME clients: a subfolder.
    fs::create_dir(path.join("renewed")).unwrap();
    pair(
        &path.join("renewed"),
        "x",
        &["a.example", "c.example"],
        2041,
    );
    let below = path.join("renewed");
    fs::rename(below.join("x.crt"), below.join("fullchain.pem")).unwrap();
    fs::rename(below.join("x.key"), below.join("privkey.pem")).unwrap();
    fs::write(below.join("cert.pem"), "").unwrap();
    let certificates = Certificates::open(path).unwrap();
    for (name, expected) in [
        (Some("A.example"), "renewed"),
        (Some("c.example"), "renewed"),
        (Some("b.example"), "b"),
        (Some("x.b.example"), "b"),
        (Some("y.x.b.example"), "default"),
        (Some("nobody.example"), "default"),
        (None, "default"),
    ] {
        assert_eq!(shown(&certificates, name), expected, "{name:?}");
    }
}

#[test]
fn a_folder_without_a_usable_pair_is_reported_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let error = || {
        format!(
            "{:#}",
            anyhow::Error::from(Certificates::open(path).unwrap_err())
        )
    };
    assert!(
        error().contains("contains no certificate with its key"),
        "{}",
        error()
    );
    pair(path, "a", &["a.example"], 2040);
    pair(path, "b", &["b.example"], 2040);
    fs::copy(path.join("b.key"), path.join("a.key")).unwrap();
    assert!(
        error().contains("does not match the certificate"),
        "{}",
        error()
    );
    fs::write(path.join("a.key"), "secret").unwrap();
    assert!(
        error().contains("a.key contains no private key in PEM"),
        "{}",
        error()
    );
    assert!(!error().contains("secret"));
    fs::remove_file(path.join("a.key")).unwrap();
    let missing = format!("cannot read {}", path.join("a.key").display());
    assert!(error().contains(&missing), "{}", error());
    fs::write(path.join("a.crt"), "").unwrap();
    assert!(
        error().contains("a.crt contains no certificate"),
        "{}",
        error()
    );
    let nowhere = Certificates::open(&path.join("nowhere")).unwrap_err();
    assert!(
        nowhere
            .to_string()
            .contains("`tollgate certificates` creates")
    );
}

#[test]
fn a_change_is_loaded_and_an_invalid_or_expired_pair_leaves_the_current_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    pair(path, "a", &["a.example"], 2040);
    pair(path, "b", &["b.example"], 2040);
    let certificates = Certificates::open(path).unwrap();
    let ends = |name: &str| {
        let present = certificates.present.load();
        let pair = present.pairs.iter().find(|pair| pair.name == name);
        pair.map(|pair| pair.ends_us)
    };
    let reload = || certificates.reload(Folder::read(path).unwrap(), NOW_US);
    let (a, b) = (ends("a"), ends("b"));
    // One expired, one renewed: each is handled alone.
    pair(path, "a", &["a.example"], 2021);
    pair(path, "b", &["b.example"], 2041);
    reload();
    assert_eq!(ends("a"), a);
    assert!(ends("b") > b);
    let b = ends("b");
    fs::write(path.join("b.key"), "no key").unwrap();
    pair(path, "c", &["c.example"], 2040);
    reload();
    assert_eq!(ends("b"), b);
    assert_eq!(shown(&certificates, Some("c.example")), "c");
    for file in fs::read_dir(path).unwrap() {
        fs::remove_file(file.unwrap().path()).unwrap();
    }
    reload();
    assert_eq!(shown(&certificates, Some("b.example")), "b");
    // A pair that is removed while others remain is gone.
    pair(path, "c", &["c.example"], 2040);
    reload();
    assert_eq!(shown(&certificates, Some("b.example")), "c");
}

#[test]
fn a_certificate_that_expires_soon_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    pair(folder.path(), "a", &["a.example"], 2027);
    let certificates = Certificates::open(folder.path()).unwrap();
    let end_us = certificates.present.load().pairs[0].ends_us;
    let day_us = 24 * 60 * 60 * 1_000_000;
    assert_eq!(certificates.faults(end_us - 8 * day_us), [] as [String; 0]);
    let fault = certificates.faults(end_us - day_us).join("");
    assert!(
        fault.ends_with("(for a.example) expires on 2027-01-01T00:00:00Z"),
        "{fault}"
    );
    let fault = certificates.faults(end_us).join("");
    assert!(fault.contains("expired on"), "{fault}");
}

mod chains;
mod types;

//! Faults for which clients may reject a chain.

use std::process::Command;

use rcgen::{BasicConstraints, Certificate, DnType, IsCa, Issuer};

use super::*;

/// A certificate and its issuer.
struct Authority {
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_after = date_time_ymd(2040, 1, 1);
    params
}

fn authority(name: &str, by: Option<&Authority>) -> Authority {
    let mut params = params(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let certificate = match by {
        Some(by) => params.signed_by(&key, &by.issuer),
        None => params.self_signed(&key),
    };
    Authority {
        certificate: certificate.unwrap(),
        issuer: Issuer::new(params, key),
    }
}

/// Writes the pair `a` with this chain, where `None` is the place of the leaf, issued by `by`.
fn chain(folder: &Path, by: &Authority, chain: &[Option<&Authority>]) {
    let key = KeyPair::generate().unwrap();
    let leaf = params("a.example").signed_by(&key, &by.issuer).unwrap();
    let pem = |it: &Option<&Authority>| it.map_or(leaf.pem(), |it| it.certificate.pem());
    let pem: String = chain.iter().map(pem).collect();
    fs::write(folder.join("a.crt"), pem).unwrap();
    fs::write(folder.join("a.key"), key.serialize_pem()).unwrap();
}

#[test]
fn a_missing_certificate_and_a_wrong_order_have_sentences_of_their_own() {
    const MISSING: &str = "an intermediate certificate is missing: number";
    const ORDER: &str = "the certificates are in the wrong order: number";
    let data = tempfile::tempdir().unwrap();
    let folder = make::folder(data.path());
    fs::create_dir(&folder).unwrap();
    let root = authority("root", None);
    let upper = authority("upper", Some(&root));
    let lower = authority("lower", Some(&upper));
    let faults = || Certificates::open(&folder).unwrap().faults(NOW_US);
    let (root, upper, lower) = (Some(&root), Some(&upper), Some(&lower));
    let by = lower.unwrap();
    for (file, expected) in [
        (&[None, lower, upper, root][..], None),
        (
            &[None],
            Some(format!("{MISSING} 1 is issued by “CN=lower”")),
        ),
        (
            &[None, upper],
            Some(format!("{MISSING} 1 is issued by “CN=lower”")),
        ),
        (
            &[None, lower],
            Some(format!("{MISSING} 2 is issued by “CN=upper”")),
        ),
        (
            &[None, lower, upper],
            Some(format!("{MISSING} 3 is issued by “CN=root”")),
        ),
        (
            &[None, upper, lower],
            Some(format!("{ORDER} 1 is issued by number 3")),
        ),
        (
            &[None, lower, root, upper],
            Some(format!("{ORDER} 2 is issued by number 4")),
        ),
    ] {
        chain(&folder, by, file);
        let faults = faults();
        match expected {
            None => assert_eq!(faults, [] as [String; 0]),
            Some(expected) => {
                let [fault] = faults.as_slice() else {
                    panic!("{faults:?}");
                };
                assert!(
                    fault.contains("a.crt: ") && fault.contains(&expected),
                    "{fault}"
                );
            }
        }
    }
    // A root that `tollgate certificates` has created is known and may be omitted from the file.
    fs::write(
        make::authority(data.path()),
        root.unwrap().certificate.pem(),
    )
    .unwrap();
    chain(&folder, by, &[None, lower, upper]);
    assert_eq!(faults(), [] as [String; 0]);
    // A file in which the certificate of the key is not the first is not a pair.
    chain(&folder, by, &[lower, None, upper]);
    let refused = Certificates::open(&folder).unwrap_err().to_string();
    assert!(
        refused.contains("in the wrong order") && refused.contains("belongs to number 2"),
        "{refused}"
    );
}

#[test]
fn a_weak_key_has_its_own_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let made = Command::new("openssl")
        .args([
            "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-subj", "/CN=weak",
        ])
        .args(["-days", "9000", "-keyout"])
        .arg(path.join("weak.key"))
        .arg("-out")
        .arg(path.join("weak.crt"))
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let refused = Certificates::open(path).unwrap_err().to_string();
    let sentence = "weak.crt has a weak RSA key of 1024 bits; 2048 are required";
    assert!(refused.ends_with(sentence), "{refused}");
    // As a later certificate of a chain it is presented, and reported.
    let weak = fs::read_to_string(path.join("weak.crt")).unwrap();
    for file in ["weak.crt", "weak.key"] {
        fs::remove_file(path.join(file)).unwrap();
    }
    pair(path, "a", &["a.example"], 2040);
    let leaf = fs::read_to_string(path.join("a.crt")).unwrap();
    fs::write(path.join("a.crt"), leaf + &weak).unwrap();
    let faults = Certificates::open(path).unwrap().faults(NOW_US);
    let [fault] = faults.as_slice() else {
        panic!("{faults:?}");
    };
    let sentence = "certificate number 2 has a weak RSA key of 1024 bits";
    assert!(fault.contains(sentence), "{fault}");
}

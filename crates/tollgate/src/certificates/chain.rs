//! Faults of a pair's chain that a listener can present, but some clients reject. A server sends
//! its own certificate first, then each certificate that issued the previous one (RFC 8446,
//! section 4.4.2; RFC 5246, section 7.4.2); the root may be omitted.

use std::path::Path;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tollgate_fetch::tls;
use x509_parser::prelude::{FromDer as _, X509Certificate};
use x509_parser::public_key::PublicKey;

/// Shorter RSA keys are rejected by clients and by AWS-LC (NIST SP 800-131A, revision 2, section
/// 3).
const RSA_BITS_MIN: usize = 2_048;
/// So are smaller curves.
const EC_BITS_MIN: usize = 256;

/// The authorities that clients are likely to trust: those of the system, and the one that
/// `tollgate certificates` has created.
pub(super) struct Authorities {
    /// Names as in certificates, without the outer sequence.
    names: Vec<Vec<u8>>,
}

impl Authorities {
    /// Reads the authorities; `own` is the path of a certificate in PEM, which may be missing.
    pub(super) fn read(own: &Path) -> Self {
        let roots = tls::system_roots();
        let system = roots
            .roots
            .iter()
            .map(|root| root.subject.as_ref().to_vec());
        let own = CertificateDer::from_pem_file(own).ok();
        let own = own.and_then(|own| {
            let (_, own) = X509Certificate::from_der(&own).ok()?;
            Some(content(own.subject().as_raw()).to_vec())
        });
        Self {
            names: system.chain(own).collect(),
        }
    }

    fn knows(&self, name: &[u8]) -> bool {
        self.names.iter().any(|known| known == content(name))
    }
}

/// Returns the contents of a sequence (X.690, section 8.1).
fn content(sequence: &[u8]) -> &[u8] {
    let head = match sequence.get(1) {
        Some(length @ 0x80..) => 2 + usize::from(length & 0x7f),
        _ => 2,
    };
    sequence.get(head..).unwrap_or_default()
}

/// Returns a description of a certificate's key if it is too short to be accepted.
pub(super) fn weak_key(certificate: &CertificateDer<'_>) -> Option<String> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    let (kind, bits, bits_min) = match certificate.public_key().parsed().ok()? {
        PublicKey::RSA(key) => ("RSA", bits(key.modulus), RSA_BITS_MIN),
        PublicKey::EC(point) => ("EC", point.key_size(), EC_BITS_MIN),
        _ => return None,
    };
    let sentence = format!("a weak {kind} key of {bits} bits; {bits_min} are required");
    (bits < bits_min).then_some(sentence)
}

fn bits(number: &[u8]) -> usize {
    let number = number.iter().skip_while(|byte| **byte == 0);
    let (count, first) = number.fold((0, None), |(count, first), byte| {
        (count + 8, first.or(Some(*byte)))
    });
    count - first.map_or(0, |byte: u8| byte.leading_zeros() as usize)
}

/// Returns the faults of a chain, as sentences that begin with the file's name. The chain ends at
/// the first certificate that cannot be parsed.
pub(super) fn faults(
    file: &Path,
    chain: &[CertificateDer<'_>],
    authorities: &Authorities,
) -> Vec<String> {
    let chain: Vec<_> = chain
        .iter()
        .map_while(|it| Some((it, X509Certificate::from_der(it).ok()?.1)))
        .collect();
    let file = file.display();
    let weak = chain.iter().enumerate().skip(1).filter_map(|(index, it)| {
        let key = weak_key(it.0)?;
        let number = index + 1;
        Some(format!("{file}: certificate number {number} has {key}"))
    });
    let certificates: Vec<_> = chain.iter().map(|(_, it)| it).collect();
    let gap = gap(&certificates, authorities);
    weak.chain(gap.map(|gap| format!("{file}: {gap}")))
        .collect()
}

/// Returns where a chain breaks: certificates in the wrong order, or a missing one.
fn gap(chain: &[&X509Certificate<'_>], authorities: &Authorities) -> Option<String> {
    let vouches = |issuer: &X509Certificate<'_>, for_: &X509Certificate<'_>| {
        issuer.subject().as_raw() == for_.issuer().as_raw()
    };
    for (index, certificate) in chain.iter().enumerate() {
        let is_root = vouches(certificate, certificate);
        let next = chain.get(index + 1);
        if next.is_some_and(|next| vouches(next, certificate)) {
            continue;
        }
        let issuer = chain.iter().position(|it| vouches(it, certificate));
        let number = index + 1;
        let is_known = authorities.knows(certificate.issuer().as_raw());
        return match (issuer.filter(|_| !is_root), next) {
            (Some(issuer), _) => Some(format!(
                "the certificates are in the wrong order: number {number} is issued by number {}, \
                 which must follow it",
                issuer + 1
            )),
            // Certificates after a root, or after one that a known root has issued, do no harm.
            (None, _) if is_root || is_known => None,
            (None, _) => Some(format!(
                "an intermediate certificate is missing: number {number} is \
                 issued by “{}”, which is neither in the file nor an authority of this system; \
                 append the issuer's certificate, or clients without it will reject the chain",
                certificate.issuer()
            )),
        };
    }
    None
}

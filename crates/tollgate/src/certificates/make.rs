//! `tollgate certificates`: an authority of this machine's own, and a certificate that it vouches
//! for, in the data directory. What is there and good is left as it is.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _, tz::TimeZone};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};

use tollgate_control::random;

use super::folder::{Folder, OWN_AUTHORITY};
use crate::settings::Settings;

/// Whom a certificate is for where nobody says it.
const LOCAL_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
const AUTHORITY_YEARS: i32 = 10;
/// What systems accept of certificates at most is 398 days.
const CERTIFICATE_DAYS: i32 = 397;

/// The folder of certificates that the listeners show unless the settings name another.
#[must_use]
pub fn folder(data: &Path) -> PathBuf {
    data.join("certificates")
}

/// The certificate of the authority that `tollgate certificates` has made.
#[must_use]
pub fn authority(data: &Path) -> PathBuf {
    data.join(OWN_AUTHORITY)
}

/// Makes the authority, where there is none, and a certificate for these names, or for this machine
/// where there are none, unless there is one already. Says on standard output what is where.
///
/// # Errors
/// A name is none, or a file cannot be written.
pub fn carry_out(settings: &Settings, names: &[String]) -> anyhow::Result<()> {
    let data = &settings.process.data;
    let names: Vec<String> = match names {
        [] => LOCAL_NAMES.map(str::to_owned).to_vec(),
        names => names.to_vec(),
    };
    let folder = folder(data);
    let mut directories = fs::DirBuilder::new();
    let made = directories.recursive(true).mode(0o700).create(&folder);
    made.with_context(|| format!("making {}", folder.display()))?;
    let stem = names[0].replace('*', "_").replace(['/', '\\'], "");
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let mut out = io::stdout().lock();
    let (certificate, key) = (
        folder.join(format!("{stem}.crt")),
        folder.join(format!("{stem}.key")),
    );
    if is_good(data, &stem, &names) {
        writeln!(out, "{} is there already", certificate.display())?;
        return Ok(());
    }
    let issuer = open_authority(data, today)?;
    let (chain, secret) = issue(&issuer, &names, today)?;
    // The key first: a listener that reads between the two keeps the old pair.
    write(&key, &secret, 0o600)?;
    write(&certificate, &chain, 0o644)?;
    writeln!(
        out,
        "{} is for {}; who calls trusts it by {}",
        certificate.display(),
        names.join(", "),
        authority(data).display()
    )?;
    Ok(())
}

/// Whether the pair of this name is for these names, of the authority that is there, and does not
/// end soon.
fn is_good(data: &Path, stem: &str, names: &[String]) -> bool {
    let now_us = Timestamp::now().as_microsecond();
    let Ok(Folder { mut pairs, .. }) = Folder::read(&folder(data)) else {
        return false;
    };
    let Some(Ok(pair)) = pairs.remove(stem) else {
        return false;
    };
    let is_ours = fs::read(authority(data)).is_ok_and(|authority| pair.is_issued_by(&authority));
    is_ours && !pair.ends_soon(now_us) && names.iter().all(|name| pair.is_for(name))
}

/// The authority that is there, or a new one.
fn open_authority(data: &Path, today: Date) -> anyhow::Result<Issuer<'static, KeyPair>> {
    let (certificate, key) = (authority(data), data.join("ca.key"));
    ensure!(
        certificate.exists() == key.exists(),
        "of {} and {} only one is there: put the other back, or take both away for a new authority",
        certificate.display(),
        key.display()
    );
    if certificate.exists() {
        let secret = KeyPair::from_pem(&fs::read_to_string(&key)?);
        let secret = secret.with_context(|| format!("the key in {}", key.display()))?;
        let pem = fs::read_to_string(&certificate)?;
        let issuer = Issuer::from_ca_cert_pem(&pem, secret);
        return issuer.with_context(|| format!("the authority in {}", certificate.display()));
    }
    let mut params = CertificateParams::default();
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy();
    // Two authorities of one name would be taken for each other.
    let mark = u32::from_be_bytes(random::bytes()?);
    let name = format!("Tollgate on {host}, {mark:08x}");
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let end = today.checked_add(AUTHORITY_YEARS.years())?;
    lasting(&mut params, today, end);
    let secret = KeyPair::generate()?;
    let made = params.self_signed(&secret)?;
    write(&key, &secret.serialize_pem(), 0o600)?;
    write(&certificate, &made.pem(), 0o644)?;
    Ok(Issuer::new(params, secret))
}

/// A certificate and its key, both in PEM.
fn issue(
    issuer: &Issuer<'static, KeyPair>,
    names: &[String],
    today: Date,
) -> anyhow::Result<(String, String)> {
    let mut params = CertificateParams::new(names)
        .with_context(|| format!("{} must be names or addresses", names.join(", ")))?;
    params
        .distinguished_name
        .push(DnType::CommonName, names[0].clone());
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    lasting(
        &mut params,
        today,
        today.checked_add(CERTIFICATE_DAYS.days())?,
    );
    let secret = KeyPair::generate()?;
    let made = params.signed_by(&secret, issuer)?;
    Ok((made.pem(), secret.serialize_pem()))
}

/// From yesterday, for clocks that are behind.
fn lasting(params: &mut CertificateParams, today: Date, end: Date) {
    let day = |date: Date| {
        let (month, day) = (date.month().unsigned_abs(), date.day().unsigned_abs());
        date_time_ymd(date.year().into(), month, day)
    };
    params.not_before = day(today.yesterday().unwrap_or(today));
    params.not_after = day(end);
}

/// Writes a file whole or not at all.
fn write(file: &Path, text: &str, mode: u32) -> anyhow::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let fresh = file.with_file_name(format!(".{name}.new"));
    let write = || {
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = fs::OpenOptions::new();
        let options = options.write(true).create_new(true).mode(mode);
        options.open(&fresh)?.write_all(text.as_bytes())?;
        fs::rename(&fresh, file)
    };
    write().with_context(|| format!("writing {}", file.display()))
}

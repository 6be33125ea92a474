//! `tollgate certificates`: creates an authority for this machine and a certificate issued by it,
//! in the data directory. Valid existing files are left as they are.

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
use crate::data;
use crate::settings::Settings;

/// The names of a certificate if none are given.
const LOCAL_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
const AUTHORITY_YEARS: i32 = 10;
/// Operating systems accept at most 398 days.
const CERTIFICATE_DAYS: i32 = 397;

/// Returns the folder of the certificates that listeners use unless the settings name another.
#[must_use]
pub fn folder(data: &Path) -> PathBuf {
    data.join("certificates")
}

/// Returns the path of the certificate of the authority that `tollgate certificates` creates.
#[must_use]
pub fn authority(data: &Path) -> PathBuf {
    data.join(OWN_AUTHORITY)
}

/// Creates the authority if it is missing, and a certificate for these names (this machine if
/// empty) unless a valid one exists. Prints the paths on standard output.
///
/// # Errors
/// Fails if a name is invalid or a file cannot be written.
pub fn carry_out(settings: &Settings, names: &[String]) -> anyhow::Result<()> {
    let data = &settings.process.data;
    data::require_no_file(data)?;
    let names: Vec<String> = match names {
        [] => LOCAL_NAMES.map(str::to_owned).to_vec(),
        names => names.to_vec(),
    };
    let folder = folder(data);
    let mut directories = fs::DirBuilder::new();
    let made = directories.recursive(true).mode(0o700).create(&folder);
    made.with_context(|| format!("creating {}", folder.display()))?;
    let stem = names[0].replace('*', "_").replace(['/', '\\'], "");
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let mut out = io::stdout().lock();
    let (certificate, key) = (
        folder.join(format!("{stem}.crt")),
        folder.join(format!("{stem}.key")),
    );
    if is_good(data, &stem, &names) {
        writeln!(out, "{} already exists", certificate.display())?;
        return Ok(());
    }
    let issuer = open_authority(data, today)?;
    let (chain, secret) = issue(&issuer, &names, today)?;
    // The key comes first: a listener that reads between the two writes keeps the current pair.
    write(&key, &secret, 0o600)?;
    write(&certificate, &chain, 0o644)?;
    writeln!(
        out,
        "created {} for {}; clients trust it with {}",
        certificate.display(),
        names.join(", "),
        authority(data).display()
    )?;
    Ok(())
}

/// Returns whether the pair of this name covers these names, was issued by the current authority
/// and does not expire soon.
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

/// Opens the existing authority, or creates one.
fn open_authority(data: &Path, today: Date) -> anyhow::Result<Issuer<'static, KeyPair>> {
    let (certificate, key) = (authority(data), data.join("ca.key"));
    ensure!(
        certificate.exists() == key.exists(),
        "only one of {} and {} exists: restore the other, or remove it to create a new authority",
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
    // Clients would confuse two authorities of the same name.
    let mark = u32::from_be_bytes(random::bytes()?);
    let name = format!("Tollgate on {host}, {mark:08x}");
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let end = today.checked_add(AUTHORITY_YEARS.years())?;
    set_validity(&mut params, today, end);
    let secret = KeyPair::generate()?;
    let made = params.self_signed(&secret)?;
    write(&key, &secret.serialize_pem(), 0o600)?;
    write(&certificate, &made.pem(), 0o644)?;
    Ok(Issuer::new(params, secret))
}

/// Issues a certificate; returns it and its key, both in PEM.
fn issue(
    issuer: &Issuer<'static, KeyPair>,
    names: &[String],
    today: Date,
) -> anyhow::Result<(String, String)> {
    let mut params = CertificateParams::new(names)
        .with_context(|| format!("{} must be DNS names or IP addresses", names.join(", ")))?;
    params
        .distinguished_name
        .push(DnType::CommonName, names[0].clone());
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    set_validity(
        &mut params,
        today,
        today.checked_add(CERTIFICATE_DAYS.days())?,
    );
    let secret = KeyPair::generate()?;
    let made = params.signed_by(&secret, issuer)?;
    Ok((made.pem(), secret.serialize_pem()))
}

/// Sets the validity, from yesterday on, for clocks that are slow.
fn set_validity(params: &mut CertificateParams, today: Date, end: Date) {
    let day = |date: Date| {
        let (month, day) = (date.month().unsigned_abs(), date.day().unsigned_abs());
        date_time_ymd(date.year().into(), month, day)
    };
    params.not_before = day(today.yesterday().unwrap_or(today));
    params.not_after = day(end);
}

/// Writes a file atomically.
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

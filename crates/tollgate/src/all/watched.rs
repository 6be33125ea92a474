//! What operators' tools read of this process: wires crate `watch` to both sides. Nothing of it
//! exists unless `watch.listen` is set.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tollgate_control::Control;
use tollgate_gateway::Observer;
use tollgate_model::id::VersionId;
use tollgate_oauth2::AuthorizationServer;
use tollgate_spool::Spool;
use tollgate_watch::{AccessLog, Calls, Names, Page, Served, Source, families, write_process};

use super::listeners::Secured;
mod control_requests;
mod socket;

pub(super) use control_requests::ControlRequests;
pub(super) use socket::{WatchSocket, Watching};

/// The versions of the gateway, for the names of series.
pub(super) struct ServedVersions(pub(super) Observer);

impl Served for ServedVersions {
    fn all(&self) -> HashMap<VersionId, Names> {
        let versions = self.0.versions().into_iter();
        let named = versions.map(|version| {
            let names = Names {
                api: version.api.into(),
                version: version.name.into(),
            };
            (version.id, names)
        });
        named.collect()
    }
}

/// The figures of the gateway side.
#[derive(Clone)]
pub(super) struct WatchedGateway {
    pub(super) calls: Arc<Calls>,
    pub(super) observer: Observer,
    pub(super) access_log: Option<AccessLog>,
}

/// The figures of the control side.
pub(super) struct WatchedControl {
    pub(super) control: Control,
    pub(super) key_manager: AuthorizationServer,
    pub(super) spool: Arc<Spool>,
    pub(super) requests: Arc<ControlRequests>,
}

/// Both sides.
pub(super) struct Watched {
    pub(super) gateway: WatchedGateway,
    pub(super) control: WatchedControl,
    pub(super) secured: Secured,
    /// Whether the process stops: calls in progress may finish, but no more should come.
    pub(super) is_stopping: Arc<AtomicBool>,
}

impl Source for Watched {
    async fn write(&self, page: &mut Page) {
        self.gateway.write(page);
        self.control.write(page).await;
        self.write_certificates(page);
        let release = env!("CARGO_PKG_VERSION");
        page.family(&families::BUILD_INFO).number(&[release], 1);
        write_process(page);
    }

    async fn ready(&self) -> Result<(), String> {
        if self.is_stopping.load(Ordering::Relaxed) {
            return Err("the process is stopping".to_owned());
        }
        self.control.control.ready().await
    }
}

impl Watched {
    fn write_certificates(&self, page: &mut Page) {
        let mut expiry = page.family(&families::CERTIFICATE_EXPIRY);
        for (plane, folder) in self.secured.by_plane() {
            for (name, ends_us) in folder.expiries() {
                expiry.time(&[plane, &name], ends_us);
            }
        }
    }
}

impl WatchedGateway {
    fn write(&self, page: &mut Page) {
        self.calls.write(page);
        let mut unrecorded = page.family(&families::UNRECORDED);
        for (reason, count) in self.observer.unrecorded() {
            unrecorded.number(&[reason], count);
        }
        let status = self.observer.status();
        for (family, number) in [
            (&families::CONNECTIONS, status.connections as u64),
            (&families::CALLS, status.exchanges as u64),
            (&families::LIMIT_COUNTERS, status.counters.all as u64),
            (&families::CACHE_BYTES, status.cache_bytes),
            (&families::BUFFERED_BYTES, status.buffered_bytes),
            (&families::SNAPSHOT_SEQUENCE, status.sequence),
        ] {
            page.family(family).number(&[], number);
        }
        let mut applied = page.family(&families::SNAPSHOT_APPLIED);
        applied.time(&[], status.applied_us);
        let log = self.access_log.as_ref().map(AccessLog::condition);
        let (lines, texts) = log.map_or((0, 0), |it| (it.dropped_lines, it.lost_texts));
        let mut dropped = page.family(&families::DROPPED);
        dropped.number(&["line"], lines);
        dropped.number(&["text"], texts);
    }
}

impl WatchedControl {
    async fn write(&self, page: &mut Page) {
        let figures = self.control.figures().await;
        let spool = Arc::clone(&self.spool);
        let read = move || (spool.bytes().ok(), spool.oldest_us().ok().flatten());
        let (spool_bytes, oldest_us) = tokio::task::spawn_blocking(read).await.unwrap_or_default();
        if let Some(sequence) = figures.sequence {
            page.family(&families::FEED_SEQUENCE).number(&[], sequence);
        }
        let refused = figures.versions_refused as u64;
        page.family(&families::VERSIONS_REFUSED)
            .number(&[], refused);
        if let Some(bytes) = spool_bytes {
            page.family(&families::SPOOL_BYTES).number(&[], bytes);
        }
        if let Some(oldest_us) = oldest_us {
            let age_us = (self.control.now_us() - oldest_us).max(0);
            page.family(&families::SPOOL_OLDEST).time(&[], age_us);
        }
        self.requests.write(page);
        let mut issued = page.family(&families::TOKENS_ISSUED);
        for (grant, count) in self.key_manager.issued() {
            issued.number(&[grant], count);
        }
        let mut failures = page.family(&families::SIGN_IN_FAILURES);
        failures.number(&["user"], figures.failed_sign_ins);
        failures.number(&["client"], figures.failed_clients);
        failures.number(&["access_token"], figures.failed_access_tokens);
        let mut bytes = page.family(&families::STORE_BYTES);
        for (database, size) in [
            ("tollgate", figures.store_bytes),
            ("usage", figures.usage_bytes),
        ] {
            if let Some(size) = size {
                bytes.number(&[database], size);
            }
        }
        let mut writable = page.family(&families::STORE_WRITABLE);
        writable.number(&["tollgate"], figures.is_store_writable.into());
        writable.number(&["usage"], figures.is_usage_writable.into());
        let unwritten = figures.unwritten_rows as u64;
        let mut rows = page.family(&families::USAGE_UNWRITTEN_ROWS);
        rows.number(&["usage"], unwritten);
    }
}

//! The declaration of every setting: name, type with its bounds, default, unit, meaning.
//!
//! All other code that lists settings (the typed structs, `--help`, `tollgate config`,
//! docs/reference/settings.md) uses it. The doc comment of a field is its meaning there.

use std::path::PathBuf;

use tollgate_control::hosts::Hosts;
use tollgate_fetch::{HostList, Networks};
use tollgate_watch::access_log::StatusRanges;

use super::effective::Effective;
use super::value::{
    Count, Format, HealthPath, Level, LineFormat, Listen, OptionalPath, PublicUrl, Role, Value,
};
use super::{Declared, SettingsError};

macro_rules! settings {
    ($($(#[$group_doc:meta])* $group:ident $Group:ident {
        $($(#[doc = $meaning:literal])* $field:ident = $name:literal: $type:ty, $default:literal
            $(, $unit:literal)?;)*
    })*) => {
        /// Every setting with its effective value.
        #[derive(Debug, Clone)]
        pub struct Settings { $($(#[$group_doc])* pub $group: $Group,)* }

        $(
            $(#[$group_doc])*
            #[derive(Debug, Clone)]
            pub struct $Group { $($(#[doc = $meaning])* pub $field: $type,)* }
        )*

        /// Every setting, in the order of the help and the reference page.
        pub const SETTINGS: &[Declared] = &[$($(Declared {
            name: $name,
            expects: <$type>::expects,
            form: <$type as Value>::FORM,
            default: $default,
            unit: concat!($($unit)?),
            meaning: concat!($($meaning),*),
        },)*)*];

        impl Settings {
            /// Parses the effective settings.
            ///
            /// # Errors
            /// Fails at the first invalid value.
            pub fn parse(effective: &Effective) -> Result<Self, SettingsError> {
                Ok(Self { $($group: $Group { $($field: effective.parse($name)?,)* },)* })
            }
        }
    };
}

settings! {
    /// The role of the process and its data.
    process Process {
        /// Planes that this process runs: `all`, the only role in this release.
        role = "role": Role, "all";
        /// Directory of all data that outlives a restart; created if missing.
        data = "data": PathBuf, "./data";
        /// File of the master key: 32 bytes in Base64. The key encrypts stored secrets that must be
        /// readable again, such as passwords for back ends. Empty means `master.key` in the data
        /// directory, created at the first start. A backup of the database cannot be used without
        /// it.
        master_key = "master_key": OptionalPath, "";
        /// Whether to publish the example API, with a back end inside the process.
        example = "example": bool, "true";
    }
    /// The control plane.
    control Control {
        /// Address of the control plane's HTTP API over plain HTTP; port 0 picks a free port. Empty
        /// disables plain HTTP; then `control.https_listen` is required.
        listen = "control.listen": Listen, "127.0.0.1:9000";
        /// Address of the control plane's HTTP API over HTTPS. Empty disables HTTPS.
        https_listen = "control.https_listen": Listen, "";
        /// Folder of the control plane's certificates and keys: `NAME.crt` with `NAME.key`, or
        /// `NAME/fullchain.pem` with `NAME/privkey.pem`, selected by the server name that the
        /// client requests. Other clients get `default`, or the first certificate. Changes take
        /// effect within a second. Empty means `certificates` in the data directory.
        certificates = "control.certificates": OptionalPath, "";
        /// External URL of the control plane, such as `https://tollgate.example.com`, if it differs
        /// from its address. It is the `iss` of access tokens; if empty, the HTTPS address is.
        /// Without both, no access tokens are issued.
        public_url = "control.public_url": Hosts, "";
        /// Whether to redirect plain HTTP requests to HTTPS (308), except `/healthz` and `/readyz`;
        /// requires `control.https_listen`.
        http_redirects = "control.http_redirects": bool, "false";
        /// Whether to send Strict-Transport-Security over HTTPS: browsers then use only HTTPS for
        /// this host, on every port, for a year.
        hsts = "control.hsts": bool, "false";
        /// Non-public hosts, addresses and networks that imports may fetch from, such as
        /// `wsdl.internal, 10.20.0.0/16`.
        fetch_allowed = "control.fetch_allowed": HostList, "";
        /// Maximum time to fetch a document that is imported by URL, with all its redirects; then
        /// the import is refused with 422 `fetch.failed`.
        fetch_timeout_ms = "control.fetch_timeout_ms": Count<100, 60_000>, "15000", "ms";
        /// Maximum time that a write waits for earlier ones, and for another program that locks the
        /// database, such as a backup; then the request is refused with 503 and may be retried.
        store_wait_ms = "control.store_wait_ms": Count<100, 600_000>, "10000", "ms";
        /// Reverse proxies in front of the control plane, as addresses and networks. The last
        /// address in their `X-Forwarded-For` that is not such a proxy is used as the client's
        /// address.
        trusted_proxies = "control.trusted_proxies": Networks, "";
        /// Days after which the signing keys of access tokens rotate. The next key is published an
        /// hour before its first use, and the previous key remains valid as long as tokens signed
        /// with it.
        signing_key_days = "control.signing_key_days": Count<1, 3_650>, "90", "days";
        /// Maximum number of unexpired opaque access tokens per application; requests for more get
        /// 503 and may be retried later. Gateways keep each until it expires, in about 300 bytes.
        opaque_tokens_max = "control.opaque_tokens_max":
            Count<1, 10_000_000>, "100000", "tokens";
        /// Maximum lifetime of a personal access token.
        access_token_days_max = "control.access_token_days_max": Count<1, 3_650>, "365", "days";
        /// Whether the HTTP API and the portal show the catalogue, with the documents of its APIs,
        /// to everyone, without signing in.
        open_catalogue = "control.open_catalogue": bool, "false";
        /// Maximum size of the cache of compiled SOAP contracts. The least recently used are
        /// evicted and compiled again when needed, as is a contract larger than the cache.
        contract_cache_bytes_max = "control.contract_cache_bytes_max":
            Count<0, 17_179_869_184>, "67108864", "bytes";
        /// Maximum bytes of request bodies, and of documents fetched for imports, that the control
        /// plane and the key manager buffer at a time. Beyond it, the slowest body is dropped
        /// (503), those of callers who are not signed in first.
        bodies_bytes_max = "control.bodies_bytes_max":
            Count<16_777_216, 17_179_869_184>, "67108864", "bytes";
        /// Maximum number of applications per user; creating another one is refused (409). Users
        /// who already have more keep them.
        applications_per_user_max = "control.applications_per_user_max":
            Count<1, 1_000_000>, "200", "applications";
        /// Number of threads for the control plane and all slow work; they run at a lower priority.
        threads = "control.threads": Count<1, 64>, "2", "threads";
    }
    /// The data plane.
    gateway Gateway {
        /// Address for calls over plain HTTP; port 0 picks a free port. Empty disables plain HTTP;
        /// then `gateway.https_listen` is required.
        listen = "gateway.listen": Listen, "127.0.0.1:8080";
        /// Address for calls over HTTPS: TLS 1.2 and 1.3, HTTP/1.1. Empty disables HTTPS.
        https_listen = "gateway.https_listen": Listen, "";
        /// Folder of the gateway's certificates and keys, as for `control.certificates`.
        certificates = "gateway.certificates": OptionalPath, "";
        /// Whether to redirect calls over plain HTTP to HTTPS (308); requires
        /// `gateway.https_listen`.
        http_redirects = "gateway.http_redirects": bool, "false";
        /// Path of the health check for load balancers, such as `/healthz`: responds with `ok`, or
        /// with 503 while the gateway stops. It takes precedence over every API and is not
        /// recorded. Empty disables it.
        health_path = "gateway.health_path": HealthPath, "";
        /// External URL of the gateways, such as `https://api.example.com`, if it differs from the
        /// address (the HTTPS address, if set). SOAP contracts contain it, and it is the `aud` of
        /// access tokens. Without it and without HTTPS, no access tokens are issued.
        public_url = "gateway.public_url": PublicUrl, "";
        /// Maximum number of signed access tokens that a worker caches to avoid verifying their
        /// signatures again; the least recently used is evicted. Each takes about half a KiB.
        remembered_tokens_max = "gateway.remembered_tokens_max": Count<1, 10_000_000>, "16384",
            "tokens";
        /// Reverse proxies in front of the gateway, as addresses and networks. The last address in
        /// their `X-Forwarded-For` that is not such a proxy is used as the client's address.
        trusted_proxies = "gateway.trusted_proxies": Networks, "";
        /// Hosts, addresses and networks that upstreams may not use, such as `vault.internal,
        /// 10.99.0.0/16`. Link-local, unspecified and multicast addresses and Tollgate's own
        /// listeners are denied without being listed. The default lists the metadata services of
        /// clouds, which return credentials, besides the link-local 169.254.169.254; a configured
        /// list replaces it.
        upstream_denied = "gateway.upstream_denied":
            HostList, "100.100.100.200, 168.63.129.16, fd00:ec2::254";
        /// Hosts, addresses and networks that upstreams may use even if they are link-local or in a
        /// network of `gateway.upstream_denied`.
        upstream_allowed = "gateway.upstream_allowed": HostList, "";
        /// Number of worker threads, each with its own listener and pools; 0 means one per core.
        workers = "gateway.workers": Count<0, 1024>, "0", "threads";
        /// Maximum size of a request head; a larger one is refused with 431.
        head_bytes_max = "gateway.head_bytes_max": Count<512, 65_536>, "16384", "bytes";
        /// Maximum number of header fields of a request; more are refused with 431.
        fields_max = "gateway.fields_max": Count<8, 256>, "100", "fields";
        /// Maximum length of a request target; a longer one is refused with 414.
        target_bytes_max = "gateway.target_bytes_max": Count<64, 65_536>, "8192", "bytes";
        /// Maximum size of a request body, unless the API sets a lower one; a larger one is refused
        /// with 413.
        body_bytes_max = "gateway.body_bytes_max":
            Count<0, 1_099_511_627_776>, "104857600", "bytes";
        /// Maximum size of all bodies that are held whole at a time, over all workers: of requests
        /// and responses that policies read, of SOAP as REST, and of responses on their way into
        /// the cache. A quarter is for bodies of up to 64 KiB, and none may be larger than the
        /// rest. A body of unknown length counts as 64 KiB, and once it is longer, as its own
        /// bound. What one owner of applications announces fits into it; beyond that, requests get
        /// 503 `mediate.busy`, and responses wait, for at most `gateway.exchange_timeout_ms`. Once
        /// it is full of what has arrived, bodies of the owner with most of it give way.
        buffered_bytes_max = "gateway.buffered_bytes_max":
            Count<16_777_216, 1_099_511_627_776>, "268435456", "bytes";
        /// Maximum size of all stored responses, one part in 32 of it for keys of others. One of
        /// them has at most an eighth of the rest. They are in memory only, so the cache is empty
        /// after a start.
        cache_bytes_max = "gateway.cache_bytes_max":
            Count<1_048_576, 1_099_511_627_776>, "33554432", "bytes";
        /// Maximum number of counters of limits that are found at the call: of users, addresses,
        /// several dimensions, and under conditions. Beyond it, what is over is forgotten, or else
        /// the counter with the smallest share used. Each takes about 100 bytes.
        counters_max = "gateway.counters_max": Count<10_000, 100_000_000>, "1000000", "counters";
        /// Whether responses also have the fields `X-RateLimit-Limit`, `X-RateLimit-Remaining` and
        /// `X-RateLimit-Reset` (seconds), for the limit on requests with the least left.
        x_ratelimit_headers = "gateway.x_ratelimit_headers": bool, "false";
        /// Maximum number of client connections, over all workers. A new one beyond it replaces the
        /// one that has been idle longest, of the address with the most connections; if all are
        /// busy with calls, it is refused with 503.
        connections_max = "gateway.connections_max": Count<1, 10_000_000>, "20000", "connections";
        /// Maximum number of client connections from one address; the next one is refused with 503.
        /// An address is an IPv4 address, or the first 64 bits of an IPv6 address. 0 means half of
        /// `gateway.connections_max`. Proxies in `gateway.trusted_proxies` are not limited.
        connections_per_address_max = "gateway.connections_per_address_max":
            Count<0, 10_000_000>, "0", "connections";
        /// Maximum number of requests on one connection, which is then closed.
        requests_per_connection_max = "gateway.requests_per_connection_max":
            Count<1, 1_000_000_000>, "1000000", "requests";
        /// Maximum time of a client's TLS handshake; a slower connection is closed.
        handshake_timeout_ms = "gateway.handshake_timeout_ms": Count<10, 3_600_000>, "10000", "ms";
        /// Maximum time to receive a request head, once it has begun; a slower one is refused with
        /// 408.
        header_timeout_ms = "gateway.header_timeout_ms": Count<10, 3_600_000>, "10000", "ms";
        /// Maximum time without progress in receiving a request body or sending a response; then
        /// 408, or the response is cut off.
        body_idle_timeout_ms = "gateway.body_idle_timeout_ms":
            Count<10, 3_600_000>, "30000", "ms";
        /// Maximum time that a client connection waits for its next request.
        keep_alive_timeout_ms = "gateway.keep_alive_timeout_ms":
            Count<10, 86_400_000>, "75000", "ms";
        /// Maximum time that a call waits for a free connection to its upstream; then 503.
        pool_wait_timeout_ms = "gateway.pool_wait_timeout_ms": Count<1, 3_600_000>, "5000", "ms";
        /// Maximum time of a call until its response head arrives; then 504. Time spent waiting for
        /// the request body does not count, and the time starts again with the body's last byte.
        /// Transfers have the three bounds below, and the idle timeouts of both sides.
        exchange_timeout_ms = "gateway.exchange_timeout_ms":
            Count<10, 86_400_000>, "300000", "ms";
        /// Minimum rate of a body transfer for the side that the gateway waits for: a client that
        /// sends or reads, an upstream that reads; slower ones get 408, 504, or a response that is
        /// cut off. A sending upstream is never too slow: only its own idle timeout applies. 0
        /// means none.
        transfer_bytes_per_second_min = "gateway.transfer_bytes_per_second_min":
            Count<0, 1_000_000_000>, "100", "bytes a second";
        /// Time, spent waiting for one side, over which that rate is averaged.
        transfer_window_ms = "gateway.transfer_window_ms":
            Count<1_000, 3_600_000>, "60000", "ms";
        /// Maximum time of the transfer of one body, in each direction, at any rate; then 408, or
        /// the response is cut off. 0 means no limit.
        transfer_timeout_ms = "gateway.transfer_timeout_ms":
            Count<0, 604_800_000>, "0", "ms";
        /// Maximum number of records that a worker holds for the recorder; those beyond it are
        /// counted.
        records_max = "gateway.records_max": Count<64, 16_777_216>, "65536", "records";
        /// Maximum time for calls in progress to finish after SIGTERM or SIGINT, before they are
        /// cut off.
        drain_grace_ms = "gateway.drain_grace_ms": Count<0, 3_600_000>, "30000", "ms";
    }
    /// The spool: single calls, in the folder `spool` of the data directory.
    spool Spool {
        /// Maximum size of the spool. The oldest calls are removed beyond it.
        bytes_max = "spool.bytes_max":
            Count<134_217_728, 1_099_511_627_776>, "10737418240", "bytes";
        /// How long single calls are kept.
        days = "spool.days": Count<1, 400>, "7", "days";
        /// Free bytes of the disk below which the oldest calls are removed.
        free_bytes_min = "spool.free_bytes_min":
            Count<0, 1_099_511_627_776>, "1073741824", "bytes";
    }
    /// What operators' tools read.
    watch Watch {
        /// Address of a listener for `/metrics`, `/healthz` and `/readyz` over plain HTTP, without
        /// authentication; port 0 picks a free port. Anyone who can connect to it can read the
        /// names of all APIs, published or not. Empty disables it.
        listen = "watch.listen": Listen, "";
    }
    /// The access log: a line for each call.
    access_log AccessLog {
        /// File that gets a line for each call, created with mode 0640; `-` for standard output.
        /// SIGHUP opens it again. Empty disables the access log.
        file = "access_log.file": OptionalPath, "";
        /// Format of its lines: `json`, `combined` (of Apache and nginx) or `template`.
        format = "access_log.format": LineFormat, "json";
        /// Text of a line with names of fields in braces, such as `{time} {status} {path}`, for the
        /// format `template`.
        template = "access_log.template": String, "";
        /// Whether lines have queries, also those of referrers. The values of parameters that carry
        /// credentials are never written.
        query = "access_log.query": bool, "false";
        /// Statuses of calls that get a line, such as `404, 500-599`. Empty selects none by status;
        /// all calls get a line if neither this nor `access_log.slow_ms` selects any.
        statuses = "access_log.statuses": StatusRanges, "";
        /// Calls that take at least this long get a line, too. 0 selects none by time.
        slow_ms = "access_log.slow_ms": Count<0, 3_600_000>, "0", "ms";
        /// One in this number of the remaining calls gets a line. 0 means none of them, or all if
        /// neither `access_log.statuses` nor `access_log.slow_ms` is set.
        one_in = "access_log.one_in": Count<0, 1_000_000>, "0", "calls";
        /// Whether preflights of web pages get lines.
        preflights = "access_log.preflights": bool, "false";
        /// Size from which the file is renamed to `FILE.1` and begun anew; so is a file of an
        /// earlier day, in UTC. 0 disables both, for another program that rotates it.
        rotate_bytes = "access_log.rotate_bytes":
            Count<0, 1_099_511_627_776>, "104857600", "bytes";
        /// Number of renamed files that are kept.
        keep = "access_log.keep": Count<0, 1_000>, "10", "files";
    }
    /// The log.
    log Log {
        /// Minimum level of the lines that are logged to standard error.
        level = "log.level": Level, "info";
        /// Format of log lines: `text` for people, `json` for machines.
        format = "log.format": Format, "text";
    }
}

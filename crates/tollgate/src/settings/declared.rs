//! The declaration of every setting: name, type with its bounds, default, unit, meaning.
//!
//! Everything else that knows settings (the typed structs, `--help`, `tollgate config`,
//! docs/reference/settings.md) comes from here. The comment of a field is its meaning there.

use std::path::PathBuf;

use tollgate_control::hosts::Hosts;
use tollgate_fetch::{HostList, Networks};

use super::effective::Effective;
use super::value::{
    Count, Format, HealthPath, Level, Listen, OptionalPath, PublicUrl, Role, Value,
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

        /// Every setting, in the order in which people read them.
        pub const SETTINGS: &[Declared] = &[$($(Declared {
            name: $name,
            expects: <$type>::expects,
            form: <$type as Value>::FORM,
            default: $default,
            unit: concat!($($unit)?),
            meaning: concat!($($meaning),*),
        },)*)*];

        impl Settings {
            /// The typed settings of what was written.
            ///
            /// # Errors
            /// The first value that is not one.
            pub fn read(effective: &Effective) -> Result<Self, SettingsError> {
                Ok(Self { $($group: $Group { $($field: effective.read($name)?,)* },)* })
            }
        }
    };
}

settings! {
    /// What the process is and where it keeps things.
    process Process {
        /// Which planes this process runs: `all`, which is the one role of this release.
        role = "role": Role, "all";
        /// Directory of everything that outlives a restart; made when it is not there.
        data = "data": PathBuf, "./data";
        /// File of the master key: 32 bytes in Base64, which seal what is stored and must be read
        /// again, such as passwords for back ends. Empty is `master.key` in the data directory,
        /// made at the first start. Without it a backup of the database cannot be used.
        master_key = "master_key": OptionalPath, "";
        /// Whether the example API is published, with a back end inside the process.
        example = "example": bool, "true";
    }
    /// The control plane.
    control Control {
        /// Address of the control plane's HTTP API over plain HTTP; port 0 takes a free one. Empty
        /// takes none, where `control.https_listen` does.
        listen = "control.listen": Listen, "127.0.0.1:9000";
        /// Address of the control plane's HTTP API over HTTPS, if any.
        https_listen = "control.https_listen": Listen, "";
        /// Folder of the control plane's certificates with their keys: `NAME.crt` and `NAME.key`,
        /// or `NAME/fullchain.pem` and `NAME/privkey.pem`, chosen by the name that is asked for;
        /// `default` or the first is shown to everybody else. What changes is taken up within a
        /// second. Empty is `certificates` in the data directory.
        certificates = "control.certificates": OptionalPath, "";
        /// The URL under which people reach the control plane, such as
        /// `https://tollgate.example.com`, if it is another than its address. It is `iss` of access
        /// tokens; without it that is the HTTPS address, and without both none are issued.
        public_url = "control.public_url": Hosts, "";
        /// Whether requests that come by plain HTTP are sent on to HTTPS (308), but for `/healthz`
        /// and `/readyz`; needs `control.https_listen`.
        http_redirects = "control.http_redirects": bool, "false";
        /// Whether browsers that came by HTTPS are told to come to this host by nothing else, on
        /// any port, for a year (Strict-Transport-Security).
        hsts = "control.hsts": bool, "false";
        /// What an import may fetch from although it is not public: hosts, addresses and networks
        /// such as `wsdl.internal, 10.20.0.0/16`.
        fetch_allowed = "control.fetch_allowed": HostList, "";
        /// Reverse proxies in front of the control plane, as addresses and networks: the last
        /// `X-Forwarded-For` of theirs that is no such proxy counts as the caller's address.
        trusted_proxies = "control.trusted_proxies": Networks, "";
        /// Days after which the keys that access tokens are signed with turn: the next one is
        /// published an hour before its use, and the last one is known for as long as a token
        /// that was signed with it lasts.
        signing_key_days = "control.signing_key_days": Count<1, 3_650>, "90", "days";
        /// Opaque access tokens that the clients of an application have at a time: gateways keep
        /// each until its end, in some 300 bytes. Whoever asks for more is told to try later (503).
        opaque_tokens_max = "control.opaque_tokens_max":
            Count<1, 10_000_000>, "100000", "tokens";
        /// Days after which a personal access token ends at the latest.
        access_token_days_max = "control.access_token_days_max": Count<1, 3_650>, "365", "days";
        /// Whether the HTTP API and the portal show the catalogue, with the documents of what is in
        /// it, to everybody, without signing in.
        open_catalogue = "control.open_catalogue": bool, "false";
        /// Bytes of what contracts of SOAP services were compiled to that are remembered; what was
        /// used longest ago is compiled again when it is needed, and so is what is larger alone.
        contract_cache_bytes_max = "control.contract_cache_bytes_max":
            Count<0, 17_179_869_184>, "67108864", "bytes";
        /// Bytes of all request bodies, and documents fetched for imports, that the control plane
        /// and the key manager buffer at a time. Where they exceed it, the slowest body is dropped
        /// (503), those of callers who are not signed in first.
        bodies_bytes_max = "control.bodies_bytes_max":
            Count<16_777_216, 17_179_869_184>, "67108864", "bytes";
        /// Maximum number of applications per user; creating another one is refused (409). Users
        /// who have more already keep them.
        applications_per_user_max = "control.applications_per_user_max":
            Count<1, 1_000_000>, "200", "applications";
        /// Threads for the control plane and everything slow; they run at a lower priority.
        threads = "control.threads": Count<1, 64>, "2", "threads";
    }
    /// The data plane.
    gateway Gateway {
        /// Address on which calls are taken over plain HTTP; port 0 takes a free one. Empty takes
        /// none, where `gateway.https_listen` does.
        listen = "gateway.listen": Listen, "127.0.0.1:8080";
        /// Address on which calls are taken over HTTPS, if any: TLS 1.2 and 1.3, HTTP/1.1.
        https_listen = "gateway.https_listen": Listen, "";
        /// Folder of the gateway's certificates, as `control.certificates`.
        certificates = "gateway.certificates": OptionalPath, "";
        /// Whether calls that come by plain HTTP are sent on to HTTPS (308); needs
        /// `gateway.https_listen`.
        http_redirects = "gateway.http_redirects": bool, "false";
        /// Path at which the gateway answers `ok`, or 503 while it stops, for balancers; such as
        /// `/healthz`. It comes before any API, and nothing of it is recorded. Empty is none.
        health_path = "gateway.health_path": HealthPath, "";
        /// The URL under which callers reach the gateways, such as `https://api.example.com`, if it
        /// is another than the address (of HTTPS, where that is taken): contracts of SOAP services
        /// name it, and it is `aud` of access tokens, of which none are issued without it and
        /// without HTTPS.
        public_url = "gateway.public_url": PublicUrl, "";
        /// Signed access tokens that a worker remembers, so that their signatures are not checked
        /// again; of more, the one used least lately is forgotten. One takes about half a KiB.
        remembered_tokens_max = "gateway.remembered_tokens_max": Count<1, 10_000_000>, "16384",
            "tokens";
        /// Reverse proxies in front of the gateway, as addresses and networks: the last
        /// `X-Forwarded-For` of theirs that is no such proxy counts as the caller's address.
        trusted_proxies = "gateway.trusted_proxies": Networks, "";
        /// Back ends that no API may have: hosts, addresses and networks such as
        /// `vault.internal, 10.99.0.0/16`. Link-local, unspecified and multicast addresses and
        /// Tollgate's own listeners are refused without being listed. The default is where clouds
        /// tell machines their credentials, besides the link-local 169.254.169.254; a list of one's
        /// own stands in its place.
        upstream_denied = "gateway.upstream_denied":
            HostList, "100.100.100.200, 168.63.129.16, fd00:ec2::254";
        /// Back ends that are let through although they are link-local or lie in a network of
        /// `gateway.upstream_denied`: hosts, addresses and networks.
        upstream_allowed = "gateway.upstream_allowed": HostList, "";
        /// Worker threads, each with its own listener and pools; 0 takes one for each core.
        workers = "gateway.workers": Count<0, 1024>, "0", "threads";
        /// Request head at most; a larger one is refused with 431.
        head_bytes_max = "gateway.head_bytes_max": Count<512, 65_536>, "16384", "bytes";
        /// Header fields of a request at most; more are refused with 431.
        fields_max = "gateway.fields_max": Count<8, 256>, "100", "fields";
        /// Request target at most; a longer one is refused with 414.
        target_bytes_max = "gateway.target_bytes_max": Count<64, 65_536>, "8192", "bytes";
        /// Request body at most where the API says nothing smaller; more is refused with 413.
        body_bytes_max = "gateway.body_bytes_max":
            Count<0, 1_099_511_627_776>, "104857600", "bytes";
        /// Connections of callers at a time, over all workers. A new one beyond takes the place of
        /// the one that has been idle longest, of the address that has most connections; it is
        /// refused with 503 where all are busy with calls.
        connections_max = "gateway.connections_max": Count<1, 10_000_000>, "20000", "connections";
        /// Connections of callers at a time from one address; the next one is refused with 503. An
        /// address is that of IPv4, or the first 64 bits of one of IPv6. 0 is half of
        /// `gateway.connections_max`. Proxies in `gateway.trusted_proxies` have no such bound.
        connections_per_address_max = "gateway.connections_per_address_max":
            Count<0, 10_000_000>, "0", "connections";
        /// Requests on one connection, after which it is closed.
        requests_per_connection_max = "gateway.requests_per_connection_max":
            Count<1, 1_000_000_000>, "1000000", "requests";
        /// Time in which a caller's TLS handshake must be complete; a slower one is closed.
        handshake_timeout_ms = "gateway.handshake_timeout_ms": Count<10, 3_600_000>, "10000", "ms";
        /// Time in which a begun request head must be whole; a slower one is refused with 408.
        header_timeout_ms = "gateway.header_timeout_ms": Count<10, 3_600_000>, "10000", "ms";
        /// Time that a request body or a caller's reading may stand still; then 408, or the answer
        /// is cut.
        body_idle_timeout_ms = "gateway.body_idle_timeout_ms":
            Count<10, 3_600_000>, "30000", "ms";
        /// Time that a caller's connection may wait for its next request.
        keep_alive_timeout_ms = "gateway.keep_alive_timeout_ms":
            Count<10, 86_400_000>, "75000", "ms";
        /// Time that a call waits for a connection to its upstream to become free; then 503.
        pool_wait_timeout_ms = "gateway.pool_wait_timeout_ms": Count<1, 3_600_000>, "5000", "ms";
        /// Time that a call may take until the head of its answer has come; then 504. While the
        /// request's body is waited for, this time does not count; it begins anew with the body's
        /// last byte. Transfers have the three bounds below, and the idle time-outs of both sides.
        exchange_timeout_ms = "gateway.exchange_timeout_ms":
            Count<10, 86_400_000>, "300000", "ms";
        /// The least that a side must move that is waited for in the transfer of a body: a caller
        /// that sends or reads, an upstream that reads; 408, 504, or the answer is cut. What an
        /// upstream sends is never too slow: its own idle time-out holds. 0 is none.
        transfer_bytes_per_second_min = "gateway.transfer_bytes_per_second_min":
            Count<0, 1_000_000_000>, "100", "bytes a second";
        /// Time, spent waiting for one side, over which those bytes a second are averaged.
        transfer_window_ms = "gateway.transfer_window_ms":
            Count<1_000, 3_600_000>, "60000", "ms";
        /// Time that the transfer of one body may take, in each direction, however fast it flows;
        /// then 408, or the answer is cut. 0 is none.
        transfer_timeout_ms = "gateway.transfer_timeout_ms":
            Count<0, 604_800_000>, "0", "ms";
        /// Records that one worker holds for the recorder; what finds no room is counted.
        records_max = "gateway.records_max": Count<64, 16_777_216>, "65536", "records";
        /// Time that exchanges have to end after SIGTERM or SIGINT, before they are cut.
        drain_grace_ms = "gateway.drain_grace_ms": Count<0, 3_600_000>, "30000", "ms";
    }
    /// What the process tells its operator.
    log Log {
        /// How much is logged, to standard error.
        level = "log.level": Level, "info";
        /// How a line is written: `text` for people, `json` for machines.
        format = "log.format": Format, "text";
    }
}

//! Tollgate as a side of a run: the release binary with an empty data directory, set up through its
//! control plane as any user would.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::json;

use crate::control::credentials::{Credentials, PER_APPLICATION, Subscribed, Wanted};
use crate::control::{AMOUNT, Control, Names};
use crate::credential::Credential;
use crate::host::Host;
use crate::load::{ADDRESS, caller_address};
use crate::process::Process;
use crate::scenario::{Call, Scenario, Step};
use crate::scraper::Scraper;
use crate::world::World;

/// The setting that limits the number of applications of the lab's user.
const APPLICATIONS_MAX: &str = "control.applications_per_user_max";
/// Its default.
const APPLICATIONS: u64 = 200;
/// The setting with the address of its metrics.
const WATCH_LISTEN: &str = "watch.listen";
/// The text in settings that is replaced by the directory of the side.
const DIRECTORY: &str = "{directory}";
const START: Duration = Duration::from_secs(30);
/// Maximum time until a call is recorded.
const RECORDED: Duration = Duration::from_secs(10);

/// A running Tollgate with the scenarios' APIs.
#[derive(Debug)]
pub struct Tollgate {
    /// Its process.
    pub process: Process,
    /// Listen address of its gateway.
    pub gateway: SocketAddr,
    /// Listen address for TLS, if it has a certificate.
    pub https: Option<SocketAddr>,
    /// The callers' credentials, and the OAuth2 clients.
    pub credentials: Credentials,
    /// Its control plane.
    pub control: Control,
    /// The version that each scenario calls.
    versions: BTreeMap<String, String>,
    /// Reads its metrics, if it serves them.
    _scraper: Option<Scraper>,
}

/// The configuration of a Tollgate.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// Path of the binary.
    pub binary: &'a Path,
    /// The host; the gateway has a worker for each of its cores.
    pub host: &'a Host,
    /// A folder of its own on the host.
    pub directory: &'a Path,
    /// The upstream of the APIs.
    pub upstream: SocketAddr,
    /// The authority of the upstream's certificate, in PEM, if the upstream uses TLS.
    pub authority: Option<&'a str>,
    /// The folder on the host with the gateway's certificate, if callers use TLS.
    pub certificates: Option<&'a Path>,
    /// Number of calls that each limit allows.
    pub amount: u64,
    /// Settings by name, in addition to those of every run.
    pub settings: &'a BTreeMap<String, String>,
    /// Whether it restarts after setup.
    pub restarts: bool,
    /// Aborts the start when set.
    pub stop: &'a AtomicBool,
}

impl Tollgate {
    /// Starts it and publishes the scenarios' APIs.
    ///
    /// # Errors
    /// Fails if it does not start, if its control plane rejects a request, or if the run is
    /// stopped.
    pub fn start(
        start: Start<'_>,
        world: World,
        scenarios: &BTreeMap<String, Scenario>,
    ) -> anyhow::Result<Self> {
        let (gateway, control) = (start.host.free_address()?, start.host.free_address()?);
        let https = start.certificates.map(|_| start.host.free_address());
        let https = https.transpose()?;
        let wanted = wanted(scenarios, world);
        let mut command = start.command(gateway, control, https);
        start.allow_applications(&mut command, &wanted)?;
        let mut process = start.host.start("tollgate", &command)?;
        let (mut user, mut password) = (None, None);
        process.until(START, |line| {
            if let Some((name, one_time)) = first_administrator(line) {
                (user, password) = (Some(name), Some(one_time));
            }
            (line == "ready").then_some(())
        })?;
        let user = user.context("tollgate printed no first administrator")?;
        let password = password.context("tollgate printed no one-time password")?;
        let control = Control::sign_in(control, &user, &password)?;
        let plan = control.plan(world.limits, start.amount)?;
        let mut versions = BTreeMap::new();
        let known = Names::from([
            ("upstream".to_owned(), start.upstream_url()),
            ("plan".to_owned(), plan.clone()),
        ]);
        for (name, scenario) in scenarios {
            let kept = control.run(&trusting(&scenario.publish, start.authority), &known);
            let kept = kept.with_context(|| format!("publishing scenario {name:?}"))?;
            let version = kept.get("version");
            let version = version.with_context(|| format!("{name:?} keeps no version"))?;
            versions.insert(name.clone(), version.clone());
        }
        publish_others(&control, world, scenarios.len(), &known, start.stop)?;
        let subscribed: Vec<String> = versions.values().cloned().collect();
        let subscribed = Subscribed {
            versions: &subscribed,
            plan: &plan,
        };
        let credentials = control
            .credentials(&wanted, subscribed, start.stop)
            .context("creating credentials")?;
        if world.revoked_tokens > 0 {
            let revoked = control.revoke_tokens(world.revoked_tokens, start.stop);
            revoked.context("revoking tokens")?;
        }
        if start.restarts {
            process.end(START)?;
            process = start.host.start("tollgate", &command)?;
            process.until(START, |line| (line == "ready").then_some(()))?;
        }
        Ok(Self {
            process,
            gateway,
            https,
            credentials,
            control,
            versions,
            _scraper: start.scraper()?,
        })
    }

    /// Returns Tollgate's own counts for a scenario after one more call: from its records, and from
    /// the counter of the API's limit per day, if the plan has that limit.
    ///
    /// # Errors
    /// Fails if the gateway or the control plane does not respond.
    pub fn counted(
        &self,
        name: &str,
        scenario: &Scenario,
        call: Call,
    ) -> anyhow::Result<(u64, Option<u64>)> {
        let recorded = || self.control.recorded(&self.versions[name]);
        let before = recorded()?;
        let (method, (field, value)) = (&scenario.method, scenario.carries.field());
        let carried = self.credentials.of(scenario.carries);
        let carried = carried.first();
        let carried = carried.with_context(|| format!("no {} was created", scenario.carries))?;
        let mut request = ureq::http::Request::builder()
            .method(method.as_str())
            .uri(format!("http://{}{}", self.gateway, call.target))
            .header(field, value.replace("{value}", carried));
        for (field, value) in &call.headers {
            let address = caller_address(0).to_string();
            request = request.header(field, value.replace(ADDRESS, &address));
        }
        let request = request.body(call.body.unwrap_or_default());
        let request = request.with_context(|| format!("{method} {}", call.target))?;
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(START))
            .http_status_as_error(false);
        let answer = ureq::Agent::from(agent.build()).run(request);
        let answer = answer.with_context(|| format!("{method} {}", call.target))?;
        let limit = answer
            .headers()
            .get("ratelimit")
            .and_then(|it| it.to_str().ok());
        let charged = limit.and_then(charged);
        // The record is written after the response was sent.
        let begun = Instant::now();
        let mut after = recorded()?;
        while after == before && begun.elapsed() < RECORDED {
            thread::sleep(Duration::from_millis(10));
            after = recorded()?;
        }
        Ok((after, charged))
    }

    /// Returns the number of recorded calls of a scenario by response status.
    ///
    /// # Errors
    /// Fails if the control plane does not respond.
    pub fn recorded_by_status(&self, name: &str) -> anyhow::Result<BTreeMap<u16, u64>> {
        self.control.recorded_by_status(&self.versions[name])
    }
}

impl Start<'_> {
    /// Returns the URL of the upstream.
    fn upstream_url(&self) -> String {
        let scheme = match self.authority {
            Some(_) => "https",
            None => "http",
        };
        format!("{scheme}://{}", self.upstream)
    }

    /// Starts to read the metrics, if there are any.
    fn scraper(&self) -> anyhow::Result<Option<Scraper>> {
        let address = self.settings.get(WATCH_LISTEN);
        address.map(|it| Scraper::start(it)).transpose()
    }

    /// Returns the command with these listen addresses.
    fn command(
        &self,
        gateway: SocketAddr,
        control: SocketAddr,
        https: Option<SocketAddr>,
    ) -> Command {
        let mut command = Command::new(self.binary);
        let workers = self.host.cores.len().to_string();
        command.args(["run", "--no-example", "--gateway-workers", &workers]);
        command.arg("--data").arg(self.directory.join("data"));
        command.arg("--gateway-listen").arg(gateway.to_string());
        command.arg("--control-listen").arg(control.to_string());
        // Without HTTPS, tokens are only issued if both public URLs are set.
        for (flag, address) in [
            ("--control-public-url", control),
            ("--gateway-public-url", gateway),
        ] {
            command.arg(flag).arg(format!("http://{address}"));
        }
        let directory = self.directory.display().to_string();
        for (name, value) in self.settings {
            command
                .arg(format!("--{}", name.replace(['.', '_'], "-")))
                .arg(value.replace(DIRECTORY, &directory));
        }
        if let Some((https, certificates)) = https.zip(self.certificates) {
            command.arg("--gateway-https-listen").arg(https.to_string());
            command.arg("--gateway-certificates").arg(certificates);
        }
        command
    }

    /// Raises the limit of applications if the credentials need more. Earlier releases have no such
    /// limit and refuse to start with an unknown setting.
    fn allow_applications(&self, command: &mut Command, wanted: &Wanted) -> anyhow::Result<()> {
        let most = wanted.values().copied().max().unwrap_or_default();
        // One more for the revoked tokens.
        let applications = most.div_ceil(PER_APPLICATION) + 1;
        if applications <= APPLICATIONS || self.settings.contains_key(APPLICATIONS_MAX) {
            return Ok(());
        }
        let mut page = Command::new(self.binary);
        page.arg("settings");
        let mut page = self.host.start("settings", &page)?;
        let is_known = |line: &str| line.contains(APPLICATIONS_MAX).then_some(());
        if page.until(START, is_known).is_ok() {
            command.args([
                "--control-applications-per-user-max",
                &applications.to_string(),
            ]);
        }
        Ok(())
    }
}

/// Returns the number of credentials that the scenarios of a world need.
fn wanted(scenarios: &BTreeMap<String, Scenario>, world: World) -> Wanted {
    let mut wanted = Wanted::new();
    let mut need = |kind: Credential, count: u64| {
        let most = wanted.entry(kind.made_of()).or_default();
        *most = count.max(*most);
    };
    for scenario in scenarios.values() {
        need(scenario.carries, scenario.credentials(world));
        for &kind in scenario.background.keys() {
            need(kind, world.keys);
        }
    }
    wanted
}

/// Returns the number of calls counted by the API's limit, from the `RateLimit` field.
fn charged(rate_limit: &str) -> Option<u64> {
    let (_, rest) = rate_limit.split_once("\"api-day\";r=")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some(AMOUNT - digits.parse::<u64>().ok()?)
}

/// Returns the steps with drafts that trust the authority, if there is one.
fn trusting(steps: &[Step], authority: Option<&str>) -> Vec<Step> {
    let mut steps = steps.to_vec();
    let bodies = steps.iter_mut().filter_map(|step| step.body.as_mut());
    for upstream in bodies.filter_map(|body| body.pointer_mut("/upstream")) {
        if let Some(authority) = authority {
            upstream["ca"] = json!(authority);
        }
    }
    steps
}

/// Publishes additional APIs that are never called, up to the world's number.
fn publish_others(
    control: &Control,
    world: World,
    published: usize,
    known: &Names,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    for index in u64::try_from(published)?..world.apis {
        ensure!(!stop.load(Ordering::Relaxed), "stopped");
        let body = json!({
            "name": format!("Other {index}"), "context": format!("/other{index}"), "version": "1.0",
        });
        let made = control.call("POST", "/apis", Some(&body))?;
        let version = made["version"]["id"]
            .as_str()
            .context("the created API has no version")?;
        let draft = json!({
            "operations": [{ "method": "GET", "path": "/things/{id}" }],
            "upstream": { "url": known["upstream"] },
        });
        control.call("PATCH", &format!("/versions/{version}/draft"), Some(&draft))?;
        control.call(
            "PUT",
            &format!("/versions/{version}/plans"),
            Some(&json!([known["plan"]])),
        )?;
        let publish = json!({ "to": "published" });
        control.call(
            "POST",
            &format!("/versions/{version}/lifecycle"),
            Some(&publish),
        )?;
    }
    Ok(())
}

/// Parses the user name and the one-time password from Tollgate's output.
fn first_administrator(line: &str) -> Option<(String, String)> {
    let (_, rest) = line.split_once("user ")?;
    let (name, rest) = rest.split_once(", one-time password ")?;
    let password = rest.split_whitespace().next()?;
    Some((name.to_owned(), password.to_owned()))
}

/// Returns where `cargo build --release` writes the binary.
#[must_use]
pub fn binary(bench: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| bench.join("../target"));
    target.join("release/tollgate")
}

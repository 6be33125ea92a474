//! Tollgate as a side of a run: the release binary on an empty data directory, set up over its
//! control plane as anyone would.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::json;

use crate::control::credentials::{Credentials, PER_APPLICATION, Subscribed, Wanted};
use crate::control::{AMOUNT, Control, Names};
use crate::credential::Credential;
use crate::host::Host;
use crate::process::Process;
use crate::scenario::{Call, Scenario, Step};
use crate::world::World;

/// The setting that bounds how many applications the lab's user may have.
const APPLICATIONS_MAX: &str = "control.applications_per_user_max";
/// Its default.
const APPLICATIONS: u64 = 200;
const START: Duration = Duration::from_secs(30);

/// A running Tollgate that serves the scenarios of a profile.
#[derive(Debug)]
pub struct Tollgate {
    /// The process.
    pub process: Process,
    /// Where its gateway listens.
    pub gateway: SocketAddr,
    /// Where it listens for TLS, if it has a certificate.
    pub https: Option<SocketAddr>,
    /// What callers carry, and which clients get tokens.
    pub credentials: Credentials,
    /// Its control plane.
    pub control: Control,
    /// The version that each scenario calls.
    versions: BTreeMap<String, String>,
}

/// What a Tollgate is started from.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The binary.
    pub binary: &'a Path,
    /// Where it runs; its gateway has a worker for each core.
    pub host: &'a Host,
    /// A folder there that is its own.
    pub directory: &'a Path,
    /// Where calls go.
    pub upstream: SocketAddr,
    /// Who vouches for the upstream, in PEM, if TLS is spoken with it.
    pub authority: Option<&'a str>,
    /// The folder there of the certificate that callers are shown, if TLS is spoken with them.
    pub certificates: Option<&'a Path>,
    /// How many calls each limit allows.
    pub amount: u64,
    /// Other settings than those that a run needs, by their names.
    pub settings: &'a BTreeMap<String, String>,
    /// Whether it starts anew once all is made.
    pub restarts: bool,
    /// Whether to give up.
    pub stop: &'a AtomicBool,
}

impl Tollgate {
    /// Starts it and publishes what the scenarios call.
    ///
    /// # Errors
    /// It does not start, its control plane refuses, or it was told to give up.
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
        let scheme = if start.authority.is_some() {
            "https"
        } else {
            "http"
        };
        let known = Names::from([
            (
                "upstream".to_owned(),
                format!("{scheme}://{}", start.upstream),
            ),
            ("plan".to_owned(), plan.clone()),
        ]);
        for (name, scenario) in scenarios {
            let kept = control.run(&trusting(&scenario.publish, start.authority), &known);
            let kept = kept.with_context(|| format!("publishing scenario {name:?}"))?;
            let version = kept.get("version");
            let version = version.with_context(|| format!("{name:?} keeps no version"))?;
            versions.insert(name.clone(), version.clone());
        }
        others(&control, world, scenarios.len(), &known, start.stop)?;
        let subscribed: Vec<String> = versions.values().cloned().collect();
        let subscribed = Subscribed {
            versions: &subscribed,
            plan: &plan,
        };
        let credentials = control
            .credentials(&wanted, subscribed, start.stop)
            .context("making credentials")?;
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
        })
    }

    /// What Tollgate itself counted for a scenario, after one more call of it: by its records, and
    /// by the counter of the API's limit by the day, where there are enough limits to have it.
    ///
    /// # Errors
    /// The gateway or the control plane does not answer.
    pub fn counted(
        &self,
        name: &str,
        scenario: &Scenario,
        call: Call,
    ) -> anyhow::Result<(u64, Option<u64>)> {
        let (method, (field, value)) = (&scenario.method, scenario.carries.field());
        let carried = self.credentials.of(scenario.carries);
        let carried = carried.first();
        let carried = carried.with_context(|| format!("no {} was made", scenario.carries))?;
        let mut request = ureq::http::Request::builder()
            .method(method.as_str())
            .uri(format!("http://{}{}", self.gateway, call.target))
            .header(field, value.replace("{value}", carried));
        for (field, value) in &call.headers {
            request = request.header(field, value);
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
        Ok((self.control.recorded(&self.versions[name])?, charged))
    }

    /// How many calls of a scenario its records count, by the status that was answered.
    ///
    /// # Errors
    /// The control plane does not answer.
    pub fn recorded_by_status(&self, name: &str) -> anyhow::Result<BTreeMap<u16, u64>> {
        self.control.recorded_by_status(&self.versions[name])
    }
}

impl Start<'_> {
    /// What starts it, so that it listens there.
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
        // By these names tokens are made, which plain HTTP has no addresses for.
        for (flag, address) in [
            ("--control-public-url", control),
            ("--gateway-public-url", gateway),
        ] {
            command.arg(flag).arg(format!("http://{address}"));
        }
        for (name, value) in self.settings {
            command
                .arg(format!("--{}", name.replace(['.', '_'], "-")))
                .arg(value);
        }
        if let Some((https, certificates)) = https.zip(self.certificates) {
            command.arg("--gateway-https-listen").arg(https.to_string());
            command.arg("--gateway-certificates").arg(certificates);
        }
        command
    }

    /// Raises the bound on applications where the credentials need more of them. Earlier releases
    /// have no bound and refuse to start with a setting that they do not know.
    fn allow_applications(&self, command: &mut Command, wanted: &Wanted) -> anyhow::Result<()> {
        let most = wanted.values().copied().max().unwrap_or_default();
        // One more has the revoked tokens.
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

/// How many credentials the scenarios of a world need.
fn wanted(scenarios: &BTreeMap<String, Scenario>, world: World) -> Wanted {
    let mut wanted = Wanted::new();
    let mut want = |kind: Credential, count: u64| {
        let most = wanted.entry(kind.made_of()).or_default();
        *most = count.max(*most);
    };
    for scenario in scenarios.values() {
        want(scenario.carries, scenario.credentials(world));
        for &kind in scenario.background.keys() {
            want(kind, world.keys);
        }
    }
    wanted
}

/// How many calls a counter has counted, by the `RateLimit` field that names the API's limit.
fn charged(rate_limit: &str) -> Option<u64> {
    let (_, rest) = rate_limit.split_once("\"api-day\";r=")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some(AMOUNT - digits.parse::<u64>().ok()?)
}

/// Steps whose drafts trust an authority, where there is one.
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

/// Publishes more APIs that nobody calls, until there are as many as the world has.
fn others(
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
            .context("an API without a version")?;
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

/// Name and one-time password, from the line that tells them.
fn first_administrator(line: &str) -> Option<(String, String)> {
    let (_, rest) = line.split_once("user ")?;
    let (name, rest) = rest.split_once(", one-time password ")?;
    let password = rest.split_whitespace().next()?;
    Some((name.to_owned(), password.to_owned()))
}

/// Where `cargo build --release` puts the binary.
#[must_use]
pub fn binary(bench: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| bench.join("../target"));
    target.join("release/tollgate")
}

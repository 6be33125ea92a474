//! A real Prometheus that scrapes, and its `promtool`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::output::CapturedOutput;
use crate::{http, missing};

const START_TIME: Duration = Duration::from_secs(60);
const LISTENS: &str = "msg=\"Listening on\" address=";

/// A running Prometheus; killed when dropped.
#[derive(Debug)]
pub struct Prometheus {
    child: Child,
    output: CapturedOutput,
    address: SocketAddr,
    _data: TempDir,
}

/// Whether Prometheus is installed; reported if it is not.
///
/// # Errors
/// Fails if it is required and not installed.
pub fn is_here() -> anyhow::Result<bool> {
    let is_here = ["prometheus", "promtool"]
        .into_iter()
        .all(missing::is_command);
    if !is_here {
        missing::report("tests with Prometheus", "prometheus")?;
    }
    Ok(is_here)
}

/// Checks the text of metrics with `promtool check metrics`, which complains about what Prometheus
/// would not read, and about names that break its conventions.
///
/// # Errors
/// Fails with what it complains about.
pub fn check_metrics(text: &str) -> anyhow::Result<()> {
    let mut child = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().context("stdin")?;
    input.write_all(text.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    let complaints = String::from_utf8([output.stdout, output.stderr].concat())?;
    ensure!(
        output.status.success() && complaints.is_empty(),
        "{complaints}"
    );
    Ok(())
}

/// Checks a file of rules with `promtool check rules`.
///
/// # Errors
/// Fails with what it complains about.
pub fn check_rules(path: &Path) -> anyhow::Result<()> {
    let output = Command::new("promtool")
        .args(["check", "rules"])
        .arg(path)
        .output()?;
    let complaints = String::from_utf8([output.stdout, output.stderr].concat())?;
    ensure!(output.status.success(), "{complaints}");
    Ok(())
}

impl Prometheus {
    /// Starts one that scrapes `target` each second.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn start(target: SocketAddr) -> anyhow::Result<Self> {
        let data = TempDir::new()?;
        let settings = data.path().join("prometheus.yml");
        let text = format!(
            "global: {{ scrape_interval: 1s }}\nscrape_configs:\n  - job_name: tollgate\n    \
             static_configs: [{{ targets: ['{target}'] }}]\n"
        );
        std::fs::write(&settings, text)?;
        let mut child = Command::new("prometheus")
            .arg(format!("--config.file={}", settings.display()))
            .arg(format!(
                "--storage.tsdb.path={}",
                data.path().join("data").display()
            ))
            .arg("--web.listen-address=127.0.0.1:0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let output = CapturedOutput::default();
        let lines = output.listen(child.stderr.take().context("stderr")?);
        let mut prometheus = Self {
            child,
            output,
            address: target,
            _data: data,
        };
        let begun = Instant::now();
        loop {
            let left = START_TIME.saturating_sub(begun.elapsed());
            match lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some((_, address)) = line.split_once(LISTENS) {
                        prometheus.address = address.trim().parse()?;
                        return Ok(prometheus);
                    }
                }
                Err(_) => bail!("it does not listen: {}", prometheus.output.text()),
            }
        }
    }

    /// Returns the value of an expression; `None` if it has none yet.
    ///
    /// # Errors
    /// Fails if the expression is invalid.
    pub async fn query(&self, expression: &str) -> anyhow::Result<Option<f64>> {
        let encoded: String = expression
            .bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect();
        let target = format!("/api/v1/query?query={encoded}");
        let request = http::request("GET", &target, &[], b"");
        let answer = http::call(self.address, &request).await?;
        if answer.status == 503 {
            // It is still starting.
            return Ok(None);
        }
        let body: Value = serde_json::from_slice(&answer.body)?;
        ensure!(body["status"] == "success", "{expression}: {body}");
        let value = &body["data"]["result"][0]["value"][1];
        Ok(value.as_str().map(str::parse).transpose()?)
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            self.output.show();
        }
    }
}

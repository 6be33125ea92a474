//! Software that is not ours and speaks with the product: for SOAP servers of Apache CXF and npm's
//! soap, Python's zeep as a caller, libxml2 as a judge of XML, OpenAPI Generator; clients of the
//! key manager; Schemathesis. What they serve stands in crates/tollgate/tests/peers, where `make
//! deps` builds them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use crate::said::Said;

/// Time that a server may take to start on a busy machine; Java needs seconds on a quiet one.
const START_TIME: Duration = Duration::from_secs(90);
/// Runs a command that must end by itself, seconds.
const COMPLETION: &[&str] = &["timeout", "180"];
/// A short life: compiling well would cost more than it brings.
const JAVA: &[&str] = &[
    "java",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xmx256m",
];

/// What OpenAPI Generator writes: the client, without its documentation and tests.
const GENERATED: &str =
    "models,apis,supportingFiles,modelDocs=false,apiDocs=false,modelTests=false,apiTests=false";
/// In a class of Python, what has the name of a type hides that.
const NAMES: &str = "int=int_value,float=float_value";

/// The folder of the peers, all of them built.
#[derive(Debug, Clone)]
pub struct Peers {
    pub(crate) folder: PathBuf,
}

impl Peers {
    /// The peers of this folder; none, with a line on why, where one was not built.
    ///
    /// # Errors
    /// One was not built, and `TOLLGATE_REQUIRE_SERVICES` is 1.
    #[expect(clippy::print_stderr, reason = "who skips a test says so")]
    pub fn find(folder: impl AsRef<Path>) -> anyhow::Result<Option<Self>> {
        let folder = folder.as_ref().to_owned();
        let asked = Command::new(folder.join("install"))
            .arg("missing")
            .output()?;
        ensure!(
            asked.status.success(),
            "{}",
            String::from_utf8_lossy(&asked.stderr)
        );
        let names = String::from_utf8_lossy(&asked.stdout);
        let missing: Vec<_> = names.split_whitespace().collect();
        if missing.is_empty() {
            return Ok(Some(Self { folder }));
        }
        let missing = format!("missing: {} (make deps builds it)", missing.join(", "));
        let is_required =
            std::env::var("TOLLGATE_REQUIRE_SERVICES").is_ok_and(|value| value == "1");
        ensure!(!is_required, "{missing}");
        eprintln!("skipped: calls of real peers; {missing}");
        Ok(None)
    }

    /// The path of the WSDL that the servers serve.
    #[must_use]
    pub fn contract(&self) -> PathBuf {
        self.folder.join("contract/shop.wsdl")
    }

    /// The server of Apache CXF.
    ///
    /// # Errors
    /// It does not start.
    pub fn cxf(&self) -> anyhow::Result<Peer> {
        self.java(&[])
    }

    /// The server of Apache CXF, which refuses and never sends what its schemas do not allow.
    ///
    /// # Errors
    /// It does not start.
    pub fn strict_cxf(&self) -> anyhow::Result<Peer> {
        self.java(&["validate"])
    }

    fn java(&self, words: &[&str]) -> anyhow::Result<Peer> {
        let mut command = Command::new(JAVA[0]);
        command.args(&JAVA[1..]).arg("-jar");
        command.arg(self.folder.join(".installed/cxf/shop.jar"));
        self.start(command, words)
    }

    /// The server of npm's soap.
    ///
    /// # Errors
    /// It does not start.
    pub fn node_soap(&self) -> anyhow::Result<Peer> {
        let mut command = Command::new("node");
        command.arg(self.folder.join("node-soap/server.js"));
        self.start(command, &[])
    }

    fn start(&self, mut command: Command, words: &[&str]) -> anyhow::Result<Peer> {
        let begun = Instant::now();
        let mut child = command
            .arg("0")
            .arg(self.contract())
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{command:?}"))?;
        let said = Said::default();
        let lines = said.listen(child.stdout.take().context("stdout")?);
        let _ = said.listen(child.stderr.take().context("stderr")?);
        let mut peer = Peer {
            child,
            said,
            url: String::new(),
        };
        loop {
            let left = START_TIME.saturating_sub(begun.elapsed());
            match lines.recv_timeout(left) {
                Ok(line) => {
                    if let Some(url) = line.strip_prefix("ready ") {
                        peer.url = url.to_owned();
                        return Ok(peer);
                    }
                }
                Err(RecvTimeoutError::Timeout) => bail!("not ready: {}", peer.said.text()),
                Err(RecvTimeoutError::Disconnected) => {
                    let status = peer.child.wait()?;
                    bail!("ended with {status}: {}", peer.said.text());
                }
            }
        }
    }

    /// What zeep reads when it makes calls: zeep/dump.py in the folder of the peers says what can
    /// be wanted and what comes back.
    ///
    /// # Errors
    /// It cannot be run, or takes more than three minutes, or cannot read the WSDL.
    pub fn zeep(&self, wanted: &Value) -> anyhow::Result<Value> {
        self.python("zeep/dump.py", wanted)
    }

    /// What comes of calls by an OpenAPI document alone: zeep/rest.py in the folder of the peers
    /// says what can be wanted and what comes back.
    ///
    /// # Errors
    /// It cannot be run, or takes more than three minutes, or finds no request that fits.
    pub fn rest(&self, wanted: &Value) -> anyhow::Result<Value> {
        self.python("zeep/rest.py", wanted)
    }

    /// What is wrong with an OpenAPI document, as openapi-spec-validator finds it: one sentence for
    /// each fault.
    ///
    /// # Errors
    /// It cannot be run, or takes more than three minutes.
    pub fn document_faults(&self, document: &Value) -> anyhow::Result<Value> {
        let wanted = json!({ "name": "document", "document": document });
        Ok(self.python("zeep/document.py", &wanted)?["faults"].take())
    }

    /// What OpenAPI Generator's client for Python reads, which it makes of a document of the shop;
    /// openapi/client.py in the folder of the peers says which calls it makes and what comes back.
    /// `key` is the consumer's, `wsdl` where the server has its own.
    ///
    /// # Errors
    /// No client can be made, or it cannot be run, or takes more than three minutes.
    pub fn generated(&self, document: &Value, key: &str, wsdl: &str) -> anyhow::Result<Value> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("document.json");
        std::fs::write(&path, document.to_string())?;
        let output = Command::new(COMPLETION[0])
            .args(&COMPLETION[1..])
            .args(JAVA)
            .arg("-jar")
            .arg(
                self.folder
                    .join(".installed/openapi/openapi-generator-cli.jar"),
            )
            .args(["generate", "--generator-name", "python"])
            .args(["--package-name", "shop", "--global-property", GENERATED])
            .args(["--name-mappings", NAMES])
            .arg("--input-spec")
            .arg(&path)
            .arg("--output")
            .arg(folder.path())
            .output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "OpenAPI Generator: {errors}");
        let wanted = json!({ "client": folder.path(), "key": key, "wsdl": wsdl });
        self.python("openapi/client.py", &wanted)
    }

    fn python(&self, script: &str, wanted: &Value) -> anyhow::Result<Value> {
        let python = self.folder.join(".installed/zeep/bin/python");
        let mut command = to_completion(&python);
        command.arg(self.folder.join(script));
        told(command, wanted)
    }

    /// Tries what an OpenAPI document (a file) allows and forbids of the server at this URL; what
    /// Schemathesis says of it, and whether it found nothing.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn schemathesis(
        &self,
        (document, url): (&Path, &str),
        words: &[&str],
    ) -> anyhow::Result<(bool, String)> {
        let program = ".installed/schemathesis/bin/schemathesis";
        let folder = tempfile::tempdir()?;
        let output = to_completion(&self.folder.join(program))
            .arg("run")
            .arg(document)
            .args(["--url", url])
            .args(words)
            // It remembers examples in the folder where it runs.
            .current_dir(folder.path())
            .output()?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        Ok((output.status.success(), said))
    }

    /// Calls the shop with a client of CXF that knows this WSDL alone, in SOAP `1.1` or `1.2`,
    /// sending these HTTP headers. The messages are then in the folder, as they went over the wire.
    ///
    /// # Errors
    /// The client cannot be built or a call fails.
    pub fn call_with_cxf(
        &self,
        wsdl: &str,
        version: &str,
        folder: &Path,
        headers: &[(&str, &str)],
    ) -> anyhow::Result<()> {
        let headers = headers
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let output = Command::new(COMPLETION[0])
            .args(&COMPLETION[1..])
            .args(JAVA)
            .arg("-cp")
            .arg(self.folder.join(".installed/cxf/shop.jar"))
            .args(["shop.Caller", wsdl, version])
            .arg(folder)
            .args(headers)
            .output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "CXF's client: {errors}");
        Ok(())
    }

    /// libxml2, as one process for many documents.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn judge(&self) -> anyhow::Result<Judge> {
        let mut child = Command::new(self.folder.join(".installed/zeep/bin/python"))
            .arg(self.folder.join("zeep/validate.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("stdin")?;
        let output = BufReader::new(child.stdout.take().context("stdout")?);
        Ok(Judge {
            child,
            input,
            output,
        })
    }
}

/// A command that must end by itself.
pub(crate) fn to_completion(program: &Path) -> Command {
    let mut command = Command::new(COMPLETION[0]);
    command.args(&COMPLETION[1..]).arg(program);
    command
}

/// What a command answers in JSON to what it reads in JSON.
pub(crate) fn told(mut command: Command, wanted: &Value) -> anyhow::Result<Value> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().context("stdin")?;
    input.write_all(wanted.to_string().as_bytes())?;
    // It reads to the end before it says anything.
    drop(input);
    let output = child.wait_with_output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {errors}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A running server; killed when dropped, and gone by itself when the test's process is.
#[derive(Debug)]
pub struct Peer {
    /// Its standard input stays open: a peer ends when that ends.
    child: Child,
    said: Said,
    /// `http://address:port`, without a path.
    pub url: String,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            self.said.show();
        }
    }
}

/// Says whether documents are valid by their schemas.
#[derive(Debug)]
pub struct Judge {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Judge {
    /// What is wrong with a document by a schema (path of an XSD or of a WSDL), or nothing. Of an
    /// envelope the content of its body is judged. `of_type` (`{namespace}Name`) is for a root that
    /// no schema declares.
    ///
    /// # Errors
    /// The process has ended.
    pub fn fault(
        &mut self,
        schema: &Path,
        xml: &str,
        of_type: Option<&str>,
    ) -> anyhow::Result<Option<String>> {
        let question = json!({ "schema": schema, "xml": xml, "type": of_type });
        writeln!(self.input, "{question}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let verdict: Value = serde_json::from_str(&line).context("the judge has ended")?;
        Ok(verdict["error"].as_str().map(str::to_owned))
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

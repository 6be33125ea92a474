//! Third-party software that talks to the product: for SOAP servers of Apache CXF and npm's soap,
//! Python's zeep as a caller, libxml2 as a judge of XML, OpenAPI Generator; clients of the key
//! manager; an OpenID provider; OpenSearch; Schemathesis; a reader of access logs. Their
//! sources are in crates/tollgate/tests/peers, where `make deps` builds them.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::missing;
use crate::services::{Prepared, Recipe, Service};

/// Runs a command with a time limit in seconds.
const COMPLETION: &[&str] = &["timeout", "180"];
/// Short-lived processes: optimized compilation would cost more than it gains.
const JAVA: &[&str] = &[
    "java",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xmx256m",
];

/// The output of OpenAPI Generator: the client, without its documentation and tests.
const GENERATED: &str =
    "models,apis,supportingFiles,modelDocs=false,apiDocs=false,modelTests=false,apiTests=false";

/// The folder of the peers, all of them built.
#[derive(Debug, Clone)]
pub struct Peers {
    pub(crate) folder: PathBuf,
}

impl Peers {
    /// Finds the peers in this folder; `None`, with a line on the reason, if one was not built.
    ///
    /// # Errors
    /// Fails if one was not built and `TOLLGATE_REQUIRE_SERVICES` is 1.
    pub fn find(folder: impl AsRef<Path>) -> anyhow::Result<Option<Self>> {
        let folder = folder.as_ref().to_owned();
        let installed = Command::new(folder.join("install"))
            .arg("missing")
            .output()?;
        ensure!(
            installed.status.success(),
            "{}",
            String::from_utf8_lossy(&installed.stderr)
        );
        let names = String::from_utf8_lossy(&installed.stdout);
        let missing: Vec<_> = names.split_whitespace().collect();
        if missing.is_empty() {
            return Ok(Some(Self { folder }));
        }
        missing::report("calls of real peers", &missing.join(", "))?;
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
    /// Fails if it does not start.
    pub fn cxf(&self) -> anyhow::Result<Peer> {
        Peer::shared("cxf", &|_| self.java(&[]))
    }

    /// The server of Apache CXF, which validates received and sent messages by its schemas.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn strict_cxf(&self) -> anyhow::Result<Peer> {
        Peer::shared("strict-cxf", &|_| self.java(&["validate"]))
    }

    fn java(&self, words: &[&str]) -> Vec<OsString> {
        let mut command: Vec<OsString> = JAVA.iter().map(Into::into).collect();
        command.push("-jar".into());
        command.push(self.folder.join(".installed/cxf/shop.jar").into());
        command.extend(["0".into(), self.contract().into()]);
        command.extend(words.iter().map(Into::into));
        command
    }

    /// The server of npm's soap.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn node_soap(&self) -> anyhow::Result<Peer> {
        Peer::shared("node-soap", &|_| {
            let mut command = self.node("node-soap/server.js");
            command.extend(["0".into(), self.contract().into()]);
            command
        })
    }

    /// The server of npm's http-cache-tests.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn cache_suite(&self) -> anyhow::Result<Peer> {
        Peer::shared("cache-suite", &|_| self.node("http-cache-tests/server.mjs"))
    }

    /// An OpenID provider, npm's oidc-provider; its URL is the issuer. It has the client `till`
    /// with the secret `the secret of the till`, which may use client credentials.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn oidc_provider(&self) -> anyhow::Result<Peer> {
        Peer::shared("oidc-provider", &|_| self.node("oidc-provider/server.mjs"))
    }

    /// A node of OpenSearch.
    ///
    /// # Errors
    /// Fails if it does not start.
    pub fn opensearch(&self) -> anyhow::Result<Peer> {
        Peer::shared("opensearch", &|folder| {
            let mut command: Vec<OsString> = JAVA.iter().map(Into::into).collect();
            command.extend([
                "-cp".into(),
                self.folder.join(".installed/opensearch/*").into(),
            ]);
            command.extend([
                self.folder.join("opensearch/Main.java").into(),
                folder.join("data").into(),
            ]);
            command
        })
    }

    fn node(&self, script: &str) -> Vec<OsString> {
        vec!["node".into(), self.folder.join(script).into()]
    }

    /// Runs http-cache-tests against the cache at this URL, in front of that server; returns a row
    /// for each test: see http-cache-tests/judge.mjs in the folder of the peers.
    ///
    /// # Errors
    /// Fails if it cannot be run, or takes more than three minutes.
    pub fn judge_cache(&self, url: &str) -> anyhow::Result<Value> {
        let mut command = to_completion(Path::new("node"));
        command.arg("--no-warnings");
        command.arg(self.folder.join("http-cache-tests/judge.mjs"));
        run_json(command, &json!({ "base": url }))
    }

    /// Makes calls with zeep and returns what it reads: see zeep/dump.py in the folder of the peers
    /// for the input and output.
    ///
    /// # Errors
    /// Fails if it cannot be run, takes more than three minutes, or cannot read the WSDL.
    pub fn zeep(&self, input_json: &Value) -> anyhow::Result<Value> {
        self.python("zeep/dump.py", input_json)
    }

    /// Makes calls based on an OpenAPI document alone: see zeep/rest.py in the folder of the peers
    /// for the input and output.
    ///
    /// # Errors
    /// Fails if it cannot be run, takes more than three minutes, or finds no matching request.
    pub fn rest(&self, input_json: &Value) -> anyhow::Result<Value> {
        self.python("zeep/rest.py", input_json)
    }

    /// Returns the errors of an OpenAPI document found by openapi-spec-validator, one sentence
    /// each.
    ///
    /// # Errors
    /// Fails if it cannot be run, or takes more than three minutes.
    pub fn document_faults(&self, document: &Value) -> anyhow::Result<Value> {
        let input_json = json!({ "name": "document", "document": document });
        Ok(self.python("zeep/document.py", &input_json)?["faults"].take())
    }

    /// Reads XML documents with lxml; returns for each its JSON by the convention of policies, or
    /// an error: see zeep/convert.py in the folder of the peers for the output.
    ///
    /// # Errors
    /// Fails if it cannot be run, or takes more than three minutes.
    pub fn xml_as_json(&self, documents: &[&str]) -> anyhow::Result<Vec<Value>> {
        let read = self.python("zeep/convert.py", &json!({ "documents": documents }))?;
        Ok(read.as_array().context("a list")?.clone())
    }

    /// Makes calls with OpenAPI Generator's client for Python, generated from a document of the
    /// shop, and returns what it reads: see openapi/client.py in the folder of the peers. `key` is
    /// the consumer's; `wsdl` is where the server has its own.
    ///
    /// # Errors
    /// Fails if the client cannot be generated or run, or takes more than three minutes.
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
            .arg("--input-spec")
            .arg(&path)
            .arg("--output")
            .arg(folder.path())
            .output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "OpenAPI Generator: {errors}");
        let input_json = json!({ "client": folder.path(), "key": key, "wsdl": wsdl });
        self.python("openapi/client.py", &input_json)
    }

    fn python(&self, script: &str, input_json: &Value) -> anyhow::Result<Value> {
        let mut command = to_completion(&self.folder.join(".installed/zeep/bin/python"));
        command.arg(self.folder.join(script));
        run_json(command, input_json)
    }

    /// Tests the server at this URL with what an OpenAPI document (a file) allows and forbids;
    /// returns the output of Schemathesis, and whether it found nothing.
    ///
    /// # Errors
    /// Fails if it cannot be run.
    pub fn schemathesis(
        &self,
        document: &Path,
        url: &str,
        words: &[&str],
    ) -> anyhow::Result<(bool, String)> {
        let program = ".installed/schemathesis/bin/schemathesis";
        let folder = tempfile::tempdir()?;
        let output = to_completion(&self.folder.join(program))
            .arg("run")
            .arg(document)
            .args(["--url", url])
            .args(words)
            // It stores examples in the folder where it runs.
            .current_dir(folder.path())
            .output()?;
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed).into_owned();
        Ok((output.status.success(), printed))
    }

    /// Calls the shop with a CXF client that only knows this WSDL, in SOAP `1.1` or `1.2`, with
    /// these HTTP headers. The messages are then in the folder, as sent and received.
    ///
    /// # Errors
    /// Fails if the client cannot be built or a call fails.
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

    /// Starts libxml2, as one process for many documents.
    ///
    /// # Errors
    /// Fails if it cannot be run.
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

/// Prepares a command with a time limit.
pub(crate) fn to_completion(program: &Path) -> Command {
    let mut command = Command::new(COMPLETION[0]);
    command.args(&COMPLETION[1..]).arg(program);
    command
}

/// Runs a command with JSON as its input; returns its JSON output.
pub(crate) fn run_json(mut command: Command, input_json: &Value) -> anyhow::Result<Value> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().context("stdin")?;
    input.write_all(input_json.to_string().as_bytes())?;
    // It reads all input before it writes any output.
    drop(input);
    let output = child.wait_with_output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {errors}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A server that all tests of a run share.
#[derive(Debug)]
pub struct Peer {
    /// `http://address:port`, without a path.
    pub url: String,
    service: Service,
}

impl Peer {
    /// Starts the server with a command for the folder of its data.
    fn shared(name: &str, command: &dyn Fn(&Path) -> Vec<OsString>) -> anyhow::Result<Self> {
        let prepared = |folder: &Path| Prepared {
            command: command(folder),
            address: None,
        };
        let service = Service::shared(&Recipe {
            name,
            ready: "ready ",
            prepare: &|folder| Ok(prepared(folder)),
        })?;
        Ok(Self {
            url: service.address.clone(),
            service,
        })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.service.show_log();
        }
    }
}

/// Validates documents by their schemas.
#[derive(Debug)]
pub struct Judge {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Judge {
    /// Returns the error of a document according to a schema (path of an XSD or WSDL), if any. For
    /// an envelope the content of its body is validated. `of_type` (`{namespace}Name`) is for a
    /// root that no schema declares.
    ///
    /// # Errors
    /// Fails if the process has ended.
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

//! Stock clients of the key manager among the peers: the programs `till` in their folder, and other
//! programs that use the same libraries.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyhow::ensure;
use serde_json::Value;

use crate::peers::{Peers, run_json, to_completion};

/// A library that gets tokens from the key manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TillClient {
    /// npm's `openid-client`.
    OpenidClient,
    /// PyPI's `Authlib`.
    Authlib,
    /// Go's `golang.org/x/oauth2`.
    Go,
}

impl TillClient {
    /// The environment variable for the only authority (a file) that it trusts.
    const fn trusting(self) -> &'static str {
        match self {
            Self::OpenidClient => "NODE_EXTRA_CA_CERTS",
            Self::Authlib => "REQUESTS_CA_BUNDLE",
            Self::Go => "SSL_CERT_FILE",
        }
    }
}

impl Peers {
    /// Runs a stock client of the key manager that only trusts this authority (a file): see the
    /// programs `till` in the folder of the peers for the input and output.
    ///
    /// # Errors
    /// Fails if it cannot be run, takes more than three minutes, or does not understand a response.
    pub fn till(
        &self,
        client: TillClient,
        authority: &Path,
        input_json: &Value,
    ) -> anyhow::Result<Value> {
        let mut command = match client {
            TillClient::OpenidClient => {
                let mut node = to_completion(Path::new("node"));
                node.arg(self.folder.join("oauth2-node/till.js"));
                node
            }
            TillClient::Authlib => {
                let mut python = self.authlib();
                python.arg(self.folder.join("oauth2-python/till.py"));
                python
            }
            TillClient::Go => to_completion(&self.folder.join(".installed/oauth2-go/till")),
        };
        command.env(client.trusting(), authority);
        run_json(command, input_json)
    }

    /// Returns the output of a program, given as its text, that uses a client's library; run with
    /// these arguments and trusting only this authority (a file).
    ///
    /// # Errors
    /// Fails if it cannot be built or run, fails itself, or takes more than three minutes.
    pub fn program(
        &self,
        client: TillClient,
        text: &str,
        authority: &Path,
        arguments: &[&str],
    ) -> anyhow::Result<String> {
        let folder = tempfile::tempdir()?;
        let here = folder.path();
        let mut command = match client {
            TillClient::OpenidClient => {
                let modules = "oauth2-node/node_modules";
                symlink(self.folder.join(modules), here.join("node_modules"))?;
                fs::write(here.join("program.mjs"), text)?;
                let mut node = to_completion(Path::new("node"));
                node.arg("program.mjs");
                node
            }
            TillClient::Authlib => {
                fs::write(here.join("program.py"), text)?;
                let mut python = self.authlib();
                python.arg("program.py");
                python
            }
            TillClient::Go => {
                for name in ["go.mod", "go.sum"] {
                    fs::copy(self.folder.join("oauth2-go").join(name), here.join(name))?;
                }
                fs::write(here.join("main.go"), text)?;
                let mut go = to_completion(Path::new("go"));
                go.args(["run", "-mod=readonly", "."]);
                go.env("CGO_ENABLED", "0").env("GOPROXY", "off");
                go
            }
        };
        command.env(client.trusting(), authority);
        let output = command.args(arguments).current_dir(here).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{client:?}: {errors}");
        Ok(String::from_utf8(output.stdout)?)
    }

    fn authlib(&self) -> Command {
        to_completion(&self.folder.join(".installed/oauth2-python/bin/python"))
    }
}

//! A reader of access logs: PyPI's `apachelogs`, and Python's `json`.

use std::path::Path;

use serde_json::{Value, json};

use crate::peers::{Peers, run_json, to_completion};

impl Peers {
    /// Reads an access log in a format, `json` or `combined`, and compares it with what callers
    /// sent (see apachelogs/read.py in the folder of the peers); returns the number of calls.
    ///
    /// # Errors
    /// Fails at the first difference, or if it cannot be run.
    pub fn read_access_log(&self, format: &str, sent: &Path, log: &Path) -> anyhow::Result<Value> {
        let python = self.folder.join(".installed/apachelogs/bin/python");
        let mut command = to_completion(&python);
        command.arg(self.folder.join("apachelogs/read.py"));
        run_json(command, &json!([format, sent, log]))
    }
}

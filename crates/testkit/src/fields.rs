//! A judge of header fields: npm's `structured-headers`.

use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::http::Answer;
use crate::peers::{Peers, run_json, to_completion};

impl Peers {
    /// Checks the fields `RateLimit` and `RateLimit-Policy` of responses, and returns the number of
    /// their members: see structured-headers/judge.mjs in the folder of the peers.
    ///
    /// # Errors
    /// Fails with a line for each fault, if a response lacks one of the fields, or if the judge
    /// cannot be run or takes more than three minutes.
    pub fn judge_rate_limits(&self, answers: &[Answer]) -> anyhow::Result<u64> {
        let fields = |answer: &Answer| -> anyhow::Result<Value> {
            let field = |name| {
                answer
                    .field(name)
                    .with_context(|| format!("{name}: {answer:?}"))
            };
            Ok(json!({ "policy": field("ratelimit-policy")?, "limit": field("ratelimit")? }))
        };
        let fields: Vec<_> = answers.iter().map(fields).collect::<Result<_, _>>()?;
        let mut command = to_completion(Path::new("node"));
        command.arg(self.folder.join("structured-headers/judge.mjs"));
        run_json(command, &json!(fields))?
            .as_u64()
            .context("a number")
    }
}

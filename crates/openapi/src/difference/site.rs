//! Where a pair of schemas is compared: reports its changes, and adds the pairs below it.

use super::change::{Label, Place, Rules, Shift, Usage, Verdict, Which};
use super::graph::{Graph, Node, Pair};
use super::pointer::{At, Pointer};

/// A pair of schemas under comparison.
#[derive(Debug)]
pub(super) struct Site<'g, 'd> {
    pub(super) graph: &'g mut Graph<'d>,
    pub(super) node: Node,
    pub(super) usage: Usage,
    pub(super) label: &'g Label,
    pub(super) old: Pointer<'d>,
    pub(super) new: Pointer<'d>,
}

impl<'d> Site<'_, 'd> {
    /// Reports that the set of values changed.
    pub(super) fn shift(&mut self, what: &str, shift: Shift, rules: Rules) {
        self.report(what, self.usage.judge(shift, rules));
    }

    /// Reports a change of the schema.
    pub(super) fn report(&mut self, what: &str, verdict: Verdict) {
        let new = self.new.clone();
        self.report_at(Which::New.at(&new), what, verdict);
    }

    /// Reports a change of something in the schema.
    pub(super) fn report_at(&mut self, at: Place<'_, 'd>, what: &str, verdict: Verdict) {
        let usage = match (self.label.is_component(), self.usage) {
            (false, _) => "",
            (true, Usage::Request) => "in requests, ",
            (true, Usage::Response) => "in responses, ",
        };
        let what = format!("{usage}{} {what}", self.label);
        self.graph.report(self.node, at, &what, verdict);
    }

    /// Adds a pair of schemas below this one. Where one side has none, everything is allowed.
    pub(super) fn pair(&mut self, mut old: Vec<At<'d>>, mut new: Vec<At<'d>>, label: Label) {
        if old.is_empty() && new.is_empty() {
            return;
        }
        if old.is_empty() {
            old.push(At::anything(self.old.clone()));
        }
        if new.is_empty() {
            new.push(At::anything(self.new.clone()));
        }
        let usage = self.usage;
        let pair = Pair {
            old,
            new,
            usage,
            label,
        };
        self.graph.add_pair(self.node, pair);
    }
}

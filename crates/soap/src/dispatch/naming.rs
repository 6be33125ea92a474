//! Determines the operation of a call, and others it may mean, from the name of its body and its
//! actions.

use super::opening::Body;
use super::{Call, Dispatch, Named};

/// The name of the body's child and the actions of a call.
pub(super) struct Naming<'d> {
    dispatch: &'d Dispatch,
    body: &'d Body,
    /// The operations with the name of the body.
    named: &'d [Named],
    actions: [Option<&'d str>; 3],
}

impl<'d> Naming<'d> {
    pub(super) fn new(
        dispatch: &'d Dispatch,
        body: &'d Body,
        actions: [Option<&'d str>; 3],
    ) -> Self {
        let named = match body {
            Body::Exact(places) | Body::Local(places) => &dispatch.bodies[places.clone()],
            Body::Unknown | Body::Nameless => &[],
        };
        Self {
            dispatch,
            body,
            named,
            actions,
        }
    }

    pub(super) fn call(&self) -> Call {
        let operation = self.operation();
        Call {
            operation,
            others: self.others(operation),
            is_mismatched: self.is_mismatched(operation),
        }
    }

    /// Returns the operation with the exact name, else the only one with the local name, else that
    /// of the action.
    fn operation(&self) -> Option<usize> {
        let first_by_name = || self.named().next();
        let first_by_action = || {
            let mut by_action = self.actions().flat_map(|it| self.dispatch.by_action(it));
            by_action.next()
        };
        match self.body {
            Body::Exact(_) => self.agreed().or_else(first_by_name),
            Body::Local(places) if places.len() == 1 => first_by_name(),
            Body::Local(_) => self.agreed().or_else(first_by_action),
            Body::Unknown | Body::Nameless => first_by_action(),
        }
    }

    /// Returns the other operations that name and actions refer to. Allocates only if there are
    /// any.
    fn others(&self, operation: Option<usize>) -> Vec<Option<usize>> {
        // The contract itself distinguishes operations of one body by their actions. In a foreign
        // namespace a back end may follow the local name alone, whatever the action is.
        let is_distinguished = matches!(self.body, Body::Exact(_)) && self.agreed().is_some();
        let by_name = self
            .named()
            .filter(|&it| !is_distinguished || self.matches_action(it));
        let is_of_named = |action| self.named().any(|it| self.dispatch.is_action(it, action));
        let by_action = self.actions().filter(|action| !is_of_named(action));
        let by_action = by_action.flat_map(|action| self.dispatch.by_action(action));
        let unknown = matches!(self.body, Body::Unknown).then_some(None);
        let all = by_name.chain(by_action).map(Some).chain(unknown);
        let mut others: Vec<_> = all.filter(|it| *it != operation).collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    fn is_mismatched(&self, operation: Option<usize>) -> bool {
        let is_false = |action| {
            let is_its = |it| self.dispatch.is_action(it, action);
            self.dispatch.by_action(action).next().is_some() && !operation.is_some_and(is_its)
        };
        match self.body {
            Body::Exact(_) | Body::Nameless => self.actions().any(is_false),
            Body::Local(_) => true,
            Body::Unknown => operation.is_some(),
        }
    }

    fn named(&self) -> impl Iterator<Item = usize> {
        self.named.iter().map(|it| it.2)
    }

    fn actions(&self) -> impl Iterator<Item = &'d str> {
        self.actions.iter().copied().flatten()
    }

    /// Returns the first operation that both the name and an action refer to.
    fn agreed(&self) -> Option<usize> {
        self.named().find(|&it| self.matches_action(it))
    }

    fn matches_action(&self, operation: usize) -> bool {
        self.actions()
            .any(|action| self.dispatch.is_action(operation, action))
    }
}

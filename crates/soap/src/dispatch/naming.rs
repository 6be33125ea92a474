//! What a call says of itself, by the name of its body and by its actions: which operation that is,
//! and to which others it points.

use super::opening::Body;
use super::{Call, Dispatch, Named};

/// The name of the body's child and the actions of a call.
pub(super) struct Naming<'d> {
    dispatch: &'d Dispatch,
    body: &'d Body,
    /// What the name points to.
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

    /// The exact name, else the only operation of the local name, else the action.
    fn operation(&self) -> Option<usize> {
        let first_named = || self.named().next();
        let first_acted = || {
            let mut acted = self.actions().flat_map(|it| self.dispatch.acted(it));
            acted.next()
        };
        match self.body {
            Body::Exact(_) => self.agreed().or_else(first_named),
            Body::Local(places) if places.len() == 1 => first_named(),
            Body::Local(_) => self.agreed().or_else(first_acted),
            Body::Unknown | Body::Nameless => first_acted(),
        }
    }

    /// What else name and actions point to. Allocates only where there is something.
    fn others(&self, operation: Option<usize>) -> Vec<Option<usize>> {
        // The contract itself tells operations of one body apart by their actions. In a foreign
        // namespace a back end may go by the local name alone, whatever the action says.
        let is_told_apart = matches!(self.body, Body::Exact(_)) && self.agreed().is_some();
        let by_name = self
            .named()
            .filter(|&it| !is_told_apart || self.is_acted(it));
        let is_of_named = |action| self.named().any(|it| self.dispatch.is_action(it, action));
        let by_action = self.actions().filter(|action| !is_of_named(action));
        let by_action = by_action.flat_map(|action| self.dispatch.acted(action));
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
            self.dispatch.acted(action).next().is_some() && !operation.is_some_and(is_its)
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

    /// The first operation that both the name and an action point to.
    fn agreed(&self) -> Option<usize> {
        self.named().find(|&it| self.is_acted(it))
    }

    fn is_acted(&self, operation: usize) -> bool {
        self.actions()
            .any(|action| self.dispatch.is_action(operation, action))
    }
}

//! How much a caller sees of calls that it may see.

use std::collections::HashMap;

use tollgate_analytics::Call;
use tollgate_model::id::ApiId;
use tollgate_model::user::Role;
use tollgate_store::owners;

use super::call::Detail;
use crate::caller::Caller;
use crate::error::Problem;
use crate::state::Control;

/// What a caller sees of calls.
pub(super) struct Seer<'c> {
    control: &'c Control,
    caller: &'c Caller,
    /// APIs, and whether they are the caller's.
    apis: HashMap<ApiId, bool>,
}

impl<'c> Seer<'c> {
    pub(super) fn new(control: &'c Control, caller: &'c Caller) -> Self {
        Self {
            control,
            caller,
            apis: HashMap::new(),
        }
    }

    pub(super) async fn detail(&mut self, call: &Call) -> Result<Detail, Problem> {
        let is_administrator = self.caller.is(Role::Administrator);
        let api = call.record.api;
        Ok(Detail {
            has_upstream: is_administrator || self.owns(api).await?,
            has_network: is_administrator,
        })
    }

    /// Whether an API is the caller's.
    async fn owns(&mut self, api: Option<ApiId>) -> Result<bool, Problem> {
        let Some(api) = api.filter(|_| self.caller.is(Role::Publisher)) else {
            return Ok(false);
        };
        if let Some(is_own) = self.apis.get(&api) {
            return Ok(*is_own);
        }
        let owner = owners::of_api(&self.control.store, api).await?;
        let is_own = owner == Some(self.caller.user);
        self.apis.insert(api, is_own);
        Ok(is_own)
    }
}

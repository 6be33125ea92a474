//! stub
use crate::snapshot::version::Security;
use std::net::IpAddr;
use tollgate_http1::view::Request;
use tollgate_model::credential::Environment;
use tollgate_model::plan::Condition;
pub(crate) struct Head<'c> {
    pub(crate) head: Request<'c>,
    pub(crate) address: IpAddr,
    pub(crate) environment: Environment,
    pub(crate) security: &'c Security,
}
#[derive(Debug)]
pub(crate) struct Compiled;
impl Compiled {
    pub(crate) fn new(_: &Condition) -> Self {
        Self
    }
    pub(crate) fn matches(&self, _: &Head<'_>) -> bool {
        false
    }
}

//! The methods that the fields of a path item describe (OpenAPI 3.1, Path Item Object).

use crate::model::api::Method;

/// The field of Amazon API Gateway for an operation with any method.
pub(crate) const ANY: &str = "x-amazon-apigateway-any-method";

/// The methods of [`ANY`], in the order of OpenAPI.
pub(crate) const ANY_METHODS: [Method; 7] = [
    Method::Get,
    Method::Put,
    Method::Post,
    Method::Delete,
    Method::Options,
    Method::Head,
    Method::Patch,
];

/// Returns the method of a field, which is in lower case.
pub(crate) fn method(key: &str) -> Option<Method> {
    let is_lower = key.bytes().all(|byte| byte.is_ascii_lowercase());
    let method = Method::from_token(key.to_ascii_uppercase().as_bytes());
    method.filter(|_| is_lower)
}

/// Returns the methods that a field describes: its own, or for [`ANY`] those without a field of
/// their own, for which `has_own` is false. None for any other field.
pub(crate) fn methods(key: &str, has_own: impl Fn(Method) -> bool) -> Vec<Method> {
    match key {
        ANY => {
            let others = ANY_METHODS.into_iter().filter(|&it| !has_own(it));
            others.collect()
        }
        key => method(key).into_iter().collect(),
    }
}

/// Returns whether a field describes operations.
pub(crate) fn is_operation(key: &str) -> bool {
    key == ANY || method(key).is_some()
}

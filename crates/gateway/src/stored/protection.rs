//! The protections of stored responses against published attacks: Kettle, "Practical Web Cache
//! Poisoning" (2018) and "Web Cache Entanglement" (2020); Gil, "Web Cache Deception Attack" (2017);
//! Nguyen et al., "Your Cache Has Fallen" (2019), on denial of service by poisoned caches.
//!
//! A test can switch one off, to show that its attacks then succeed.

#[cfg(test)]
use std::cell::Cell;

/// A protection of stored responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protection {
    /// Fields that are not keyed do not go up, against `X-Forwarded-Host` that ends up in the links
    /// of a stored page.
    Fields,
    /// Parameters that are not keyed do not go up, against `utm_content` in a stored page.
    Parameters,
    /// Calls with a body go by, against "fat GET": the body replaces the parameters of the query.
    Body,
    /// Calls with a cookie go by, against a stored page of a session.
    Cookie,
    /// Calls with credentials that the upstream gets go by, against stored answers to them.
    Authorization,
    /// Calls for a part go by, against a part or a 416 that is stored as the whole.
    Range,
    /// Calls with a method override that the upstream gets go by, against a stored answer to
    /// `POST` or `DELETE`.
    MethodOverride,
    /// Calls of pages of another origin go by if the upstream decides about them, against a stored
    /// `Access-Control-Allow-Origin` of the attacker's page.
    Origin,
    /// The application is part of the key, against answers to other applications.
    Application,
    /// The identity that goes up is part of the key, against answers to other identities.
    Identity,
    /// Responses with `Set-Cookie` are not stored, against a session that several callers get.
    SetCookie,
    /// Responses that vary by a passed field are not stored, against its value in the answers to
    /// others.
    Vary,
}

/// Whether a protection is on: always, except in tests that switch it off.
#[cfg(not(test))]
pub(crate) const fn protects(_protection: Protection) -> bool {
    true
}

#[cfg(test)]
pub(crate) fn protects(protection: Protection) -> bool {
    !OFF.get().contains(&protection)
}

#[cfg(test)]
thread_local! {
    static OFF: Cell<&'static [Protection]> = const { Cell::new(&[]) };
}

/// Runs a test without these protections. Its worker must be on this thread.
#[cfg(test)]
pub(crate) fn without<T>(protections: &'static [Protection], test: impl FnOnce() -> T) -> T {
    let before = OFF.replace(protections);
    let result = test();
    OFF.set(before);
    result
}

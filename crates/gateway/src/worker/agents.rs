//! The programs of callers, by the text of their `User-Agent`: few texts recur in most calls, and
//! each is searched for the families of programs once.

use std::hash::BuildHasher as _;

use hashbrown::DefaultHashBuilder;
use tollgate_model::agent::Agent;

/// Texts that are remembered, each at the place of its hash.
const PLACES: usize = 4_096;

/// Families by the hash of the text. The hash has a random key, so that no caller can choose a text
/// that takes the place of another.
#[derive(Debug)]
pub(crate) struct Agents {
    hasher: DefaultHashBuilder,
    places: Box<[Option<(u64, Agent)>]>,
}

impl Default for Agents {
    fn default() -> Self {
        Self {
            hasher: DefaultHashBuilder::default(),
            places: vec![None; PLACES].into(),
        }
    }
}

impl Agents {
    /// Returns the family of a program; `user_agent` is empty if the caller does not name one.
    pub(crate) fn of(&mut self, user_agent: &[u8]) -> Agent {
        let hash = self.hasher.hash_one(user_agent);
        let place = &mut self.places[hash as usize % PLACES];
        match place {
            Some((known, agent)) if *known == hash => *agent,
            _ => {
                let agent = Agent::of(user_agent);
                *place = Some((hash, agent));
                agent
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_remembered_until_its_place_is_taken() {
        let mut agents = Agents::default();
        for _ in 0..2 {
            assert_eq!(agents.of(b"curl/8.5.0").word(), "curl");
            assert_eq!(agents.of(b"").word(), "other");
            for version in 0..2 * PLACES {
                let text = format!("Go-http-client/{version}");
                assert_eq!(agents.of(text.as_bytes()).word(), "go");
            }
        }
    }
}

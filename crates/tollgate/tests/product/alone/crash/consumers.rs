//! Keys and subscriptions: a revoked key and a blocked subscription stay so, and all others work.
//! The gateway is checked first, right after each start; the control plane must report the same
//! state.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Known, Life, UNLIMITED, text};
use crate::house::House;

pub(super) struct Consumers {
    version: String,
    count: u64,
    list: Vec<Consumer>,
    /// All earlier ones have been found as written.
    checked: usize,
}

struct Consumer {
    application: String,
    subscription: String,
    is_blocked: Known<bool>,
    keys: Vec<Key>,
}

struct Key {
    id: String,
    key: String,
    is_revoked: Known<bool>,
}

impl Consumers {
    pub(super) fn of(house: &House) -> Self {
        Self {
            version: house.api.version.clone(),
            count: 0,
            list: Vec::new(),
            checked: 0,
        }
    }

    /// Creates a consumer; then repeatedly creates a key, blocks, revokes the previous key and
    /// unblocks, until the process is killed.
    pub(super) async fn write(&mut self, life: &Life) -> Option<()> {
        self.count += 1;
        let name = format!("consumer{}", self.count);
        let body = json!({ "name": name });
        let application = life.make("/api/v1/applications", body).await?;
        let body = json!({
            "application": application, "version": self.version, "plan": UNLIMITED,
        });
        let subscription = life.make("/api/v1/subscriptions", body).await?;
        self.list.push(Consumer {
            application,
            subscription,
            is_blocked: Known::new(false),
            keys: Vec::new(),
        });
        let consumer = self.list.last_mut()?;
        loop {
            consumer.make_key(life).await?;
            consumer.block(life, true).await?;
            consumer.revoke_one(life).await?;
            consumer.block(life, false).await?;
        }
    }

    /// The result of the last life's writes.
    pub(super) async fn check(&mut self, life: &Life) {
        for consumer in &mut self.list[self.checked..] {
            consumer.check(life).await;
        }
        self.checked = self.list.len();
    }

    pub(super) async fn check_all(&mut self, life: &Life) {
        self.checked = 0;
        self.check(life).await;
        let keys: Vec<&Key> = self.list.iter().flat_map(|it| &it.keys).collect();
        let is_revoked = |key: &&&Key| key.is_revoked.acknowledged;
        let revoked = keys.iter().filter(is_revoked).count();
        assert!(revoked >= 5, "only {revoked} of {} revoked", keys.len());
        let is_blocked = |it: &&Consumer| it.is_blocked.acknowledged;
        let blocked = self.list.iter().filter(is_blocked).count();
        assert!(blocked > 0, "{} consumers, none blocked", self.list.len());
    }
}

impl Consumer {
    async fn make_key(&mut self, life: &Life) -> Option<()> {
        let path = format!("/api/v1/applications/{}/keys", self.application);
        let made = life.write("POST", &path, json!({})).await?;
        self.keys.push(Key {
            id: text(&made["id"]),
            key: text(&made["key"]),
            is_revoked: Known::new(false),
        });
        Some(())
    }

    /// Revokes the last key but one, if there is one.
    async fn revoke_one(&mut self, life: &Life) -> Option<()> {
        let Some(key) = self.keys.iter_mut().rev().nth(1) else {
            return Some(());
        };
        let path = format!("/api/v1/keys/{}", key.id);
        let revoke = life.write("DELETE", &path, Value::Null);
        key.is_revoked.write(true, revoke).await?;
        Some(())
    }

    async fn block(&mut self, life: &Life, is_blocked: bool) -> Option<()> {
        let path = format!("/api/v1/subscriptions/{}", self.subscription);
        let status = if is_blocked { "blocked" } else { "active" };
        let change = life.write("PATCH", &path, json!({ "status": status }));
        self.is_blocked.write(is_blocked, change).await?;
        Some(())
    }

    async fn check(&mut self, life: &Life) {
        for key in &mut self.keys {
            let answer = life.call("/pets/1.0/pets", &key.key).await;
            let code = answer.code();
            let found = (answer.status, code.as_str());
            let is_revoked = found == (401, "authenticate.invalid");
            key.is_revoked.find(&is_revoked, "that a key is revoked");
            let is_blocked = found == (403, "authorize.subscription_blocked");
            assert!(is_revoked || is_blocked || found == (200, ""), "{found:?}");
            if !is_revoked {
                self.is_blocked
                    .find(&is_blocked, "that a subscription is blocked");
            }
        }
        let path = format!("/api/v1/subscriptions/{}", self.subscription);
        let is_blocked = life.read(&path).await["status"] == "blocked";
        self.is_blocked
            .find(&is_blocked, "that a subscription is blocked");
        let path = format!("/api/v1/applications/{}/keys", self.application);
        let listed = life.list(&path, None).await.into_iter();
        let listed: BTreeMap<_, _> = listed.map(|it| (text(&it["id"]), it)).collect();
        for key in &self.keys {
            let is_revoked = listed[&key.id]["revoked_at"].is_string();
            assert_eq!(is_revoked, key.is_revoked.acknowledged, "{}", key.id);
        }
    }
}

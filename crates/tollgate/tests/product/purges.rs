//! Numbers of purges over restarts: a gateway ignores numbers that it has carried out.

use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, Control, http, upstream};

use crate::house::{House, get};

async fn purge(admin: &Control, version: &str, selector: Option<&Value>) -> u64 {
    let path = format!("/api/v1/versions/{version}/cache/purge");
    let purged = admin.done("POST", &path, selector).await.unwrap();
    purged["number"].as_u64().unwrap()
}

#[tokio::test]
async fn a_purge_acts_after_a_stop_and_after_a_kill_too() {
    let house = House::new().await;
    let cache = json!({ "policies": { "cache": { "ttl_s": 600 } } });
    house.redeploy(cache).await;
    let House {
        mut tollgate,
        mut admin,
        upstream,
        api,
        consumer,
    } = house;
    let mut last = purge(&admin, &api.version, Some(&json!({ "tags": ["one"] }))).await;
    let request = get("/pets/1.0/pets", &consumer.key);
    for is_killed in [false, true] {
        let stopped = match is_killed {
            true => tollgate.kill().unwrap(),
            false => tollgate.terminate().unwrap().1,
        };
        tollgate = stopped.start().unwrap();
        admin = admin.at(tollgate.control);
        for (body, is_stored) in [("one", false), ("two", true)] {
            let answer = upstream::answer(body.as_bytes(), "");
            upstream.behave(Behaviour::Answer(answer));
            let answer = http::call(tollgate.gateway, &request).await.unwrap();
            assert_eq!(answer.text(), "one", "stored: {is_stored}");
        }
        let number = purge(&admin, &api.version, None).await;
        assert!(number > last, "{number} after {last}");
        last = number;
        let answer = http::call(tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.text(), "two");
    }
}

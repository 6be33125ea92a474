//! Names of HTTP Basic users: each application has its own, and earlier ones keep working.

use serde_json::json;
use tollgate_testkit::http;

use super::{Secured, by, secured};
use crate::house::user;
use crate::start::sql;

/// A name that another developer had was refused, which disclosed its existence.
#[tokio::test]
async fn two_developers_use_one_name_and_both_call() {
    let it = Secured::new(&secured()).await;
    it.secure(json!({ "basic": {} }), json!({})).await;
    let (tollgate, version) = (&it.house.tollgate, &it.house.api.version);
    let mut names = Vec::new();
    for name in ["dana", "erin"] {
        let person = user(&it.house.admin, tollgate, (name, &["developer"])).await;
        let shop = person.consumer("shop", version, "tested").await.unwrap();
        let till = person.basic_user(&shop.application, "till").await.unwrap();
        assert_eq!(till.name, format!("{}.till", shop.application));
        let answer = http::call(tollgate.gateway, &by(&till.basic())).await;
        assert_eq!(answer.unwrap().status, 200, "{name}");
        let users = format!("/api/v1/applications/{}/basic-users", shop.application);
        for taken in ["till", "TILL"] {
            let body = json!({ "user_name": taken });
            let again = person.send("POST", &users, Some(&body)).await.unwrap();
            let code = again.code();
            assert_eq!((again.status, &*code), (409, "basic_user.name_taken"));
        }
        let drawn = person.done("POST", &users, Some(&json!({}))).await.unwrap();
        let drawn = drawn["user_name"].as_str().unwrap();
        assert!(
            drawn.starts_with(&format!("{}.", shop.application)),
            "{drawn}"
        );
        names.push(till.name);
    }
    assert_ne!(names[0], names[1]);
}

/// Earlier releases created names without the application's id.
#[tokio::test]
async fn an_existing_name_keeps_working_and_is_not_disclosed() {
    let it = Secured::new(&secured()).await;
    it.secure(json!({ "basic": {} }), json!({})).await;
    let builder = it.house.tollgate.terminate().unwrap().1;
    let rename = "update basic_users set user_name = 'till'; \
        update basic_user_names set name = 'till'";
    sql(&builder.data().join("tollgate.db"), rename).await;
    let tollgate = builder.start().unwrap();
    let admin = it.house.admin.at(tollgate.control);
    let path = format!("/api/v1/basic-users/{}", it.user.id);
    let shown = admin.done("GET", &path, None).await.unwrap();
    assert_eq!(shown["user_name"], "till");
    // The digest includes the name: a new password is for the existing name.
    let rotation = format!("{path}/rotation");
    let now = json!({ "grace": "now" });
    let rotated = admin.done("POST", &rotation, Some(&now)).await.unwrap();
    assert_eq!(rotated["user_name"], "till");
    let mut user = it.user.clone();
    user.name = "till".to_owned();
    user.text = rotated["password"].as_str().unwrap().to_owned();
    let answer = http::call(tollgate.gateway, &by(&user.basic()))
        .await
        .unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    let other = admin.application("other").await.unwrap();
    admin.basic_user(&other, "till").await.unwrap();
}

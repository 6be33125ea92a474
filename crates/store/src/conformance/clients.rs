//! OAuth2 clients and users of HTTP Basic: what they have beyond all credentials.

use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::CredentialId;
use tollgate_model::feed::{Event, ServedClient, ServedCredential};
use tollgate_model::id;

use super::fixture::{NOW_US, allowed, application, basic_user, change, client, facts, id, user};
use super::fixture::{part, write};
use crate::basic_users::{self, BasicUser};
use crate::clients::{self, Authentication, Client, ClientChange, Grant, TokenForm};
use crate::credentials::{self, NewSecret};
use crate::feed::{self, Fact};
use crate::{Store, StoreError};

pub(crate) async fn a_client_reads_back_lists_changes_and_is_noted(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let mut one = client(store, program.id, 1).await;
    let mut two = Client {
        id: id(),
        authentication: Authentication::PrivateKeyJwt {
            jwks: "{\"keys\":[]}".to_owned(),
        },
        ..one.clone()
    };
    write(store, async |tx| clients::create(tx, &two).await)
        .await
        .unwrap();
    let before = feed::last(store).await.unwrap();
    let grant = Grant {
        scopes: Vec::new(),
        form: TokenForm::Opaque,
        lifetime_s: 300,
    };
    let change = |jwks: Option<&str>| ClientChange {
        terms: change(),
        grant: grant.clone(),
        jwks: jwks.map(str::to_owned),
    };
    write(store, async |tx| {
        clients::update(tx, one.id, &change(None)).await?;
        clients::update(tx, two.id, &change(Some("{}"))).await?;
        clients::void_tokens(tx, one.id, 50).await?;
        clients::void_tokens(tx, one.id, 40).await
    })
    .await
    .unwrap();
    for client in [&mut one, &mut two] {
        client.terms.name = "Shop".to_owned();
        client.terms.not_before_us = None;
        client.terms.expires_us = Some(NOW_US + 5);
        client.terms.allowed = allowed();
        client.grant = grant.clone();
    }
    one.tokens_from_us = 50;
    two.authentication = Authentication::PrivateKeyJwt {
        jwks: "{}".to_owned(),
    };
    assert_eq!(credentials::by_id(store, one.id).await.unwrap(), one);
    let all = credentials::find::<id::Client>(store, program.id, None, &part(None, 9)).await;
    assert_eq!(all.unwrap().rows, [one.clone(), two.clone()]);
    let page = credentials::find(store, program.id, None, &part(Some(one.id), 9)).await;
    let page = page.unwrap();
    assert_eq!((page.rows, page.total), (vec![two], 2));
    let expected = ServedClient {
        id: one.id,
        application: program.id,
        environment: one.terms.environment,
        scopes: Vec::new(),
        tokens_from_us: 50,
        not_before_us: None,
        expires_us: one.terms.expires_us,
        allowed: allowed(),
    };
    assert_eq!(
        facts(store, before).await[0],
        Fact::Ready(Event::Client(expected))
    );
    assert_eq!(TokenForm::Opaque.algorithm(), None);
    let es256 = TokenForm::Jwt(Algorithm::Es256);
    assert_eq!(es256.algorithm(), Some(Algorithm::Es256));
}

pub(crate) async fn a_rotated_secret_and_the_previous_one_are_kept(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let client = client(store, program.id, 1).await;
    let user = basic_user(store, program.id, 1).await;
    let keyed = Client {
        id: id(),
        authentication: Authentication::PrivateKeyJwt {
            jwks: "{}".to_owned(),
        },
        ..client.clone()
    };
    write(store, async |tx| clients::create(tx, &keyed).await)
        .await
        .unwrap();
    let mut digest = 1;
    for (until_us, is_served) in [
        (Some(NOW_US + 1), true),
        (Some(NOW_US), false),
        (None, false),
    ] {
        let previous = until_us.map(|until_us| ([digest; 32], until_us));
        digest += 1;
        let new = NewSecret {
            digest: [digest; 32],
            hint: digest.to_string(),
            previous_until_us: until_us,
        };
        let before = feed::last(store).await.unwrap();
        write(store, async |tx| {
            clients::rotate(tx, client.id, &new).await?;
            basic_users::rotate(tx, user.id, &new).await
        })
        .await
        .unwrap();
        let client = credentials::by_id(store, client.id).await.unwrap();
        let user = credentials::by_id(store, user.id).await.unwrap();
        assert_eq!(user.secret.digest, new.digest);
        assert_eq!(user.secret.hint, new.hint);
        assert_eq!(user.secret.previous, previous);
        assert_eq!(client.authentication, Authentication::Secret(user.secret));
        let facts = facts(store, before).await;
        let [Fact::Ready(Event::Credential(served))] = &facts[..] else {
            panic!("only the user is in the feed: {facts:?}");
        };
        assert_eq!(served.digest, new.digest);
        assert_eq!(served.previous, previous.filter(|_| is_served));
        let none = write(store, async |tx| clients::rotate(tx, keyed.id, &new).await).await;
        assert!(matches!(none.unwrap_err(), StoreError::NotFound("client")));
    }
}

pub(crate) async fn a_basic_user_reads_back_lists_changes_and_is_noted(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let mut one = basic_user(store, program.id, 1).await;
    let two = basic_user(store, program.id, 2).await;
    let before = feed::last(store).await.unwrap();
    write(store, async |tx| {
        credentials::update(tx, one.id, &change()).await
    })
    .await
    .unwrap();
    one.terms.name = "Shop".to_owned();
    one.terms.not_before_us = None;
    one.terms.expires_us = Some(NOW_US + 5);
    one.terms.allowed = allowed();
    assert_eq!(credentials::by_id(store, one.id).await.unwrap(), one);
    let all = credentials::find::<id::BasicUser>(store, program.id, None, &part(None, 9)).await;
    assert_eq!(all.unwrap().rows, [one.clone(), two.clone()]);
    let page = credentials::find(store, program.id, None, &part(Some(one.id), 9)).await;
    let page = page.unwrap();
    assert_eq!((page.rows, page.total), (vec![two], 2));
    let expected = ServedCredential {
        id: CredentialId::BasicUser(one.id),
        digest: one.secret.digest,
        previous: None,
        application: program.id,
        environment: one.terms.environment,
        not_before_us: None,
        expires_us: one.terms.expires_us,
        allowed: allowed(),
    };
    assert_eq!(
        facts(store, before).await,
        [Fact::Ready(Event::Credential(expected))]
    );
}

pub(crate) async fn the_name_of_a_basic_user_is_used_once(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let other = application(store, ada.id, "other").await;
    let one = basic_user(store, program.id, 1).await;
    write(store, async |tx| credentials::revoke(tx, one.id, 30).await)
        .await
        .unwrap();
    for user_name in [one.user_name.clone(), one.user_name.to_uppercase()] {
        let mut twin = BasicUser {
            id: id(),
            user_name,
            ..one.clone()
        };
        twin.terms.application = other.id;
        let taken = write(store, async |tx| basic_users::create(tx, &twin).await).await;
        let taken = taken.unwrap_err();
        let is_taken = matches!(
            taken,
            StoreError::Taken {
                field: "/user_name",
                ..
            }
        );
        assert!(is_taken, "{taken:?}");
    }
}

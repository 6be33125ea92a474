//! Users, sessions, access tokens, settings.

use tollgate_model::user::Role;

use super::fixture::{api, id, part, user, write};
use crate::access_tokens::{self, AccessToken};
use crate::sessions::{self, Session};
use crate::users::{self, UserChange};
use crate::{Store, StoreError, settings};

pub(crate) async fn a_user_reads_back_lists_by_page_changes_and_is_deleted(store: &Store) {
    let mut ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    assert_eq!(users::by_id(store, ada.id).await.unwrap(), ada);
    assert_eq!(
        users::by_name(store, "ben").await.unwrap(),
        Some(ben.clone())
    );
    assert_eq!(users::by_name(store, "Ben").await.unwrap(), None);
    let found = async |after, at_most| {
        let wanted = users::Wanted::default();
        let found = users::find(store, wanted, &part(after, at_most)).await;
        found.unwrap().rows
    };
    assert_eq!(found(None, 1).await, [ada.clone()]);
    assert_eq!(found(Some(ada.id), 9).await, [ben]);

    let change = UserChange {
        roles: vec![Role::Publisher],
        disabled: true,
    };
    write(store, async |tx| users::update(tx, ada.id, &change).await)
        .await
        .unwrap();
    (ada.roles, ada.disabled) = (change.roles, true);
    assert_eq!(users::by_id(store, ada.id).await.unwrap(), ada);

    write(store, async |tx| users::delete(tx, ada.id).await)
        .await
        .unwrap();
    let gone = users::by_id(store, ada.id).await.unwrap_err();
    assert!(matches!(gone, StoreError::NotFound("user")), "{gone:?}");
}

pub(crate) async fn a_user_name_is_taken_once(store: &Store) {
    let ada = user(store, "ada").await;
    for name in ["ada", "ADA", "a\u{200b}da", "\u{ff41}da"] {
        let twin = users::User {
            id: id(),
            name: name.to_owned(),
            ..ada.clone()
        };
        let taken = write(store, async |tx| users::create(tx, &twin, "$").await).await;
        let taken = taken.unwrap_err();
        assert!(
            matches!(taken, StoreError::Taken { field: "/name", .. }),
            "{taken:?}"
        );
    }
}

pub(crate) async fn a_user_is_found_by_the_typed_name_then_by_the_normalized_one(store: &Store) {
    let wide = user(store, "\u{ff41}da").await;
    let ben = user(store, "ben").await;
    let found = async |name| users::by_name(store, name).await.unwrap();
    assert_eq!(
        found("\u{ff41}da").await,
        Some(wide),
        "from an earlier release"
    );
    assert_eq!(found("ada").await, None);
    assert_eq!(found("\u{ff42}en").await, Some(ben));
    assert_eq!(found("\u{ff22}en").await, None, "case counts");
}

pub(crate) async fn the_last_enabled_administrator_remains(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let disabled = UserChange {
        roles: vec![Role::Administrator],
        disabled: true,
    };
    let demoted = UserChange {
        roles: vec![Role::Developer],
        disabled: false,
    };
    write(store, async |tx| users::update(tx, ben.id, &disabled).await)
        .await
        .unwrap();
    for change in [&disabled, &demoted] {
        let kept = write(store, async |tx| users::update(tx, ada.id, change).await).await;
        let kept = kept.unwrap_err();
        assert!(matches!(kept, StoreError::LastAdministrator), "{kept:?}");
    }
    let kept = write(store, async |tx| users::delete(tx, ada.id).await).await;
    assert!(matches!(kept.unwrap_err(), StoreError::LastAdministrator));
    // A user who is not an enabled administrator may change while there is only one other.
    write(store, async |tx| users::update(tx, ben.id, &demoted).await)
        .await
        .unwrap();
}

pub(crate) async fn a_user_who_owns_something_stays(store: &Store) {
    let ada = user(store, "ada").await;
    user(store, "ben").await;
    api(store, ada.id, "/pets").await;
    let used = write(store, async |tx| users::delete(tx, ada.id).await).await;
    assert!(matches!(used.unwrap_err(), StoreError::Used(_)));
}

pub(crate) async fn a_password_changes_and_is_read_by_one_function_only(store: &Store) {
    let ada = user(store, "ada").await;
    write(store, async |tx| {
        users::reset_password(tx, ada.id, "$new").await
    })
    .await
    .unwrap();
    let (read, password) = users::with_password(store, "ada").await.unwrap().unwrap();
    assert_eq!((read.one_time, password.as_str()), (true, "$new"));
    for (present, is_changed) in [("$old", false), ("$new", true), ("$new", false)] {
        let changed = write(store, async |tx| {
            users::change_password(tx, ada.id, present, "$own").await
        });
        assert_eq!(changed.await.unwrap(), is_changed, "{present}");
    }
    let (read, password) = users::with_password(store, "ada").await.unwrap().unwrap();
    assert_eq!((read.one_time, password.as_str()), (false, "$own"));
}

pub(crate) async fn a_session_leads_to_its_user_until_it_ends(store: &Store) {
    let ada = user(store, "ada").await;
    let mut session = session(&ada, 1, 100);
    write(store, async |tx| sessions::create(tx, &session).await)
        .await
        .unwrap();
    write(store, async |tx| {
        sessions::touch(tx, &session.digest, 77).await
    })
    .await
    .unwrap();
    session.last_seen_us = 77;
    let found = sessions::by_digest(store, &session.digest).await.unwrap();
    assert_eq!(found, Some((session.clone(), ada.clone())));
    assert_eq!(sessions::by_digest(store, &[9; 32]).await.unwrap(), None);

    write(store, async |tx| {
        sessions::delete(tx, &session.digest).await
    })
    .await
    .unwrap();
    let found = sessions::by_digest(store, &session.digest).await.unwrap();
    assert_eq!(found, None);
}

pub(crate) async fn sessions_end_by_user_and_by_age(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let sessions = [
        session(&ada, 1, 100),
        session(&ada, 2, 200),
        session(&ben, 3, 100),
        session(&ben, 4, 300),
    ];
    write(store, async |tx| {
        for session in &sessions {
            sessions::create(tx, session).await?;
        }
        assert_eq!(
            sessions::delete_of_user(tx, ada.id, Some(&sessions[1].digest)).await?,
            1
        );
        assert_eq!(sessions::delete_expired(tx, 100).await?, 1);
        Ok(())
    })
    .await
    .unwrap();
    let mut left = Vec::new();
    for session in &sessions {
        let found = sessions::by_digest(store, &session.digest).await.unwrap();
        left.push(found.is_some());
    }
    assert_eq!(left, [false, true, false, true]);

    write(store, async |tx| users::delete(tx, ben.id).await)
        .await
        .unwrap();
    let orphan = sessions::by_digest(store, &sessions[3].digest).await;
    assert_eq!(orphan.unwrap(), None);
}

pub(crate) async fn an_access_token_leads_to_its_user_until_it_is_deleted(store: &Store) {
    let ada = user(store, "ada").await;
    let mut tokens = [1_u8, 2].map(|digest| AccessToken {
        id: id(),
        user: ada.id,
        name: "Script".to_owned(),
        digest: [digest; 32],
        hint: "abcd".to_owned(),
        created_us: 20,
        expires_us: 30,
        last_used_us: None,
    });
    write(store, async |tx| {
        for token in &tokens {
            access_tokens::create(tx, token).await?;
        }
        access_tokens::touch(tx, tokens[0].id, 25).await
    })
    .await
    .unwrap();
    tokens[0].last_used_us = Some(25);
    let found = access_tokens::by_digest(store, &[1; 32]).await.unwrap();
    assert_eq!(found, Some((tokens[0].clone(), ada.clone())));
    let page = access_tokens::list(store, ada.id, Some(tokens[0].id), 5).await;
    assert_eq!(page.unwrap(), [tokens[1].clone()]);

    write(store, async |tx| {
        access_tokens::delete(tx, tokens[0].id).await
    })
    .await
    .unwrap();
    let found = access_tokens::by_digest(store, &[1; 32]).await.unwrap();
    assert_eq!(found, None);
    let gone = access_tokens::by_id(store, tokens[0].id).await.unwrap_err();
    assert!(matches!(gone, StoreError::NotFound("access token")));
}

pub(crate) async fn tokens_are_deleted_with_their_user_and_all_expire(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let token = |owner: &users::User, digest: u8| AccessToken {
        id: id(),
        user: owner.id,
        name: "Script".to_owned(),
        digest: [digest; 32],
        hint: "abcd".to_owned(),
        created_us: 20,
        expires_us: 30,
        last_used_us: None,
    };
    let tokens = [token(&ada, 1), token(&ada, 2), token(&ben, 3)];
    let (deleted, ended) = write(store, async |tx| {
        for token in &tokens {
            access_tokens::create(tx, token).await?;
        }
        let endless = "update access_tokens set expires_us = null where id = $1";
        tx.execute(endless, &[tokens[2].id.into()]).await?;
        let deleted = access_tokens::delete_of_user(tx, ada.id).await?;
        Ok((deleted, access_tokens::end_endless(tx, 70).await?))
    })
    .await
    .unwrap();
    assert_eq!((deleted, ended), (2, 1));
    assert!(access_tokens::by_id(store, tokens[0].id).await.is_err());
    let again = write(store, async |tx| access_tokens::end_endless(tx, 90).await);
    assert_eq!(again.await.unwrap(), 0);
    assert!(!access_tokens::has_endless(store).await.unwrap());
    let kept = access_tokens::by_id(store, tokens[2].id).await.unwrap();
    assert_eq!(kept.expires_us, 70);
}

pub(crate) async fn settings_are_put_kept_and_deleted(store: &Store) {
    let kept = write(store, async |tx| {
        settings::put(tx, "colour", "red").await?;
        settings::put(tx, "colour", "blue").await?;
        let colour = settings::keep(tx, "colour", "green").await?;
        Ok((colour, settings::keep(tx, "shape", "round").await?))
    });
    assert_eq!(kept.await.unwrap(), ("blue".to_owned(), "round".to_owned()));
    write(store, async |tx| settings::delete(tx, "shape").await)
        .await
        .unwrap();
    assert_eq!(settings::by_name(store, "shape").await.unwrap(), None);
    let colour = settings::by_name(store, "colour").await.unwrap();
    assert_eq!(colour.as_deref(), Some("blue"));

    write(store, async |tx| {
        settings::put_sealed(tx, "taste", "sweet").await
    })
    .await
    .unwrap();
    let taste = settings::sealed_by_name(store, "taste").await.unwrap();
    assert_eq!(taste.as_deref(), Some("sweet"));
    let sealed = settings::by_name(store, "taste").await.unwrap().unwrap();
    assert!(!sealed.contains("sweet"), "{sealed}");
    // A sealed text moved to another setting does not open.
    write(store, async |tx| settings::put(tx, "smell", &sealed).await)
        .await
        .unwrap();
    let smell = settings::sealed_by_name(store, "smell").await.unwrap();
    assert_eq!(smell, None);
}

fn session(user: &users::User, digest: u8, expires_us: i64) -> Session {
    Session {
        digest: [digest; 32],
        id: id(),
        user: user.id,
        created_us: 1,
        expires_us,
        last_seen_us: 1,
    }
}

//! Guarantees of every write.

use std::time::Duration;

use super::fixture::{new_plan, part, plan, user};
use crate::{Store, StoreError, feed, plans, settings, users};

pub(crate) async fn a_dropped_transaction_is_rolled_back(store: &Store) {
    let mut tx = store.write().await.unwrap();
    plans::create(&mut tx, &new_plan("gold")).await.unwrap();
    drop(tx);
    assert_eq!(plans::by_name(store, "gold").await.unwrap(), None);
    assert_eq!(feed::last(store).await.unwrap(), 0);
    plan(store, "gold").await;
}

pub(crate) async fn statements_after_a_failed_one_are_not_committed(store: &Store) {
    plan(store, "gold").await;
    let mut tx = store.write().await.unwrap();
    settings::put(&mut tx, "colour", "red").await.unwrap();
    plans::create(&mut tx, &new_plan("gold")).await.unwrap_err();
    let refused = tx.commit().await.unwrap_err();
    assert!(matches!(refused, StoreError::Other(_)), "{refused:?}");
    assert_eq!(settings::by_name(store, "colour").await.unwrap(), None);
}

pub(crate) async fn concurrent_writers_queue(store: &Store) {
    let tasks: Vec<_> = (0..16)
        .map(|task| {
            let store = store.clone();
            tokio::spawn(async move {
                for step in 0..5 {
                    user(&store, &format!("{task}-{step}")).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let all = users::find(store, users::Wanted::default(), &part(None, 999)).await;
    assert_eq!(all.unwrap().rows.len(), 80);
}

pub(crate) async fn a_cancelled_caller_blocks_no_other_writes(store: &Store) {
    // As when a client disconnects: its write is dropped at an arbitrary point.
    for patience_us in (0..2_000).step_by(40) {
        let mut tx_of_someone = Box::pin(async {
            let mut tx = store.write().await?;
            plans::create(&mut tx, &new_plan(&patience_us.to_string())).await?;
            settings::put(&mut tx, &patience_us.to_string(), "whole").await?;
            tx.commit().await
        });
        let patience = Duration::from_micros(patience_us);
        let _ = tokio::time::timeout(patience, &mut tx_of_someone).await;
    }
    plan(store, "last").await;
    for patience_us in (0..2_000).step_by(40) {
        let name = patience_us.to_string();
        let plan = plans::by_name(store, &name).await.unwrap();
        let setting = settings::by_name(store, &name).await.unwrap();
        assert_eq!(plan.is_some(), setting.is_some(), "{name} is half written");
    }
}

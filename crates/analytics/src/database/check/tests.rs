use sqlx::Connection as _;

use super::*;

#[tokio::test]
async fn a_check_ends_with_its_time_and_the_connection_goes_on() {
    let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
    let fill = "create table t as with recursive n(value) as (select 1 union all select value + 1 \
         from n where value < 200000) select value from n";
    sqlx::query(fill).execute(&mut connection).await.unwrap();
    let cut = quick_check(&mut connection, Some(Duration::ZERO)).await;
    assert_eq!(cut.unwrap(), None);
    let whole = quick_check(&mut connection, None).await;
    assert_eq!(whole.unwrap().as_deref(), Some("ok"));
}

use crate::Store;
use crate::value::Value;

async fn run(sql: &'static str, values: &[Value<'_>]) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("tollgate.db")).await;
    store.unwrap().rows(sql, values).await.unwrap();
}

#[tokio::test]
async fn every_parameter_has_its_value_however_often_it_is_used() {
    let sql = "select json_extract($2, '$.a') as a where $1 = 1 or $1 = 2";
    run(sql, &[1.into(), "{}".into()]).await;
}

#[tokio::test]
#[cfg(debug_assertions)]
#[should_panic(expected = "parameters {1} and is given 2 values: select $1 as one")]
async fn a_surplus_value_is_refused() {
    run("select $1 as one", &[1.into(), 2.into()]).await;
}

#[tokio::test]
#[cfg(debug_assertions)]
#[should_panic(expected = "parameters {1, 2} and is given 1 values")]
async fn a_missing_value_is_refused() {
    run("select $1 as one, $2 as two", &[1.into()]).await;
}

#[tokio::test]
#[cfg(debug_assertions)]
#[should_panic(expected = "parameters {1, 3} and is given 2 values")]
async fn a_gap_between_parameters_is_refused() {
    run("select $1 as one, $3 as three", &[1.into(), 2.into()]).await;
}

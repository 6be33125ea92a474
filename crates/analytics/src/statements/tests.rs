use sqlx::sqlite::SqlitePool;

use super::*;
use crate::migrations::MIGRATIONS;

#[tokio::test]
async fn the_tables_have_the_columns_of_the_cubes() {
    let pool = SqlitePool::connect("sqlite::memory:").await.unwrap();
    MIGRATIONS.run(&pool).await.unwrap();
    for (cube, statements) in CUBES.iter().zip(&*STATEMENTS) {
        let names = "select name from pragma_table_info($1)";
        let names = sqlx::query_scalar(names).bind(cube.table).fetch_all(&pool);
        let names: Vec<String> = names.await.unwrap();
        let expected: Vec<_> = columns(cube).collect();
        assert_eq!(names, expected, "{}", cube.table);
        let Statements {
            insert_one,
            insert_many,
            select,
            sum_up,
            select_key,
            delete_key,
            delete_before,
            drop_sketches,
            earliest,
        } = statements;
        let texts = [
            insert_one,
            insert_many,
            select,
            select_key,
            delete_key,
            delete_before,
            earliest,
        ];
        for text in texts.into_iter().chain(drop_sketches).chain(sum_up) {
            let explained = format!("explain {text}");
            let explained = sqlx::query(sql(&explained)).fetch_all(&pool).await;
            assert!(explained.is_ok(), "{text}: {explained:?}");
        }
    }
}

use super::*;

const STEPS: &str = "\
fn answer() {
    let found = route::find(snapshot());
    if found.is_local() {
        return documents::reply(found);
    }
    finish(call(&found));
    Failure::from(admit::debit(found))
}

fn finish(of: Reply) {
    mediate::finish(of, Vec::new());
}

async fn call(of: &Found) -> Reply {
    if of.is_moved() {
        return call(of.next()).await;
    }
    upstream::send(upstream::choose(of)).await?
}

fn other() {
    record::end();
}
";

fn table(rows: &str) -> Tree {
    let text = format!("# Title\n\n{HEADER} does |\n|---|---|---|\n{rows}\n| not::of_it |\n");
    Tree::of(&[(TABLE, &text), (CODE, STEPS)])
}

#[test]
fn the_order_is_that_of_execution() {
    let rows = "\
| listener | | accepts `connections` |
| route | `route::find`, `documents::reply` | |
| upstream | `upstream::choose`, `upstream::send` | |
| mediate | `mediate::finish` | |
| admit | `admit::debit` | |
";
    assert_eq!(check(&table(rows)).unwrap(), []);
}

#[test]
fn the_first_difference_is_a_fault() {
    let fault = |rows| check(&table(rows)).unwrap()[0].to_string();
    let moved = "| route | `documents::reply`, `route::find` | |\n";
    assert_eq!(
        fault(moved),
        format!("{TABLE}:5: `documents::reply` is listed where {CODE} calls `route::find`")
    );
    let short = "| route | `route::find` | |\n";
    assert_eq!(
        fault(short),
        format!("{TABLE}: `documents::reply`, which {CODE} calls, is not listed")
    );
}

#[test]
fn code_without_the_walk_is_an_error() {
    assert!(called("fn respond() {}").is_err());
    assert!(called("fn answer(").is_err());
}

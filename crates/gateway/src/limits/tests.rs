use tollgate_counters::Rule;
use tollgate_model::limit::ServedLimit;
use tollgate_model::plan::Limit;

/// Compares with the table that a test of the portal reads, too, since its plan editor shows them.
#[test]
fn policies_are_those_that_the_reference_lists() {
    let page = include_str!("../../../../docs/reference/limits.md");
    let mut count = 0;
    for row in page.lines().filter_map(|line| line.strip_prefix("| `{")) {
        let Some((limit, policy)) = row.split_once("` | `\"") else {
            continue;
        };
        let limit: Limit = serde_json::from_str(&format!("{{{limit}")).expect(row);
        let rule = Rule::new(ServedLimit::compile(&limit, 0));
        assert_eq!(format!("{}` |", rule.policy()), format!("\"{policy}"));
        count += 1;
    }
    assert!(count > 10, "{count} rows");
}

//! Lists of ten thousand items: their cost in the store, measured by the statements that it logs.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _};
use tollgate_model::user::Role;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::harness::{House, Person};

/// Number of copies of each object.
const COPIES: u64 = 10_000;

/// The store's work since the last call of `take`.
#[derive(Debug, Clone, Default)]
struct Done(Arc<[AtomicU64; 2]>);

impl Done {
    /// Returns the number of statements, and of the rows that they read.
    fn take(&self) -> (u64, u64) {
        let [statements, rows] = &*self.0;
        (
            statements.swap(0, Ordering::Relaxed),
            rows.swap(0, Ordering::Relaxed),
        )
    }
}

impl Subscriber for Done {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "statement"
    }

    fn event(&self, event: &Event<'_>) {
        self.0[0].fetch_add(1, Ordering::Relaxed);
        event.record(&mut self.clone());
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Visit for Done {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "rows" {
            self.0[1].fetch_add(value, Ordering::Relaxed);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

/// Creates a published API, an application with a subscription and a key, all owned by one
/// administrator, with names that begin with `one`.
async fn one_of_each(house: &House, root: &Person) -> [String; 5] {
    let make = async |path: &str, body: Value| {
        let made = house.post(path, body).by(root).await;
        assert!(matches!(made.status, 200 | 201), "{made:?}");
        made
    };
    let user = make(
        "/api/v1/users",
        json!({"name": "one user", "roles": ["developer"]}),
    )
    .await;
    let api = json!({"name": "one API", "context": "/one", "version": "1.0"});
    let api = make("/api/v1/apis", api).await;
    let version = api.text("/version/id");
    let draft = json!({"upstream": {"url": "http://back.internal:81"}});
    house.publish(root, version, draft, json!(["gold"])).await;
    let application = make("/api/v1/applications", json!({"name": "one shop"})).await;
    let application = application.text("/id");
    let keys = format!("/api/v1/applications/{application}/keys");
    let key = make(&keys, json!({"name": "one key"})).await;
    let subscription = json!({"application": application, "version": version, "plan": "gold"});
    make("/api/v1/subscriptions", subscription).await;
    let ids = [
        user.text("/id"),
        api.text("/api/id"),
        version,
        application,
        key.text("/id"),
    ];
    ids.map(str::to_owned)
}

/// Copies the only row that `which` selects in a table for each number `n`, with all its columns
/// except for `changes`. Ids increase by `n` milliseconds, whatever their lowest bits.
async fn copy(
    store: &mut SqliteConnection,
    (table, which): (&str, &str),
    changes: &[(&str, &str)],
) {
    let columns = format!("select name from pragma_table_info('{table}')");
    let columns = sqlx::query_scalar(AssertSqlSafe(columns)).fetch_all(&mut *store);
    let columns: Vec<String> = columns.await.unwrap();
    let values = columns.iter().map(|column| {
        let change = changes.iter().find(|(changed, _)| changed == column);
        change.map_or(column.as_str(), |(_, value)| value)
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let columns = columns.join(", ");
    let sql = format!(
        "with recursive copy (n, later) as \
         (select 1, 1 << 22 union all select n + 1, (n + 1) << 22 from copy where n < {COPIES}) \
         insert into {table} ({columns}) select {values} from {table}, copy where {which}"
    );
    let done = sqlx::query(AssertSqlSafe(sql))
        .execute(store)
        .await
        .unwrap();
    assert!(done.rows_affected() >= COPIES, "{table}");
}

/// Creates ten thousand copies of each object.
async fn multiply(database: &Path) {
    // A version and its revision reference each other.
    let options = SqliteConnectOptions::new().foreign_keys(false);
    let options = options.filename(database);
    let mut store = options.connect().await.unwrap();
    let (id, name) = (("id", "id + later"), ("name", "name || ' ' || n"));
    let (api, version) = (("api", "api + later"), ("version", "version + later"));
    let context = ("context", "context || '-' || n");
    let application = ("application", "application + later");
    let digest = ("digest", "randomblob(32)");
    let one = "name like 'one %'";
    copy(&mut store, ("users", one), &[id, name]).await;
    copy(&mut store, ("apis", one), &[id, name, context]).await;
    let deployed = ("deployed", "deployed + later");
    copy(&mut store, ("versions", "true"), &[id, api, deployed]).await;
    copy(&mut store, ("version_plans", "true"), &[version]).await;
    copy(&mut store, ("revisions", "true"), &[id, version]).await;
    copy(&mut store, ("applications", one), &[id, name]).await;
    copy(
        &mut store,
        ("subscriptions", "true"),
        &[id, application, version],
    )
    .await;
    copy(&mut store, ("api_keys", "true"), &[id, name, digest]).await;
}

#[tokio::test]
async fn a_list_of_ten_thousand_reads_one_page_with_as_many_statements_as_a_list_of_one() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let [.., application, _] = one_of_each(&house, &root).await;
    let keys = format!("/api/v1/applications/{application}/keys");
    let lists = [
        "/api/v1/users",
        "/api/v1/apis",
        "/api/v1/versions",
        "/api/v1/catalogue",
        "/api/v1/applications",
        "/api/v1/subscriptions",
        &keys,
    ];
    let done = Done::default();
    // With a single subscriber, tracing caches the interest of the thread that logs a line first,
    // which may be another test's thread without a subscriber.
    let _second = tracing::Dispatch::new(Done::default());
    let _guard = tracing::subscriber::set_default(done.clone());
    let see = async |path: &str, query: &str| {
        done.take();
        let call = house.get(&format!("{path}?{query}")).by(&root);
        let seen = call.await.expect(200).body;
        (seen, done.take())
    };
    let queries = [
        "q=one",
        "q=one&sort=name",
        "q=one&sort=-created",
        "q=ONE&sort=-name",
    ];
    let mut of_one = Vec::new();
    for path in lists {
        for query in queries {
            let (seen, (statements, _)) = see(path, query).await;
            assert_eq!(seen["total"], 1, "{path}?{query}");
            assert!(statements > 1, "{path}?{query}: statements are not counted");
            of_one.push(statements);
        }
    }
    multiply(&house.database()).await;
    let mut of_one = of_one.into_iter();
    for path in lists {
        for query in queries {
            let of_one = of_one.next().unwrap();
            for limit in [1, 500] {
                let paged = format!("{query}&limit={limit}");
                let (seen, (statements, rows)) = see(path, &paged).await;
                assert_eq!(seen["total"], COPIES + 1, "{path}?{paged}");
                assert_eq!(
                    seen["items"].as_array().unwrap().len(),
                    limit,
                    "{path}?{paged}"
                );
                assert_eq!(statements, of_one, "{path}?{paged}");
                // Each item of the page may read a few rows of its own.
                let rows_max = 4 * (limit as u64 + 1) + 10;
                assert!(rows <= rows_max, "{path}?{paged}: {rows} rows");
            }
        }
        let (last, (_, rows)) = see(path, "q=one%2010000").await;
        assert_eq!(last["total"], 1, "{path}");
        assert!(rows < 20, "{path}: {rows} rows");
    }
}

#[tokio::test]
async fn a_made_up_cursor_is_a_400() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let [user, api, version, application, key] = one_of_each(&house, &root).await;
    let of = |part: &str| format!("/api/v1/applications/{application}/{part}");
    for (path, id) in [
        ("/api/v1/users", &user),
        ("/api/v1/plans", &"pln_00000000001".to_owned()),
        ("/api/v1/access-tokens", &"pat_00000000001".to_owned()),
        ("/api/v1/apis", &api),
        ("/api/v1/versions", &version),
        ("/api/v1/catalogue", &version),
        ("/api/v1/applications", &application),
        ("/api/v1/subscriptions", &"sub_00000000001".to_owned()),
        (&format!("/api/v1/apis/{api}/versions"), &version),
        (&of("keys"), &key),
        (&of("clients"), &"cli_00000000001".to_owned()),
        (&of("basic-users"), &"bas_00000000001".to_owned()),
    ] {
        let page = |sort: &str, after: &str| {
            let query = format!("limit=1&sort={sort}&after={after}");
            house.get(&format!("{path}?{query}")).by(&root)
        };
        page("created", id).await.expect(200);
        page("name", &format!("{id}:one")).await.expect(200);
        let made_up = [
            "".to_owned(),
            "1".to_owned(),
            "made%20up".to_owned(),
            "%00".to_owned(),
            "sig_00000000001".to_owned(),
            format!("{id}0"),
            id[..id.len() - 1].to_owned(),
            id.to_uppercase(),
            "a".repeat(4_000),
        ];
        for after in &made_up {
            for (sort, after) in [("created", after.clone()), ("name", format!("{after}:one"))] {
                let refused = page(sort, &after).await;
                assert_eq!(
                    refused.problem(),
                    (400, "page.after"),
                    "{path} {sort} {after}"
                );
            }
        }
        for (sort, after) in [("name", id.clone()), ("-created", format!("{id}:one"))] {
            let refused = page(sort, &after).await;
            assert_eq!(
                refused.problem(),
                (400, "page.after"),
                "{path} {sort} {after}"
            );
        }
    }
}

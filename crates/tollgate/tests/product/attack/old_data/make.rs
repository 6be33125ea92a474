//! Creates the data that later releases must open: everything that is stored, and a manifest of the
//! responses of the program of that time. `tests/fixtures/README.md` describes how to run it.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use tollgate_testkit::control::Imported;
use tollgate_testkit::{Behaviour, Builder, Control, Tollgate, Upstream, http};

use super::fixture;
use crate::house::{DOCUMENT, get};
use crate::soap::{V1_1, XML, archive, order_request};

pub(crate) const MANIFEST: &str = "manifest.json";
/// `us` and `s:cret` (RFC 7617).
pub(super) const BASIC: &str = "Basic dXM6czpjcmV0";
const SHOP: &str = include_str!("../../soap/rest/shop.wsdl");
/// The program that creates it, and the name of the archive.
const VARIABLES: [&str; 2] = ["OLD_PROGRAM", "OLD_ARCHIVE"];

/// An order, as returned by the shop's back end.
pub(super) fn shop_answer() -> Behaviour {
    let body = format!(
        "<s:Envelope xmlns:s=\"{V1_1}\" xmlns:o=\"urn:shop\"><s:Body><o:getOrderResponse>\
         <o:id>7</o:id></o:getOrderResponse></s:Body></s:Envelope>"
    );
    let fields = "Content-Type: text/xml\r\n";
    Behaviour::Answer(tollgate_testkit::upstream::answer(body.as_bytes(), fields))
}

/// Our credentials at the shop's back end.
pub(super) fn back_end() -> Value {
    json!({
        "basic": { "name": "us", "password": "s:cret" },
        "username_token": { "name": "we", "password": "secret", "is_digest": false },
    })
}

struct Maker {
    tollgate: Tollgate,
    upstream: Upstream,
    administrator: Control,
    publisher: Control,
    developer: Control,
    tokens: Vec<String>,
}

impl Maker {
    async fn begin(program: &str) -> Self {
        let tollgate = Builder::new(program).unwrap().start().unwrap();
        let administrator = Control::administrator(&tollgate).await.unwrap();
        for (name, limit) in [
            (
                "hourly",
                json!({ "per": "subscription", "amount": 1_000, "window": "hour" }),
            ),
            (
                "yearly",
                json!({ "per": "application", "amount": 9_000, "window": "year" }),
            ),
        ] {
            administrator.plan(name, json!([limit])).await.unwrap();
        }
        administrator.plan("free", json!([])).await.unwrap();
        let mut people = Vec::new();
        for role in ["publisher", "developer"] {
            let user = json!({ "name": role, "roles": [role] });
            let made = administrator
                .done("POST", "/api/v1/users", Some(&user))
                .await;
            let one_time = made.unwrap()["one_time_password"]
                .as_str()
                .unwrap()
                .to_owned();
            let stranger = Control::stranger(tollgate.control);
            people.push(stranger.settle_in(role, &one_time).await.unwrap());
        }
        let [publisher, developer] = people.try_into().unwrap();
        let mut tokens = Vec::new();
        for user in [&administrator, &publisher, &developer] {
            let path = "/api/v1/access-tokens";
            let made = user
                .done("POST", path, Some(&json!({ "name": "ci" })))
                .await;
            tokens.push(made.unwrap()["token"].as_str().unwrap().to_owned());
        }
        Self {
            tollgate,
            upstream: Upstream::start(Behaviour::Echo).unwrap(),
            administrator,
            publisher,
            developer,
            tokens,
        }
    }

    async fn publish(&self, api: &Imported, path: &str) {
        let Self { publisher, .. } = self;
        let url = format!("{}{path}", self.upstream.url());
        publisher.upstream(&api.version, &url).await.unwrap();
        let plans = ["hourly", "yearly", "free"];
        publisher.attach(&api.version, &plans).await.unwrap();
        publisher
            .lifecycle(&api.version, "published")
            .await
            .unwrap();
    }

    /// Creates two published versions of REST APIs: one with three revisions, of which the second
    /// is deployed again, and another draft; one that will be blocked.
    async fn rest(&self) -> [Imported; 2] {
        let Self { publisher, .. } = self;
        let pets = publisher
            .import("Pets", "/pets", "1.0", DOCUMENT)
            .await
            .unwrap();
        self.publish(&pets, "/one").await;
        for (path, number) in [("/two", 2), ("/three", 3)] {
            let url = format!("{}{path}", self.upstream.url());
            publisher.upstream(&pets.version, &url).await.unwrap();
            assert_eq!(publisher.revision(&pets.version).await.unwrap(), number);
            publisher.deploy(&pets.version, number).await.unwrap();
        }
        publisher.deploy(&pets.version, 2).await.unwrap();
        let url = format!("{}/four", self.upstream.url());
        publisher.upstream(&pets.version, &url).await.unwrap();
        let closed = publisher
            .import("Closed", "/closed", "1.0", DOCUMENT)
            .await
            .unwrap();
        self.publish(&closed, "/closed").await;
        [pets, closed]
    }

    /// Creates a SOAP service as it is, and one as REST with passwords for its back end.
    async fn soap(&self) -> [Imported; 2] {
        let orders = "name=Orders&context=%2Forders&version=1.0&kind=soap";
        let orders = self
            .import_wsdl(orders, ("application/zip", &archive()))
            .await;
        self.publish(&orders, "/orders").await;
        let shop = "name=Shop&context=%2Fshop&version=1.0&kind=soap_to_rest&port=Shop11";
        let shop = self.import_wsdl(shop, ("text/xml", SHOP.as_bytes())).await;
        let id = json!({
            "place": "path", "name": "orderId", "path": ["orderId"], "required": true,
        });
        let change = json!({ "soap": { "rest": {
            "back_end": back_end(),
            "resources": [{
                "operation": "getOrder", "method": "GET", "path": "/order/{orderId}",
                "parameters": [id],
            }],
        } } });
        // A password belongs to the address that is set at that time.
        let url = format!("{}/shop", self.upstream.url());
        self.publisher.upstream(&shop.version, &url).await.unwrap();
        let path = format!("/api/v1/versions/{}/draft", shop.version);
        self.publisher
            .done("PATCH", &path, Some(&change))
            .await
            .unwrap();
        self.publish(&shop, "/shop").await;
        [orders, shop]
    }

    async fn import_wsdl(&self, query: &str, (media_type, contract): (&str, &[u8])) -> Imported {
        let path = format!("/api/v1/apis/import/wsdl?{query}");
        let answer = self
            .publisher
            .send_bytes("POST", &path, media_type, contract)
            .await
            .unwrap();
        assert_eq!(answer.status, 201, "{}", answer.text());
        let made = answer.json();
        let id = |noun: &str| made[noun]["id"].as_str().unwrap().to_owned();
        Imported {
            api: id("api"),
            version: id("version"),
        }
    }

    /// Makes calls of each kind in two minutes.
    async fn call(&self, key: &str, revoked: &str) {
        let call = async |request: Vec<u8>, status: u16| {
            let answer = http::call(self.tollgate.gateway, &request).await.unwrap();
            assert_eq!(answer.status, status, "{}", answer.text());
        };
        for _ in 0..30 {
            call(get("/pets/1.0/pets", key), 200).await;
        }
        call(get("/pets/1.0/pets", revoked), 401).await;
        call(get("/pets/1.0/nothing", key), 404).await;
        for _ in 0..2 {
            call(get("/closed/1.0/pets", key), 503).await;
        }
        for _ in 0..7 {
            let fields = [("apikey", key), XML];
            call(
                http::request("POST", "/orders/1.0", &fields, &order_request()),
                200,
            )
            .await;
        }
        self.upstream.behave(shop_answer());
        for _ in 0..4 {
            call(get("/shop/1.0/order/7", key), 200).await;
        }
        tokio::time::sleep(Duration::from_secs(61)).await;
        self.upstream.behave(Behaviour::Echo);
        for _ in 0..12 {
            call(get("/pets/1.0/pets", key), 200).await;
        }
    }
}

/// Returns the responses to a user at these paths.
async fn answers(user: &Control, paths: &[String]) -> Value {
    let mut answers = Map::new();
    for path in paths {
        let answer = user.done("GET", path, None).await.unwrap();
        answers.insert(path.clone(), answer);
    }
    Value::Object(answers)
}

fn published(apis: &[Imported]) -> Vec<String> {
    let mut paths = vec!["/api/v1/apis".to_owned()];
    for Imported { api, version } in apis {
        paths.push(format!("/api/v1/apis/{api}"));
        paths.push(format!("/api/v1/apis/{api}/versions"));
        for part in [
            "draft",
            "plans",
            "lifecycle",
            "revisions",
            "revisions/1",
            "deployment",
        ] {
            paths.push(format!("/api/v1/versions/{version}/{part}"));
        }
    }
    let pets = &apis[0].version;
    paths.extend([2, 3].map(|number| format!("/api/v1/versions/{pets}/revisions/{number}")));
    paths
}

/// What a program of that time has stored.
struct Made {
    maker: Maker,
    apis: [Imported; 4],
    application: String,
    key: String,
    revoked: String,
}

impl Made {
    async fn begin(program: &str) -> Self {
        let maker = Maker::begin(program).await;
        let ([pets, closed], [orders, shop]) = (maker.rest().await, maker.soap().await);
        let Maker { developer, .. } = &maker;
        let application = developer.application("till").await.unwrap();
        for (api, plan) in [
            (&pets, "hourly"),
            (&closed, "free"),
            (&orders, "yearly"),
            (&shop, "free"),
        ] {
            developer
                .subscribe(&application, &api.version, plan)
                .await
                .unwrap();
        }
        let (_, key) = developer.key(&application).await.unwrap();
        let (revoked_id, revoked) = developer.key(&application).await.unwrap();
        let path = format!("/api/v1/keys/{revoked_id}");
        developer.done("DELETE", &path, None).await.unwrap();
        maker
            .publisher
            .lifecycle(&closed.version, "blocked")
            .await
            .unwrap();
        maker.call(&key, &revoked).await;
        Self {
            maker,
            apis: [pets, closed, orders, shop],
            application,
            key,
            revoked,
        }
    }

    /// The responses of the program, with this question of usage.
    async fn manifest(&self, control: SocketAddr, usage: String) -> Value {
        let Self {
            maker, application, ..
        } = self;
        let at = |user: &Control| user.at(control);
        let of_developer = [
            "/api/v1/applications".to_owned(),
            format!("/api/v1/applications/{application}/keys"),
            "/api/v1/subscriptions".to_owned(),
        ];
        let of_administrator = [
            "/api/v1/users".to_owned(),
            "/api/v1/plans".to_owned(),
            usage,
        ];
        let of_publisher = published(&self.apis);
        json!({
            "upstream": maker.upstream.url(),
            "key": self.key,
            "revoked": self.revoked,
            "tokens": maker.tokens,
            "people": {
                "administrator": answers(&at(&maker.administrator), &of_administrator).await,
                "publisher": answers(&at(&maker.publisher), &of_publisher).await,
                "developer": answers(&at(&maker.developer), &of_developer).await,
            },
        })
    }
}

/// Creates the archive of a data directory.
fn archive_of(data: &Path, name: &str, manifest: &Value) {
    let mut zip = zip::ZipWriter::new(File::create(fixture(name)).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for folder in ["", "spool"] {
        let Ok(files) = fs::read_dir(data.join(folder)) else {
            continue;
        };
        for file in files {
            let path = file.unwrap().path();
            let name = path.strip_prefix(data).unwrap().to_str().unwrap();
            if path.is_file() && !name.ends_with(".lock") && !name.ends_with("-shm") {
                zip.start_file(name, options).unwrap();
                zip.write_all(&fs::read(&path).unwrap()).unwrap();
            }
        }
    }
    zip.start_file(MANIFEST, options).unwrap();
    zip.write_all(&serde_json::to_vec_pretty(manifest).unwrap())
        .unwrap();
    zip.finish().unwrap();
}

#[tokio::test]
#[ignore = "makes a fixture with the program that the variable OLD_PROGRAM names"]
async fn make() {
    let [program, name] = VARIABLES.map(|it| std::env::var(it).unwrap());
    let mut made = Made::begin(&program).await;
    // After a restart all responses come from the files.
    let (_, builder) = made.maker.tollgate.terminate().unwrap();
    made.maker.tollgate = builder.start().unwrap();
    let usage = "/api/v1/usage?group_by=api,application,status,operation".to_owned();
    let manifest = made.manifest(made.maker.tollgate.control, usage).await;
    let (_, builder) = made.maker.tollgate.terminate().unwrap();
    archive_of(&builder.data(), &name, &manifest);
}

/// Operations of an API that has enough rows of usage in a minute for them to go to the journal.
const MANY: usize = 1_200;

/// Publishes an API with many operations; returns its id.
async fn publish_many(made: &Made) -> String {
    let paths = (0..MANY).map(|at| {
        format!("  /o{at}: {{ get: {{ responses: {{ '200': {{ description: ok }} }} }} }}\n")
    });
    let document = format!(
        "openapi: 3.1.0\ninfo: {{ title: Many, version: '1.0' }}\npaths:\n{}",
        paths.collect::<String>()
    );
    let Maker {
        publisher,
        developer,
        ..
    } = &made.maker;
    let imported = publisher.import("Many", "/many", "1.0", &document).await;
    let many = imported.unwrap();
    made.maker.publish(&many, "/many").await;
    let subscribed = developer.subscribe(&made.application, &many.version, "free");
    subscribed.await.unwrap();
    many.api
}

/// Waits until a second of the minute begins.
async fn second_of_minute(second: u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let wait = (60 + second - now.as_secs() % 60) % 60;
    tokio::time::sleep(Duration::from_secs(wait)).await;
}

#[tokio::test]
#[ignore = "makes a fixture with the program that the variable OLD_PROGRAM names, and kills it"]
async fn make_killed() {
    let [program, name] = VARIABLES.map(|it| std::env::var(it).unwrap());
    let made = Made::begin(&program).await;
    let many = publish_many(&made).await;
    let Made { maker, key, .. } = &made;
    let gateway = maker.tollgate.gateway;
    // The first rows of a minute go into the table, the second ones into the journal.
    second_of_minute(1).await;
    for _ in 0..2 {
        for at in 0..MANY {
            let request = get(&format!("/many/1.0/o{at}"), key);
            assert_eq!(http::call(gateway, &request).await.unwrap().status, 200);
        }
        tokio::time::sleep(Duration::from_secs(4)).await;
    }
    let usage = format!("/api/v1/usage?group_by=api,application,status,operation&api={many}");
    let manifest = made.manifest(maker.tollgate.control, usage).await;
    let request = get("/pets/1.0/pets", key);
    let calling = tokio::spawn(async move { while http::call(gateway, &request).await.is_ok() {} });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let builder = made.maker.tollgate.kill().unwrap();
    calling.await.unwrap();
    archive_of(&builder.data(), &name, &manifest);
}

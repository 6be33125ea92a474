//! Creates the example: the API with its version and plans, the application with its subscription;
//! all in one transaction.

use tollgate_control::Control;
use tollgate_control::seed::ADMINISTRATOR;
use tollgate_model::api::{Configuration, Kind, Method, Operation};
use tollgate_model::id::{PlanId, UserId, VersionId};
use tollgate_model::lifecycle::{Readiness, State, transition};
use tollgate_model::subscription::Status;
use tollgate_model::template::PathTemplate;
use tollgate_model::upstream::Upstream;
use tollgate_store::apis::{self, Api, NewApi};
use tollgate_store::lifecycle::{self, Enter};
use tollgate_store::subscriptions::{self, NewSubscription};
use tollgate_store::versions::{self, NewVersion};
use tollgate_store::{StoreError, Tx, applications, plans, settings, users};

use super::{APPLICATION, CONTEXT, Example, UPSTREAM, VERSION, VERSION_NAME, freeze, load};

/// The default plans of the example; its application is subscribed under the last.
const PLANS: [&str; 2] = ["bronze", "gold"];

/// Creates the example in one transaction, unless it was created and deleted before.
pub(super) async fn make(control: &Control, upstream: String) -> anyhow::Result<Option<Example>> {
    let was_made = settings::by_name(&control.store, VERSION).await?.is_some();
    let owner = users::by_name(&control.store, ADMINISTRATOR).await?;
    let (false, Some(owner)) = (was_made, owner) else {
        tracing::info!("the example API or its owner was deleted: not creating it again");
        return Ok(None);
    };
    let mut plan_ids = Vec::new();
    for name in PLANS {
        let plan = plans::by_name(&control.store, name).await?;
        plan_ids.extend(plan.map(|plan| plan.id));
    }
    let Some(&plan) = plan_ids.last() else {
        tracing::info!("none of the default plans exists: not creating the example API");
        return Ok(None);
    };
    let mut tx = control.store.write().await?;
    let version = match publish(control, &mut tx, owner.id, &upstream, &plan_ids).await {
        Ok(version) => version,
        Err(error) => match error.downcast_ref() {
            Some(StoreError::Taken { what, .. }) => {
                tracing::warn!("cannot create the example API: {what}");
                return Ok(None);
            }
            _ => return Err(error),
        },
    };
    let application = applications::Application {
        id: control.id()?,
        name: "Example".to_owned(),
        owner: owner.id,
        description: "Calls the example API.".to_owned(),
        limits: Vec::new(),
        tokens_from_us: 0,
        created_us: control.now_us(),
    };
    applications::create(&mut tx, &application).await?;
    let subscription = NewSubscription {
        id: control.id()?,
        application: application.id,
        version,
        plan,
        status: Status::Active,
        reason: None,
        created_us: control.now_us(),
        scopes: Vec::new(),
    };
    subscriptions::create(&mut tx, &subscription).await?;
    settings::put(&mut tx, VERSION, &version.to_string()).await?;
    settings::put(&mut tx, APPLICATION, &application.id.to_string()).await?;
    settings::put(&mut tx, UPSTREAM, &upstream).await?;
    tx.commit().await?;
    load(control).await
}

/// Creates the API with one version, its plans and its first revision, and publishes it.
async fn publish(
    control: &Control,
    tx: &mut Tx,
    owner: UserId,
    upstream: &str,
    plans: &[PlanId],
) -> anyhow::Result<VersionId> {
    let configuration = configuration(upstream)?;
    let version = control.id()?;
    let new = NewApi {
        api: Api {
            id: control.id()?,
            name: "Echo".to_owned(),
            kind: Kind::Rest,
            context: CONTEXT.to_owned(),
            description: "The example: returns the request that it receives.".to_owned(),
            owner,
            created_us: control.now_us(),
        },
        version: NewVersion {
            id: version,
            name: VERSION_NAME.to_owned(),
            draft: configuration.clone(),
            created_us: control.now_us(),
        },
        document: None,
        contract: None,
    };
    apis::create(tx, &new).await?;
    versions::set_plans(tx, version, plans).await?;
    let revision = freeze(control, tx, version, owner, configuration).await?;
    let has = Readiness {
        operations: true,
        upstream: true,
        plans: plans.len(),
    };
    let enter = Enter {
        version,
        transition: transition(State::Created, State::Published, has)?,
        deploy: Some(revision),
        deprecation: None,
        by: owner,
        note: "the example",
        at_us: control.now_us(),
    };
    lifecycle::enter(tx, &enter).await?;
    Ok(version)
}

fn configuration(upstream: &str) -> anyhow::Result<Configuration> {
    let operation = |method, path, summary: &str| -> anyhow::Result<Operation> {
        Ok(Operation {
            method,
            path: PathTemplate::parse(path)?,
            summary: Some(summary.to_owned()),
            limits: Vec::new(),
            weight: 1,
            scopes: Vec::new(),
            anonymous: false,
        })
    };
    Ok(Configuration {
        operations: vec![
            operation(Method::Get, "/hello", "Returns the request.")?,
            operation(
                Method::Post,
                "/mirror",
                "Returns the request, with its body.",
            )?,
            operation(Method::Get, "/items/{item}", "A path with a parameter.")?,
        ],
        upstream: Some(Upstream::at(upstream)),
        security: Some(super::security()),
        ..Configuration::initial(Kind::Rest)
    })
}

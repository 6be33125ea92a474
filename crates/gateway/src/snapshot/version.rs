//! A version as the snapshot holds it: the served version with its look-up tables.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tollgate_counters::{BoundLimit, Counters, LimitPlace, Rule};
use tollgate_mediation::own_query::OwnQuery;
use tollgate_model::credential::Environment;
use tollgate_model::feed::{
    ServedOperation, ServedSecurity, ServedTarget, ServedUpstream, ServedVersion,
};
use tollgate_model::id::VersionId;
use tollgate_model::lifecycle::AtGateway;
use tollgate_model::record::{self, RefusedBy};
use tollgate_model::scheme::UriScheme;
use tollgate_model::security::{Require, Scheme};

use crate::limits::{Found, Owner, Rules, own_dimension};
use crate::pools::{Origin, Place, Places};
use crate::settings::Settings;
use crate::snapshot::caching::{Caching, Cachings};
use crate::snapshot::cors::Cors;
use crate::snapshot::credential::Presented;
use crate::snapshot::deprecation::Deprecation;
use crate::snapshot::mediation::Mediation;
use crate::snapshot::operations::Operations;
use crate::snapshot::policies::{Policies, Steps};
use crate::snapshot::service::Service;
use crate::snapshot::soap_to_rest::{SoapToRest, Unusable};
use crate::wire::trust::Trust;

/// A version with its look-up tables.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) served: ServedVersion,
    pub(crate) operations: Operations,
    /// The SOAP service, if the version is one; boxed, since most have none.
    pub(crate) service: Option<Box<Service>>,
    /// The transcoders of requests and responses, if the service is served as REST.
    pub(crate) soap_to_rest: Option<Arc<SoapToRest>>,
    pub(crate) security: Security,
    /// The version's own limits.
    pub(crate) bounds: Vec<BoundLimit>,
    /// The version's own limits that are found at the call.
    pub(crate) found: Found,
    pub(crate) production: Option<Upstream>,
    pub(crate) sandbox: Option<Upstream>,
    /// The steps of messages without an operation of their own, if any.
    pub(crate) steps: Option<Arc<Steps>>,
    /// What its responses announce, if it is deprecated.
    pub(crate) deprecation: Option<Arc<Deprecation>>,
    /// The web pages that may call it; `None` if the upstream decides.
    pub(crate) cors: Option<Cors>,
}

impl Version {
    /// Prepares a version, for a gateway with a URL of the path `public_path`.
    ///
    /// # Errors
    /// Fails with [`Unusable`] if the version cannot be served.
    pub(crate) fn new(
        served: ServedVersion,
        soap_to_rest: Option<Arc<SoapToRest>>,
        counters: &Counters,
        places: &mut Places,
        public_path: &str,
    ) -> Result<Self, Unusable> {
        let id = served.id;
        let policies = Policies::load(&served, public_path)?;
        let steps = policies
            .as_ref()
            .and_then(Policies::of_version)
            .map(Arc::new);
        let operations = operations(&served, soap_to_rest.as_ref(), policies.as_ref())?;
        let proxied = served.soap.as_ref().filter(|soap| soap.rest.is_none());
        let mut upstream = |environment, served: &Option<ServedUpstream>| {
            let upstream = served.as_ref().map(|served| {
                let bounds = upstream_bounds(served, environment, id, counters);
                Upstream::new(served, bounds, places)
            });
            upstream.transpose()
        };
        let environments = [
            ("upstream", &served.upstream),
            ("sandbox upstream", &served.sandbox_upstream),
        ];
        for (which, upstream) in environments {
            if upstream.as_ref().is_some_and(|it| !it.verify_certificate) {
                let ServedVersion {
                    id, name, context, ..
                } = &served;
                tracing::warn!(
                    version = %id,
                    "{context}/{name} ({id}) does not check the certificate of its {which}: \
                     anyone on the network path can read and change the traffic"
                );
            }
        }
        let dimension = [own_dimension(id.raw())];
        let rules = Rules::new(&served.limits, Owner::Version, id.raw());
        let bounds = rules.bound.iter();
        let bounds = bounds.map(|rule| counters.bind_rule(rule, &dimension));
        let deprecation = served.deprecation.as_ref();
        let deprecation = deprecation.map(|it| Arc::new(Deprecation::new(it, public_path)));
        Ok(Self {
            operations: Operations::new(operations, &served, counters),
            service: proxied.map(|soap| Box::new(Service::new(soap, steps.as_ref(), counters))),
            soap_to_rest,
            security: Security::new(&served.security),
            bounds: bounds.collect(),
            found: rules.found,
            production: upstream(Environment::Production, &served.upstream)?,
            sandbox: upstream(Environment::Sandbox, &served.sandbox_upstream)?,
            steps,
            deprecation,
            cors: served.cors.as_deref().map(Cors::new),
            served,
        })
    }

    /// The upstream for calls of this environment.
    pub(crate) fn upstream(&self, environment: Environment) -> Option<&Upstream> {
        match environment {
            Environment::Production => self.production.as_ref(),
            Environment::Sandbox => self.sandbox.as_ref(),
        }
    }

    /// Whether at least some of its operations can be called without a subscription.
    pub(crate) fn may_be_open(&self) -> bool {
        let mut operations = self.served.operations.iter();
        self.is_open() || operations.any(|operation| operation.access.is_anonymous)
    }

    /// Whether all its operations can be called without a subscription.
    pub(crate) fn is_open(&self) -> bool {
        self.served.state.at_gateway() == AtGateway::Open
    }

    /// Maximum bytes of a request body: the gateway's bound, or the version's if lower.
    pub(crate) fn body_bytes_max(&self, settings: &Settings) -> u64 {
        self.served
            .body_bytes_max
            .unwrap_or(u64::MAX)
            .min(settings.body_bytes_max)
    }
}

/// How callers authenticate, prepared for comparison.
#[derive(Debug)]
pub(crate) struct Security {
    pub(crate) require: Require,
    pub(crate) api_key: Option<KeyPlaces>,
    pub(crate) oauth2: bool,
    pub(crate) basic: bool,
}

/// Where API keys are accepted.
#[derive(Debug)]
pub(crate) struct KeyPlaces {
    /// The name of the header field, in lower case.
    pub(crate) header: Box<[u8]>,
    /// The name of the query parameter.
    pub(crate) query: Option<Box<[u8]>>,
}

impl Security {
    pub(crate) fn new(served: &ServedSecurity) -> Self {
        let api_key = served.schemes.iter().find_map(|scheme| match scheme {
            Scheme::ApiKey { header, query } => Some(KeyPlaces {
                header: header.to_ascii_lowercase().into_bytes().into(),
                query: query.clone().map(|name| name.into_bytes().into()),
            }),
            Scheme::OAuth2 | Scheme::Basic => None,
        });
        Self {
            require: served.require,
            api_key,
            oauth2: served.schemes.contains(&Scheme::OAuth2),
            basic: served.schemes.contains(&Scheme::Basic),
        }
    }
}

/// An upstream with what a worker needs to find its connections.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) served: ServedUpstream,
    /// Its limits.
    pub(crate) bounds: Vec<BoundLimit>,
    /// In the order of the served targets.
    pub(crate) targets: Vec<Target>,
    /// The credential that its requests carry.
    pub(crate) credential: Option<Presented>,
}

/// A possible destination of an upstream's calls.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) served: ServedTarget,
    /// The query of its own, which precedes that of each call.
    pub(crate) query: Option<OwnQuery>,
    /// The address, if the host is one rather than a name.
    pub(crate) address: Option<SocketAddr>,
    /// The place of its pool: the same for the same origin, in all snapshots.
    pub(crate) place: Arc<Place>,
}

impl Upstream {
    fn new(
        served: &ServedUpstream,
        bounds: Vec<BoundLimit>,
        places: &mut Places,
    ) -> Result<Self, Unusable> {
        if served.targets.is_empty() {
            return Err(Unusable::NoTarget);
        }
        let trust = Trust::for_upstream(served);
        let targets = served.targets.iter();
        let targets = targets.map(|target| Target::new(target, &trust, places));
        Ok(Self {
            bounds,
            targets: targets.collect::<Result<_, _>>()?,
            credential: served.credential.as_ref().map(Presented::new),
            served: served.clone(),
        })
    }
}

impl Target {
    fn new(served: &ServedTarget, trust: &Trust, places: &mut Places) -> Result<Self, Unusable> {
        let address = served.host.parse::<IpAddr>().ok();
        let origin = Origin {
            host: served.host.clone(),
            port: served.port,
            trust: (served.scheme == UriScheme::Https).then(|| trust.clone()),
        };
        Ok(Self {
            address: address.map(|address| SocketAddr::new(address, served.port)),
            place: places.find(origin)?,
            query: OwnQuery::new(&served.query),
            served: served.clone(),
        })
    }
}

/// Binds the limits of a version's upstream in one environment.
fn upstream_bounds(
    served: &ServedUpstream,
    environment: Environment,
    version: VersionId,
    counters: &Counters,
) -> Vec<BoundLimit> {
    let environment = match environment {
        Environment::Production => 1,
        Environment::Sandbox => 2,
    };
    let dimensions = [own_dimension(version.raw()), environment];
    let limits = served.limits.iter().enumerate();
    let bounds = limits.map(|(index, limit)| {
        let place = RefusedBy::new(record::Owner::Upstream, index);
        let id = version.raw();
        let rule = Rule::new(limit.clone()).at(LimitPlace { place, owner: id });
        counters.bind_rule(&Arc::new(rule), &dimensions)
    });
    bounds.collect()
}

/// The operations named by paths, each with its mediation. Empty for a blocked version: no call
/// gets that far.
fn operations<'v>(
    served: &'v ServedVersion,
    soap_to_rest: Option<&Arc<SoapToRest>>,
    policies: Option<&Policies>,
) -> Result<Vec<(&'v ServedOperation, Arc<Mediation>)>, Unusable> {
    if served.state.at_gateway() == AtGateway::Refused {
        return Ok(Vec::new());
    }
    let rest = Arc::new(Mediation::rest());
    let changes = Arc::new(Mediation::rest().with_caching(Caching::Changes));
    let steps = served.operations.iter().map(|operation| {
        let steps = policies.and_then(|it| it.of_operation(operation.method, &operation.path));
        (operation, steps.map(Arc::new))
    });
    let with_steps: Vec<_> = steps.collect();
    let all = with_steps.iter();
    let cachings = Cachings::new(all.map(|(operation, steps)| (*operation, steps.as_ref())));
    let operations = with_steps.iter().map(|(operation, steps)| {
        let caching = cachings.of(operation, steps.as_ref());
        let mediation = match (soap_to_rest, steps, &caching) {
            (None, None, Caching::None) => return Ok((*operation, Arc::clone(&rest))),
            (None, None, Caching::Changes) => return Ok((*operation, Arc::clone(&changes))),
            (None, ..) => Mediation::rest(),
            (Some(service), ..) => {
                let resource = service.resource(operation.id).ok_or(Unusable::Dangling)?;
                Mediation::soap_to_rest(service, resource)
            }
        };
        let mediation = mediation.with_steps(steps.clone()).with_caching(caching);
        Ok((*operation, Arc::new(mediation)))
    });
    operations.collect()
}

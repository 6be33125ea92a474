//! Names of the ids in a report: each is looked up once.

use std::collections::HashMap;

use tollgate_model::id::{ApiId, ApplicationId, OperationId, PlanId, VersionId};
use tollgate_store::{Store, StoreError, names, operations, plans, versions};

/// The names of one report.
pub(crate) struct Names<'s> {
    store: &'s Store,
    /// By the ids' values, which are unique across kinds.
    known: HashMap<i64, Option<String>>,
    /// The APIs of versions.
    apis: HashMap<VersionId, Option<ApiId>>,
}

impl<'s> Names<'s> {
    /// Creates an empty lookup.
    pub(crate) fn new(store: &'s Store) -> Self {
        Self {
            store,
            known: HashMap::new(),
            apis: HashMap::new(),
        }
    }

    /// Returns the name of an API, or its last one.
    pub(crate) async fn api(&mut self, id: ApiId) -> Result<Option<String>, StoreError> {
        self.once(id.raw(), names::of_api(self.store, id)).await
    }

    /// Returns the name of a version, or its last one.
    pub(crate) async fn version(&mut self, id: VersionId) -> Result<Option<String>, StoreError> {
        self.once(id.raw(), names::of_version(self.store, id)).await
    }

    /// Returns the API of a version; `None` if the version is deleted.
    pub(crate) async fn api_of(&mut self, id: VersionId) -> Result<Option<ApiId>, StoreError> {
        if let Some(api) = self.apis.get(&id) {
            return Ok(*api);
        }
        let api = match versions::by_id(self.store, id).await {
            Ok(version) => Some(version.api),
            Err(StoreError::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        self.apis.insert(id, api);
        Ok(api)
    }

    /// Returns the name of an application, or its last one.
    pub(crate) async fn application(
        &mut self,
        id: ApplicationId,
    ) -> Result<Option<String>, StoreError> {
        self.once(id.raw(), names::of_application(self.store, id))
            .await
    }

    /// Returns the method and path of an operation; for SOAP its name.
    pub(crate) async fn operation(
        &mut self,
        id: OperationId,
    ) -> Result<Option<String>, StoreError> {
        let store = self.store;
        let name = async move {
            let name = operations::by_id(store, id).await?;
            Ok(name.map(|name| match name.method {
                Some(method) => format!("{method} {}", name.path),
                None => name.path,
            }))
        };
        self.once(id.raw(), name).await
    }

    /// Returns the name of a plan.
    pub(crate) async fn plan(&mut self, id: PlanId) -> Result<Option<String>, StoreError> {
        let store = self.store;
        let name = async move {
            match plans::by_id(store, id).await {
                Ok(plan) => Ok(Some(plan.name)),
                Err(StoreError::NotFound(_)) => Ok(None),
                Err(error) => Err(error),
            }
        };
        self.once(id.raw(), name).await
    }

    async fn once(
        &mut self,
        id: i64,
        look_up: impl Future<Output = Result<Option<String>, StoreError>>,
    ) -> Result<Option<String>, StoreError> {
        if let Some(name) = self.known.get(&id) {
            return Ok(name.clone());
        }
        let name = look_up.await?;
        self.known.insert(id, name.clone());
        Ok(name)
    }
}

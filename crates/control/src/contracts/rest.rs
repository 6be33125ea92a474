//! Checks a service as REST against its contract, and generates its OpenAPI document.

use tollgate_model::fault::{Fault, pointer_token};
use tollgate_model::resource::RestService;
use tollgate_model::security::Security;
use tollgate_soap::openapi::{self, Info, Strings};
use tollgate_soap::plan::ServicePlan;
use tollgate_soap::resources;
use tollgate_soap::to_xml::{LoadError, Program, Settings};

use super::Made;
use crate::error::Chain;

/// Returns all faults that prevent gateways from serving a service; fields are pointers from the
/// configuration. `plan` is the plan as sent to gateways.
pub(crate) fn faults(plan: &[u8], rest: &RestService) -> Vec<Fault> {
    let plan = match ServicePlan::from_bytes(plan) {
        Ok(plan) => plan,
        Err(error) => return vec![contract(error.to_string())],
    };
    let fixed: Vec<_> = rest.back_end.headers.keys().map(String::as_str).collect();
    let misfits = resources::faults(&plan, &rest.resources, &fixed).into_iter();
    let mut faults: Vec<_> = misfits
        .map(|misfit| {
            let field = format!("/soap/rest/resources/{}{}", misfit.resource, misfit.field);
            Fault::new(field, "resource.contract", misfit.sentence)
        })
        .collect();
    for name in rest.answers.fault_statuses.keys() {
        let mut declared = plan.operations.iter().flat_map(|it| &it.faults);
        if !declared.any(|declared| *declared.name == **name) {
            let field = format!("/soap/rest/answers/fault_statuses/{}", pointer_token(name));
            let detail = format!("the contract declares no fault {name:?}");
            faults.push(Fault::new(field, "soap.fault_status", detail));
        }
    }
    header_faults(&plan, rest, &mut faults);
    faults
}

/// Reports configured header blocks that no operation has or that do not fit their types, and
/// faults that prevent loading the plan itself. The other direction, from XML to JSON, loads any
/// plan.
fn header_faults(plan: &ServicePlan, rest: &RestService, faults: &mut Vec<Fault>) {
    let mut fault = |part: &str, detail: String| {
        let field = format!("/soap/rest/back_end/headers/{}", pointer_token(part));
        faults.push(Fault::new(field, "soap.header", detail));
    };
    let mut settings = Settings::default();
    for (part, value) in &rest.back_end.headers {
        let mut known = plan.operations.iter().flat_map(|it| &it.request.headers);
        if known.any(|header| *header.part == **part) {
            let json = value.to_string().into();
            settings.headers.push((part.as_str().into(), json));
        } else {
            fault(part, format!("no operation has a header {part:?}"));
        }
    }
    // Loading reports one header at a time, so it is repeated without that one.
    loop {
        match Program::load(plan, &settings) {
            Ok(_) => return,
            Err(LoadError::Header { part, reason }) => {
                fault(&part, format!("it does not fit its type: {reason}"));
                settings.headers.retain(|(it, _)| *it != part);
            }
            Err(error) => return faults.push(contract(Chain(&error).to_string())),
        }
    }
}

fn contract(detail: String) -> Fault {
    Fault::new("/soap/contract", "soap.contract", detail)
}

/// Fields of a document that do not come from the contract.
#[derive(Debug)]
pub(crate) struct Title {
    /// The API's name.
    pub(crate) api: String,
    /// The version's name.
    pub(crate) version: String,
    /// The address for callers.
    pub(crate) server: String,
    /// How callers authenticate.
    pub(crate) security: Security,
}

/// Returns the OpenAPI 3.1 document of the enabled resources. Equal inputs give equal bytes.
///
/// # Errors
/// Fails if the plan is of another release, or the document would be too large.
pub(crate) fn document(made: &Made, rest: &RestService, title: &Title) -> Result<String, String> {
    let plan = ServicePlan::from_bytes(&made.contract.plan).map_err(|error| error.to_string())?;
    let fixed: Vec<_> = rest.back_end.headers.keys().map(String::as_str).collect();
    let statuses = rest.answers.fault_statuses.iter();
    let statuses: Vec<_> = statuses
        .map(|(name, &it)| (name.as_str().into(), it))
        .collect();
    let info = Info {
        title: &title.api,
        version: &title.version,
        server: Some(&title.server),
        security: Some(&title.security),
        fixed: &fixed,
        fault_statuses: &statuses,
        strings: Strings {
            longs: rest.answers.longs_as_strings,
            decimals: rest.answers.decimals_as_strings,
        },
    };
    let document = openapi::document(&plan, &rest.resources, &made.documentation, &info);
    let document = document.map_err(|error| error.to_string())?;
    let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}

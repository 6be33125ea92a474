//! Collects, parses and compiles the contract of a request.

use axum::extract::Request;
use tollgate_model::api::Kind;
use tollgate_model::upstream::Upstream;
use tollgate_soap::compile::{Choice, CompileError, Compiled, compile};
use tollgate_soap::import::Imported;
use tollgate_store::contracts::NewContract;

use super::gather::{Gathered, gather};
use super::service::Style;
use crate::error::Problem;
use crate::fetching::DocumentFetcher;
use crate::importing::{Admission, Reservation};

/// Rejects a style for kinds of APIs without proposed resources.
pub(crate) fn check_style(kind: Kind, style: Option<Style>) -> Result<(), Problem> {
    if style.is_none() || kind == Kind::SoapToRest {
        return Ok(());
    }
    let detail = "style applies only to APIs of kind soap_to_rest";
    Err(Problem::at("", "wsdl.style", detail))
}

/// A parsed and compiled contract.
pub(crate) struct Read {
    pub(crate) gathered: Gathered,
    pub(crate) imported: Imported,
    pub(crate) compiled: Compiled,
    /// The documents to store.
    pub(crate) contract: NewContract,
}

/// Reads the contract of a request, and compiles one of its ports: the second choice if it does not
/// have the first. Also returns the memory that it takes.
pub(crate) async fn read(
    fetcher: &DocumentFetcher,
    admission: &mut Admission<'_>,
    request: Request,
    main: Option<String>,
    choices: [Choice; 2],
) -> Result<(Read, Reservation), Problem> {
    let gathered = gather(fetcher, admission, request, main).await?;
    let reservation = admission.reserve(gathered.memory(0)).await?;
    let reading = admission.run(reservation, move || {
        let (imported, compiled) = read_set(&gathered, &choices)?;
        let contract = gathered.contract();
        Ok::<_, Problem>(Read {
            gathered,
            imported,
            compiled,
            contract,
        })
    });
    let (read, reservation) = reading.await?;
    Ok((read?, reservation))
}

fn read_set(
    gathered: &Gathered,
    [first, second]: &[Choice; 2],
) -> Result<(Imported, Compiled), Problem> {
    let imported = tollgate_soap::import::read(&gathered.set, &gathered.main);
    let imported = imported.map_err(|error| Problem::at("", error.code(), error.to_string()))?;
    let compiled = compile(&imported, first).or_else(|_| compile(&imported, second));
    let compiled = compiled.map_err(|error| {
        let is_of_port = matches!(
            error,
            CompileError::NoPort(_)
                | CompileError::UnknownService(..)
                | CompileError::UnknownPort(..)
        );
        let reasons = if is_of_port {
            gathered.reasons()
        } else {
            String::new()
        };
        let detail = format!("{error}{reasons}");
        Problem::at("", error.code(), detail)
    })?;
    Ok((imported, compiled))
}

/// Returns the address of the port, if it can be an upstream.
pub(crate) fn upstream(compiled: &Compiled) -> Option<String> {
    let address = compiled.address.clone()?;
    let fault = upstream_fault(&address);
    fault.is_none().then_some(address)
}

/// Returns why an address cannot be the upstream of a SOAP service.
pub(crate) fn upstream_fault(address: &str) -> Option<String> {
    let faults = Upstream::at(address).faults(Kind::Soap);
    faults.into_iter().next().map(|fault| fault.detail)
}

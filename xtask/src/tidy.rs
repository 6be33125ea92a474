//! `cargo xtask tidy`: every check over the whole tree, one line for each fault.

use std::io::{Write, stdout};

use anyhow::{Result, bail};

use crate::fault::Fault;
use crate::layers::LayerTable;
use crate::ratchet::Ratchet;
use crate::survey::Survey;
use crate::tree::{TextFile, Tree, root};
use crate::{
    circles, dependencies, form, generated, layers, links, modules, names, order, portal, sizes,
    slow, words,
};

/// Fails if any check found a fault.
pub(crate) fn run() -> Result<()> {
    let tree = Tree::read(&root())?;
    let packages = layers::workspace_packages(&root())?;
    let (surveys, mut faults) = Survey::of_tree(&tree);

    faults.extend(layers::check(
        &LayerTable::of_this_repository()?,
        &packages,
        &surveys,
    ));
    faults.extend(Ratchet::of_this_repository()?.check(&sizes::measures(&tree, &surveys)));
    faults.extend(circles::check(
        &circles::Excused::of_this_repository()?,
        &packages,
        &surveys,
    ));
    faults.extend(dependencies::check(
        &dependencies::Excused::of_this_repository()?,
        &packages,
        &surveys,
    ));
    faults.extend(modules::check(&tree, &packages, &surveys));
    faults.extend(names::check(&tree, &surveys));
    faults.extend(form::check(&tree));
    faults.extend(links::check(&tree));
    faults.extend(order::check(&tree)?);
    faults.extend(portal::check(&tree));
    faults.extend(words::check(&words::Rates::of_this_repository()?, &tree));
    faults.extend(slow::check(&tree, &packages, &surveys));
    let program = generated::Program::build()?;
    faults.extend(generated::check(&tree, &generated::table()?, |command| {
        program.print(command)
    }));
    rates(&tree, &surveys)?;
    report(&mut faults)
}

/// Prints how often code outside of tests has forms that read badly when they are frequent.
fn rates(tree: &Tree, surveys: &[Survey]) -> Result<()> {
    let is_test = |survey: &&Survey| tree.file(&survey.path).is_none_or(TextFile::is_test);
    let surveys = surveys.iter().filter(|survey| !is_test(survey));
    let functions = surveys.clone().flat_map(|survey| &survey.functions);
    let functions = functions.filter(|function| !function.is_test);
    let tuples = functions.clone().map(|function| function.tuples).sum();
    let renewals = surveys.clone().map(|survey| survey.renewals).sum();
    let lets = surveys.map(|survey| survey.lets).sum();
    writeln!(
        stdout(),
        "tidy: {} tuples as parameters per 1,000 functions, {} of `let x = x…` per 1,000 `let`",
        words::per_thousand(tuples, functions.count()),
        words::per_thousand(renewals, lets)
    )?;
    Ok(())
}

fn report(faults: &mut Vec<Fault>) -> Result<()> {
    faults.sort();
    faults.dedup();
    let mut out = stdout().lock();
    for fault in faults.iter() {
        writeln!(out, "{fault}")?;
    }
    match faults.len() {
        0 => writeln!(out, "tidy: no faults")?,
        count => bail!("tidy: {count} faults"),
    }
    Ok(())
}

//! `cargo xtask tidy`: every check over the whole tree, one line for each fault.

use std::io::{Write, stdout};

use anyhow::{Result, bail};

use crate::fault::Fault;
use crate::layers::LayerTable;
use crate::ratchet::Ratchet;
use crate::survey::Survey;
use crate::tree::{Tree, root};
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
    report(&mut faults)
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

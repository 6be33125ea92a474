//! The queue of types that remain to be compiled.

use super::compiler::{Compiler, Job};
use super::{CompileError, built_in, written};
use crate::import::schema::Element;
use crate::plan::{self, TypeId};

impl<'a> Compiler<'a> {
    /// Compiles the queue until it is empty.
    pub(super) fn drain(&mut self) -> Result<(), CompileError> {
        while let Some((id, job)) = self.queue.pop_front() {
            let ty = match job {
                Job::BuiltIn(simple) => plan::Type::Simple(simple),
                Job::Simple(simple) => {
                    self.document_type(id, simple.documentation.as_deref());
                    plan::Type::Simple(self.simple(simple, 0)?)
                }
                Job::Complex(complex, named) => {
                    self.document_type(id, complex.documentation.as_deref());
                    plan::Type::Complex(self.complex(id, complex, &named)?)
                }
                Job::Unknown(name) => {
                    self.faults
                        .insert(id, format!("the type `{name}` is not defined").into());
                    plan::Type::Simple(built_in::text())
                }
            };
            if let Some(place) = self.types.get_mut(id.0 as usize) {
                *place = ty;
            }
            if let Some(why) = self.trouble.take() {
                self.faults.entry(id).or_insert(why);
            }
        }
        Ok(())
    }

    fn document_type(&mut self, id: TypeId, text: Option<&str>) {
        if let Some(text) = text {
            self.documented_types.insert(id, text.into());
        }
    }

    /// Returns all global elements that are understood, if there is a wildcard that may hold them.
    pub(super) fn globals(&mut self) -> Result<Vec<plan::Element>, CompileError> {
        let mut globals = Vec::new();
        let elements = self.schema.elements.iter().map(|(_, element)| element);
        let own = elements.filter(|element| {
            !element.is_abstract && !self.imported.sources.is_built_in(element.place)
        });
        let own: Vec<&'a Element> = own.collect();
        if self.has_wildcard {
            for element in own {
                let global = self.element(element)?;
                if self.trouble.take().is_none() {
                    globals.push(global);
                }
            }
            self.drain()?;
        }
        self.check_names();
        let is_understood = |global: &plan::Element| {
            written::wrong(&global.name).is_none() && self.faulty([global.ty]).is_none()
        };
        globals.retain(is_understood);
        globals.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(globals)
    }
}

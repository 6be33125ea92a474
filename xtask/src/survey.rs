//! What the checks want to know of a Rust file, read with `syn` in one pass.
//!
//! `sizes`, `modules`, `circles`, `names`, `layers` and `dependencies` ask; nobody else parses
//! Rust. Code that a macro makes is not seen; what is written inside a macro's call or an attribute
//! is searched for paths only.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::fault::Fault;
use crate::tree::{TextFile, Tree};

#[cfg(test)]
mod tests;

/// One Rust file.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) path: String,
    pub(crate) functions: Vec<Function>,
    /// Structs, enums, traits and aliases: name and line.
    pub(crate) types: Vec<(String, usize)>,
    /// Lines of `#[cfg(test)]` modules written inside the file.
    pub(crate) test_lines: usize,
    /// Lines of `#[ignore]` without a reason.
    pub(crate) bare_ignores: Vec<usize>,
    /// Every path outside of tests as it is written (`std::fs::read`), with its line.
    pub(crate) paths: Vec<(String, usize)>,
    /// What paths of several names and `use … as …` begin with; among it are the crates.
    pub(crate) first_names: BTreeSet<String>,
    /// The same, inside of tests.
    pub(crate) first_names_in_tests: BTreeSet<String>,
}

/// A function or method with a body, or a trait's method without.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// With what it stands in: `Type::method`, `outer::inner`.
    pub(crate) name: String,
    pub(crate) line: usize,
    /// From the signature to the closing brace; attributes and comments before it do not count.
    pub(crate) lines: usize,
    /// Without the receiver.
    pub(crate) parameters: usize,
    /// Inside a `#[cfg(test)]` module, or itself a test.
    pub(crate) is_test: bool,
    /// In `impl Trait for Type`: the name was chosen elsewhere.
    pub(crate) is_of_trait: bool,
}

impl Survey {
    /// Every Rust file of the tree; one that does not parse is a fault.
    pub(crate) fn of_tree(tree: &Tree) -> (Vec<Self>, Vec<Fault>) {
        let (mut surveys, mut faults) = (Vec::new(), Vec::new());
        for file in tree.rust_files() {
            match Self::of(file) {
                Ok(survey) => surveys.push(survey),
                Err(error) => {
                    let line = error.span().start().line;
                    faults.push(Fault::of_line(
                        &file.path,
                        line,
                        format!("no Rust: {error}"),
                    ));
                }
            }
        }
        (surveys, faults)
    }

    pub(crate) fn of(file: &TextFile) -> syn::Result<Self> {
        let parsed = syn::parse_file(&file.text)?;
        let survey = Self {
            path: file.path.clone(),
            ..Self::default()
        };
        let mut reader = Reader {
            survey,
            scope: Vec::new(),
            in_test: 0,
            in_trait_impl: false,
        };
        reader.visit_file(&parsed);
        Ok(reader.survey)
    }
}

struct Reader {
    survey: Survey,
    scope: Vec<String>,
    /// How many test modules and test functions we stand in.
    in_test: usize,
    in_trait_impl: bool,
}

impl Reader {
    fn within(&mut self, name: String, is_test: bool, go_on: impl FnOnce(&mut Self)) {
        self.scope.push(name);
        self.in_test += usize::from(is_test);
        go_on(self);
        self.in_test -= usize::from(is_test);
        self.scope.pop();
    }

    fn function(&mut self, signature: &syn::Signature, end: Span, is_test: bool) {
        let line = signature.span().start().line;
        let name = signature.ident.to_string();
        let typed = |input: &&syn::FnArg| matches!(input, syn::FnArg::Typed(_));
        self.survey.functions.push(Function {
            name: self
                .scope
                .iter()
                .chain([&name])
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("::"),
            line,
            lines: end.end().line + 1 - line,
            parameters: signature.inputs.iter().filter(typed).count(),
            is_test: is_test || self.in_test > 0,
            is_of_trait: self.in_trait_impl,
        });
    }

    fn path(&mut self, path: String, span: Span) {
        if let Some((first, _)) = path.split_once("::") {
            self.first_name(first);
        }
        if self.in_test == 0 {
            self.survey.paths.push((path, span.start().line));
        }
    }

    fn first_name(&mut self, name: &str) {
        let names = match self.in_test {
            0 => &mut self.survey.first_names,
            _ => &mut self.survey.first_names_in_tests,
        };
        names.insert(name.to_owned());
    }

    /// `use a::{b, c::d}` is noted as `a::b` and `a::c::d`.
    fn use_tree(&mut self, prefix: &str, tree: &syn::UseTree) {
        let join = |name: &str| match prefix {
            "" => name.to_owned(),
            _ => format!("{prefix}::{name}"),
        };
        match tree {
            syn::UseTree::Path(path) => self.use_tree(&join(&path.ident.to_string()), &path.tree),
            syn::UseTree::Name(name) => self.path(join(&name.ident.to_string()), name.span()),
            syn::UseTree::Rename(name) => {
                // The name of a crate, in `use a as b`.
                if prefix.is_empty() {
                    self.first_name(&name.ident.to_string());
                }
                self.path(join(&name.ident.to_string()), name.span());
            }
            syn::UseTree::Glob(glob) => self.path(prefix.to_owned(), glob.span()),
            syn::UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|item| self.use_tree(prefix, item));
            }
        }
    }

    /// Finds `a::b::c` in tokens that nobody parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Option<(String, Span)> = None;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => match &mut path {
                    Some((text, _)) if colons == 2 => text.push_str(&format!("::{ident}")),
                    _ => {
                        self.end_of_path(path.take());
                        path = Some((ident.to_string(), ident.span()));
                    }
                },
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => self.end_of_path(path.take()),
            }
            colons = 0;
        }
        self.end_of_path(path);
    }

    fn end_of_path(&mut self, path: Option<(String, Span)>) {
        if let Some((text, span)) = path {
            self.path(text, span);
        }
    }
}

fn has_word(attributes: &[syn::Attribute], list: &str, word: &str) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(meta) => meta.path.is_ident(list) && meta.tokens.to_string() == word,
        _ => false,
    })
}

fn is_test_function(attributes: &[syn::Attribute]) -> bool {
    let last = |a: &syn::Attribute| a.path().segments.last().is_some_and(|s| s.ident == "test");
    attributes.iter().any(last) || has_word(attributes, "cfg", "test")
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = has_word(&item.attrs, "cfg", "test");
        if is_test && item.content.is_some() && self.in_test == 0 {
            let span = item.span();
            self.survey.test_lines += span.end().line + 1 - span.start().line;
        }
        self.within(item.ident.to_string(), is_test, |reader| {
            visit::visit_item_mod(reader, item);
        });
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let name = match &*item.self_ty {
            syn::Type::Path(of) => of.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        let is_test = has_word(&item.attrs, "cfg", "test");
        let outside = std::mem::replace(&mut self.in_trait_impl, item.trait_.is_some());
        self.within(name.unwrap_or_else(|| "_".to_owned()), is_test, |reader| {
            visit::visit_item_impl(reader, item);
        });
        self.in_trait_impl = outside;
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.survey
            .types
            .push((item.ident.to_string(), item.ident.span().start().line));
        self.within(item.ident.to_string(), false, |reader| {
            visit::visit_item_trait(reader, item);
        });
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let is_test = is_test_function(&item.attrs);
        let outside = std::mem::replace(&mut self.in_trait_impl, false);
        self.function(&item.sig, item.block.span(), is_test);
        self.within(item.sig.ident.to_string(), is_test, |reader| {
            visit::visit_item_fn(reader, item);
        });
        self.in_trait_impl = outside;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let is_test = is_test_function(&item.attrs);
        self.function(&item.sig, item.block.span(), is_test);
        self.within(item.sig.ident.to_string(), is_test, |reader| {
            visit::visit_impl_item_fn(reader, item);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.function(&item.sig, item.span(), false);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.survey
            .types
            .push((item.ident.to_string(), item.ident.span().start().line));
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.survey
            .types
            .push((item.ident.to_string(), item.ident.span().start().line));
        visit::visit_item_enum(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.survey
            .types
            .push((item.ident.to_string(), item.ident.span().start().line));
        visit::visit_item_type(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_test = has_word(&item.attrs, "cfg", "test");
        self.within(String::new(), is_test, |reader| {
            reader.use_tree("", &item.tree);
        });
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<_> = path
            .segments
            .iter()
            .map(|part| part.ident.to_string())
            .collect();
        self.path(segments.join("::"), path.span());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if matches!(&attribute.meta, syn::Meta::Path(path) if path.is_ident("ignore")) {
            self.survey.bare_ignores.push(attribute.span().start().line);
        }
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
        visit::visit_attribute(self, attribute);
    }
}

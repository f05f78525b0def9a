//! The Rust names of declarations, and paths to them from each module.

use super::cycles::Cycles;
use super::externs::Externs;
use super::names;
use super::options::Options;
use super::properties::TypeProperties;
use super::queries;
use super::unsupported::Omitted;
use crate::model::{DeclId, DeclKind, Declaration, Model};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::HashSet;

/// The analysis of a model, which precedes code generation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Analysis<'m> {
    /// The model with the names of IDL.
    pub(super) idl: &'m Model,
    pub(super) properties: &'m TypeProperties,
    pub(super) cycles: &'m Cycles,
    pub(super) omitted: &'m Omitted,
    pub(super) externs: &'m Externs,
    /// The names of all methods.
    pub(super) methods: &'m HashSet<String>,
}

/// The model in the scope of one generated module.
#[derive(Debug, Clone)]
pub(super) struct Scope<'m> {
    /// The model with the names from which Rust names are derived.
    pub(super) model: &'m Model,
    /// The same model with the names of IDL, which are used on the wire.
    pub(super) idl: &'m Model,
    pub(super) options: &'m Options,
    pub(super) properties: &'m TypeProperties,
    pub(super) cycles: &'m Cycles,
    pub(super) omitted: &'m Omitted,
    externs: &'m Externs,
    methods: &'m HashSet<String>,
    /// The modules from the root of the generated file down to this one.
    modules: Vec<String>,
}

impl<'m> Scope<'m> {
    /// The root of the generated file.
    pub(super) fn root(model: &'m Model, options: &'m Options, analysis: Analysis<'m>) -> Self {
        let Analysis { idl, properties, cycles, omitted, externs, methods } = analysis;
        let modules = Vec::new();
        Scope { model, idl, options, properties, cycles, omitted, externs, methods, modules }
    }

    /// Whether code is generated for a declaration: it is supported and not external.
    pub(super) fn makes(&self, id: DeclId) -> bool {
        !self.omitted.contains(id) && !self.externs.contains(id)
    }

    /// The module `name` within this one.
    pub(super) fn child(&self, name: &str) -> Self {
        let mut modules = self.modules.clone();
        modules.push(name.to_owned());
        Scope { modules, ..*self }
    }

    /// The path to the type, trait or constant of a declaration.
    pub(super) fn path(&self, id: DeclId) -> TokenStream {
        self.path_to(id, &name(self.model.get(id)))
    }

    /// The path to the reference type of an interface.
    pub(super) fn reference(&self, id: DeclId) -> TokenStream {
        self.path_to(id, &reference_name(self.model.get(id)))
    }

    /// The path to the trait of an interface's servants that reply later.
    pub(super) fn amh(&self, id: DeclId) -> TokenStream {
        self.path_to(id, &amh_name(self.model.get(id)))
    }

    /// The path to the trait of a valuetype's operations.
    pub(super) fn operations(&self, id: DeclId) -> TokenStream {
        self.path_to(id, &operations_name(self.model.get(id)))
    }

    /// The path to the module of an interface.
    pub(super) fn companion(&self, id: DeclId) -> TokenStream {
        self.path_to(id, &names::module(&self.model.get(id).name))
    }

    /// The name of a method derived from an operation. No operation of the IDL has that name.
    pub(super) fn derived_method(&self, stem: &str, ending: &str) -> String {
        let mut name = names::method(&format!("{stem}_{ending}"));
        while self.methods.contains(&name) {
            name.push('_');
        }
        name
    }

    /// A name for a generic parameter that hides no type of the model.
    pub(super) fn unused_type_name(&self, wanted: &str) -> Ident {
        let taken = |name: &str| self.model.iter().any(|(_, d)| names::camel(&d.name) == name);
        let mut name = wanted.to_owned();
        while taken(&name) {
            name.push('_');
        }
        names::ident(&name)
    }

    /// The path to `name`, which is in the module of the declaration `id`.
    fn path_to(&self, id: DeclId, name: &str) -> TokenStream {
        if let Some(modules) = self.externs.path_of(id) {
            let name = names::ident(name);
            return quote!(#modules::#name);
        }
        let modules = queries::enclosing_modules(self.model, id);
        let common = self.modules.iter().zip(&modules).take_while(|(a, b)| a == b).count();
        let up = self.modules[common..].iter().map(|_| quote!(super));
        let down = modules[common..].iter().map(|module| {
            let module = names::ident(module);
            quote!(#module)
        });
        let name = names::ident(name);
        let segments = up.chain(down).chain([quote!(#name)]);
        quote!(#(#segments)::*)
    }
}

/// The Rust name of a declaration.
pub(super) fn name(declaration: &Declaration) -> String {
    match declaration.kind {
        DeclKind::Module(_) => names::module(&declaration.name),
        DeclKind::Const(_) => names::upper(&declaration.name),
        _ => names::camel(&declaration.name),
    }
}

/// The name of the reference type of an interface.
pub(super) fn reference_name(interface: &Declaration) -> String {
    names::camel(&format!("{}_ref", interface.name))
}

/// The name of the trait of an interface's servants that reply later.
pub(super) fn amh_name(interface: &Declaration) -> String {
    names::camel(&format!("amh_{}", interface.name))
}

/// The name of the trait of a valuetype's operations.
pub(super) fn operations_name(value: &Declaration) -> String {
    names::camel(&format!("{}_operations", value.name))
}

/// The name of the trait of the initializers of a valuetype.
pub(super) fn factory_name(value: &Declaration) -> String {
    names::camel(&format!("{}_factory", value.name))
}

//! Operations and attribute accessors in one form, and the Rust signature they all get.

use super::lints;
use super::names;
use super::scope::Scope;
use super::types;
use crate::model::{Attribute, DeclId, Direction, Export, Interface, Operation, Type};
use crate::source::Span;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Something that can be called: an operation, or one of the two accessors of an attribute.
#[derive(Debug, Clone)]
pub(super) struct Callable<'m> {
    /// The name in a request: `withdraw`, `_get_balance`.
    pub(super) wire_name: String,
    /// The name of the method.
    pub(super) method: String,
    /// The name in IDL.
    pub(super) idl_name: &'m str,
    /// Where that stands.
    pub(super) span: Span,
    pub(super) docs: &'m [String],
    pub(super) oneway: bool,
    pub(super) result: Option<&'m Type>,
    pub(super) parameters: Vec<Parameter<'m>>,
    pub(super) raises: &'m [DeclId],
    /// Whether a list of context strings comes behind the arguments.
    pub(super) has_context: bool,
}

/// A parameter of a [`Callable`].
#[derive(Debug, Clone)]
pub(super) struct Parameter<'m> {
    /// The name in Rust.
    pub(super) name: String,
    /// The name in IDL.
    pub(super) idl_name: &'m str,
    pub(super) direction: Direction,
    pub(super) ty: &'m Type,
    pub(super) span: Span,
}

/// Everything that can be called on an interface itself, inherited things not included.
pub(super) fn callables(interface: &Interface) -> Vec<Callable<'_>> {
    let mut callables = Vec::new();
    for export in &interface.exports {
        match export {
            Export::Operation(operation) => callables.push(Callable::operation(operation)),
            Export::Attribute(attribute) => {
                callables.push(Callable::getter(attribute));
                if !attribute.readonly {
                    callables.push(Callable::setter(attribute));
                }
            }
        }
    }
    callables
}

impl<'m> Callable<'m> {
    fn operation(operation: &'m Operation) -> Self {
        let parameters = operation.parameters.iter().map(|parameter| Parameter {
            name: names::snake(&parameter.name),
            idl_name: &parameter.name,
            direction: parameter.direction,
            ty: &parameter.ty,
            span: parameter.span,
        });
        Callable {
            wire_name: operation.name.clone(),
            method: names::method(&operation.name),
            idl_name: &operation.name,
            span: operation.span,
            docs: &operation.docs,
            oneway: operation.oneway,
            result: operation.result.as_ref(),
            parameters: parameters.collect(),
            raises: &operation.raises,
            has_context: !operation.context.is_empty(),
        }
    }

    fn getter(attribute: &'m Attribute) -> Self {
        Callable {
            wire_name: format!("_get_{}", attribute.name),
            method: names::method(&attribute.name),
            idl_name: &attribute.name,
            span: attribute.span,
            docs: &attribute.docs,
            oneway: false,
            result: Some(&attribute.ty),
            parameters: Vec::new(),
            raises: &attribute.get_raises,
            has_context: false,
        }
    }

    fn setter(attribute: &'m Attribute) -> Self {
        let value = Parameter {
            name: "value".to_owned(),
            idl_name: &attribute.name,
            direction: Direction::In,
            ty: &attribute.ty,
            span: attribute.span,
        };
        Callable {
            wire_name: format!("_set_{}", attribute.name),
            method: names::method(&format!("set_{}", attribute.name)),
            result: None,
            parameters: vec![value],
            raises: &attribute.set_raises,
            docs: &[],
            ..Callable::getter(attribute)
        }
    }

    /// The name of the enum of the exceptions that it may raise.
    pub(super) fn raises_name(&self) -> Option<String> {
        let accessor = match self.wire_name.get(..5) {
            Some("_get_") => "_get",
            Some("_set_") => "_set",
            _ => "",
        };
        let raises = names::camel(&format!("{}{accessor}_raises", self.idl_name));
        (!self.raises.is_empty()).then_some(raises)
    }

    /// The parameters that travel to the server.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &Parameter<'m>> {
        self.parameters.iter().filter(|parameter| parameter.direction != Direction::Out)
    }

    /// The parameters that travel back.
    pub(super) fn results(&self) -> impl Iterator<Item = &Parameter<'m>> {
        self.parameters.iter().filter(|parameter| parameter.direction != Direction::In)
    }

    /// The parameters that travel both ways.
    pub(super) fn inouts(&self) -> impl Iterator<Item = &Parameter<'m>> {
        self.parameters.iter().filter(|parameter| parameter.direction == Direction::InOut)
    }

    /// The types of what the method returns: the result, then the `out` parameters.
    pub(super) fn returned(&self) -> impl Iterator<Item = &'m Type> {
        let outs = self.parameters.iter().filter(|p| p.direction == Direction::Out);
        self.result.into_iter().chain(outs.map(|parameter| parameter.ty))
    }

    /// A name for something local that no parameter has.
    pub(super) fn local(&self, wanted: &str) -> Ident {
        let taken: Vec<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
        names::ident(&names::fresh(wanted, &taken))
    }

    /// The head of the method as seen from the module of its interface.
    pub(super) fn signature(&self, scope: &Scope<'_>, companion: &Ident) -> TokenStream {
        let method = names::ident(&self.method);
        let parameters = self.arguments().map(|parameter| {
            let name = names::ident(&parameter.name);
            let ty = match parameter.direction {
                Direction::InOut => {
                    let ty = types::owned(scope, parameter.ty);
                    quote!(&mut #ty)
                }
                _ => types::parameter(scope, parameter.ty),
            };
            quote!(#name: #ty)
        });
        let parameters: Vec<TokenStream> = parameters.collect();
        let returned: Vec<TokenStream> =
            self.returned().map(|ty| types::owned(scope, ty)).collect();
        let value = tuple(&returned);
        let error = match self.raises_name() {
            None => quote!(rt::SystemException),
            Some(raises) => {
                let raises = names::ident(&raises);
                quote!(rt::Error<#companion::#raises>)
            }
        };
        quote!(fn #method(&self #(, #parameters)*) -> Result<#value, #error>)
    }

    /// What is said of it where the IDL says nothing.
    pub(super) fn default_docs(&self) -> String {
        let name = self.idl_name;
        match self.wire_name.get(..5) {
            Some("_get_") => format!("Reads the attribute `{name}`."),
            Some("_set_") => {
                format!("Sets the attribute [`{name}`](Self::{}).", names::method(name))
            }
            _ => format!("IDL operation `{name}`."),
        }
    }

    /// What clippy would say about the method in a trait and cannot be helped.
    pub(super) fn lints(&self, scope: &Scope<'_>) -> TokenStream {
        lints::allow(&lints::method(scope.facts, self))
    }
}

/// No value, the value, or a tuple of values; also good for patterns and types.
pub(super) fn tuple(parts: &[TokenStream]) -> TokenStream {
    match parts {
        [one] => one.clone(),
        parts => quote!((#(#parts),*)),
    }
}

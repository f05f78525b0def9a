//! Callables: operations and attribute accessors in one form, and their Rust signatures.

use super::names;
use super::scope::Scope;
use super::types;
use crate::model::{
    self, Attribute, DeclId, DeclKind, Direction, Export, Initializer, Model, Operation, Type,
};
use crate::source::Span;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::HashSet;

/// An operation, an accessor of an attribute, or an initializer.
#[derive(Debug, Clone)]
pub(super) struct Callable<'m> {
    /// The name in a request: `withdraw`, `_get_balance`.
    pub(super) wire_name: String,
    /// The name of the method.
    pub(super) method: String,
    /// The name from which other methods are derived: `withdraw`, `set_balance`.
    pub(super) stem: String,
    /// The name from which Rust names are derived, and the name in IDL.
    pub(super) name: &'m str,
    pub(super) idl_name: &'m str,
    /// The span of that name.
    pub(super) span: Span,
    pub(super) docs: &'m [String],
    pub(super) oneway: bool,
    pub(super) result: Option<&'m Type>,
    pub(super) parameters: Vec<Parameter<'m>>,
    pub(super) raises: &'m [DeclId],
    /// The names of its `context` clause; if there are any, the last argument is a context, whose
    /// properties of these names are sent after the other arguments.
    pub(super) contexts: &'m [String],
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

/// The callables of an interface or a valuetype, without inherited ones.
pub(super) fn callables<'m>(scope: &Scope<'m>, id: DeclId) -> Vec<Callable<'m>> {
    let exports = exports(scope.model, id).iter().zip(exports(scope.idl, id));
    let made = exports.filter(|(_, idl)| !scope.omitted.contains_export(id, name(idl)));
    made.flat_map(|(export, idl)| of_export(export, name(idl))).collect()
}

fn name(export: &Export) -> &str {
    match export {
        Export::Operation(operation) => &operation.name,
        Export::Attribute(attribute) => &attribute.name,
    }
}

fn exports(model: &Model, id: DeclId) -> &[Export] {
    match &model.get(id).kind {
        DeclKind::Interface(data) => &data.exports,
        DeclKind::Value(data) => &data.exports,
        _ => &[],
    }
}

/// The callables of an operation or an attribute with the name `idl` in IDL.
fn of_export<'m>(export: &'m Export, idl: &'m str) -> Vec<Callable<'m>> {
    match export {
        Export::Operation(operation) => vec![Callable::operation(operation, idl)],
        Export::Attribute(attribute) if attribute.readonly => {
            vec![Callable::getter(attribute, idl)]
        }
        Export::Attribute(attribute) => {
            vec![Callable::getter(attribute, idl), Callable::setter(attribute, idl)]
        }
    }
}

fn parameters(parameters: &[model::Parameter]) -> Vec<Parameter<'_>> {
    let parameters = parameters.iter().map(|parameter| Parameter {
        name: names::snake(&parameter.name),
        idl_name: &parameter.name,
        direction: parameter.direction,
        ty: &parameter.ty,
        span: parameter.span,
    });
    parameters.collect()
}

/// The names of all methods that a model declares.
pub(super) fn all_methods(model: &Model) -> HashSet<String> {
    let interfaces = model.iter().filter_map(|(_, declaration)| match &declaration.kind {
        DeclKind::Interface(data) => Some(data),
        _ => None,
    });
    let exports = interfaces.flat_map(|interface| &interface.exports);
    exports
        .flat_map(|export| of_export(export, name(export)))
        .map(|callable| callable.method)
        .collect()
}

impl<'m> Callable<'m> {
    fn operation(operation: &'m Operation, idl_name: &'m str) -> Self {
        Callable {
            wire_name: idl_name.to_owned(),
            method: names::method(&operation.name),
            stem: operation.name.clone(),
            name: &operation.name,
            idl_name,
            span: operation.span,
            docs: &operation.docs,
            oneway: operation.oneway,
            result: operation.result.as_ref(),
            parameters: parameters(&operation.parameters),
            raises: &operation.raises,
            contexts: &operation.context,
        }
    }

    /// The initializer of a valuetype with the name `idl_name` in IDL, which is only called locally.
    pub(super) fn initializer(initializer: &'m Initializer, idl_name: &'m str) -> Self {
        Callable {
            wire_name: idl_name.to_owned(),
            method: names::method(&initializer.name),
            stem: initializer.name.clone(),
            name: &initializer.name,
            idl_name,
            span: initializer.span,
            docs: &initializer.docs,
            oneway: false,
            result: None,
            parameters: parameters(&initializer.parameters),
            raises: &initializer.raises,
            contexts: &[],
        }
    }

    fn getter(attribute: &'m Attribute, idl_name: &'m str) -> Self {
        Callable {
            wire_name: format!("_get_{idl_name}"),
            method: names::method(&attribute.name),
            stem: attribute.name.clone(),
            name: &attribute.name,
            idl_name,
            span: attribute.span,
            docs: &attribute.docs,
            oneway: false,
            result: Some(&attribute.ty),
            parameters: Vec::new(),
            raises: &attribute.get_raises,
            contexts: &[],
        }
    }

    fn setter(attribute: &'m Attribute, idl_name: &'m str) -> Self {
        let value = Parameter {
            name: "value".to_owned(),
            idl_name: &attribute.name,
            direction: Direction::In,
            ty: &attribute.ty,
            span: attribute.span,
        };
        Callable {
            wire_name: format!("_set_{idl_name}"),
            method: names::method(&format!("set_{}", attribute.name)),
            stem: format!("set_{}", attribute.name),
            result: None,
            parameters: vec![value],
            raises: &attribute.set_raises,
            docs: &[],
            ..Callable::getter(attribute, idl_name)
        }
    }

    /// The name of the enum of the exceptions that it may raise.
    pub(super) fn raises_name(&self) -> Option<String> {
        let accessor = match self.wire_name.get(..5) {
            Some("_get_") => "_get",
            Some("_set_") => "_set",
            _ => "",
        };
        let raises = names::camel(&format!("{}{accessor}_raises", self.name));
        (!self.raises.is_empty()).then_some(raises)
    }

    /// The `in` and `inout` parameters.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &Parameter<'m>> {
        self.parameters.iter().filter(|parameter| parameter.direction != Direction::Out)
    }

    /// The `inout` and `out` parameters.
    pub(super) fn results(&self) -> impl Iterator<Item = &Parameter<'m>> {
        self.parameters.iter().filter(|parameter| parameter.direction != Direction::In)
    }

    /// The `inout` parameters.
    pub(super) fn inouts(&self) -> impl Iterator<Item = &Parameter<'m>> {
        self.parameters.iter().filter(|parameter| parameter.direction == Direction::InOut)
    }

    /// The return types of the method: the result, then the `out` parameters.
    pub(super) fn returned(&self) -> impl Iterator<Item = &'m Type> {
        let outs = self.parameters.iter().filter(|p| p.direction == Direction::Out);
        self.result.into_iter().chain(outs.map(|parameter| parameter.ty))
    }

    /// A name for a local variable that no parameter has.
    pub(super) fn local(&self, wanted: &str) -> Ident {
        let taken: Vec<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
        names::ident(&names::fresh(wanted, &taken))
    }

    /// The signature of the method in the module of its interface.
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
        let parameters: Vec<TokenStream> = parameters.chain(self.context_parameter()).collect();
        let returned: Vec<TokenStream> =
            self.returned().map(|ty| types::owned(scope, ty)).collect();
        let value = tuple(&returned);
        let error = self.error(companion).unwrap_or(quote!(codegen::SystemException));
        quote!(fn #method(&self #(, #parameters)*) -> Result<#value, #error>)
    }

    /// The error type, if the operation raises user exceptions.
    pub(super) fn error(&self, companion: &Ident) -> Option<TokenStream> {
        let raises = names::ident(&self.raises_name()?);
        Some(quote!(codegen::Error<#companion::#raises>))
    }

    /// The parameters of asynchronous forms, where `inout` arguments are passed like `in` ones.
    pub(super) fn in_parameters(&self, scope: &Scope<'_>) -> Vec<TokenStream> {
        let parameters = self.arguments().map(|parameter| {
            let name = names::ident(&parameter.name);
            let ty = types::parameter(scope, parameter.ty);
            quote!(#name: #ty)
        });
        parameters.chain(self.context_parameter()).collect()
    }

    /// The parameter for the context, where there is a `context` clause.
    pub(super) fn context(&self) -> Option<Ident> {
        (!self.contexts.is_empty()).then(|| self.local("context"))
    }

    fn context_parameter(&self) -> Option<TokenStream> {
        self.context().map(|context| quote!(#context: &codegen::Context))
    }

    /// The arguments that a stub passes to a collocated servant: its own ones, and the part of the
    /// context that a request would carry.
    pub(super) fn local_arguments(&self) -> Vec<TokenStream> {
        let context = self.context().map(|context| {
            let names = self.contexts;
            quote!(&#context.as_it_travels(&[#(#names),*]))
        });
        let names = self.arguments().map(|parameter| names::ident(&parameter.name));
        names.map(|name| quote!(#name)).chain(context).collect()
    }

    /// The types of the values in a reply: the result, then the parameters.
    pub(super) fn received(&self) -> impl Iterator<Item = &'m Type> {
        self.result.into_iter().chain(self.results().map(|parameter| parameter.ty))
    }

    /// The result types of asynchronous forms, as generic arguments.
    pub(super) fn reply_type(&self, scope: &Scope<'_>, companion: &Ident) -> TokenStream {
        let received: Vec<TokenStream> =
            self.received().map(|ty| types::owned(scope, ty)).collect();
        let value = tuple(&received);
        match self.error(companion) {
            None => quote!(#value),
            Some(error) => quote!(#value, #error),
        }
    }

    /// The call of the blocking method in an asynchronous form: the statements that prepare the
    /// arguments, and an expression of a `Result` with all values of the reply.
    pub(super) fn blocking_call(&self, scope: &Scope<'_>) -> (TokenStream, TokenStream) {
        let method = names::ident(&self.method);
        let changing = self.inouts().map(|parameter| {
            let name = names::ident(&parameter.name);
            let ty = types::owned(scope, parameter.ty);
            match scope.model.resolve(parameter.ty) {
                Type::String(_) | Type::WString(_) | Type::SharedOctets(_) => {
                    quote!(let mut #name: #ty = #name.into();)
                }
                _ if types::is_scalar(scope.model, parameter.ty) => quote!(let mut #name = #name;),
                _ => quote!(let mut #name = #name.to_owned();),
            }
        });
        let changing: TokenStream = changing.collect();
        let passed = self.arguments().map(|parameter| {
            let name = names::ident(&parameter.name);
            let change = (parameter.direction == Direction::InOut).then(|| quote!(&mut));
            quote!(#change #name)
        });
        let passed = passed.chain(self.context().map(|context| quote!(#context)));
        let call = quote!(self.#method(#(#passed),*));
        if changing.is_empty() {
            return (changing, call);
        }
        let named = |parameter: &Parameter<'m>| names::ident(&parameter.name);
        let result: Vec<Ident> = self.result.iter().map(|_| self.local("result")).collect();
        let outs = self.results().filter(|parameter| parameter.direction == Direction::Out);
        let returned = tuple_of(result.iter().cloned().chain(outs.map(named)));
        let received = tuple_of(result.iter().cloned().chain(self.results().map(named)));
        (changing, quote!(#call.map(|#returned| #received)))
    }

    /// Its documentation if the IDL has no comment.
    pub(super) fn default_docs(&self) -> String {
        let name = self.idl_name;
        match self.wire_name.get(..5) {
            Some("_get_") => format!("Reads the attribute `{name}`."),
            Some("_set_") => {
                format!("Sets the attribute [`{name}`](Self::{}).", names::method(self.name))
            }
            _ => format!("IDL operation `{name}`."),
        }
    }
}

fn tuple_of(names: impl Iterator<Item = Ident>) -> TokenStream {
    tuple(&names.map(|name| quote!(#name)).collect::<Vec<_>>())
}

/// No value, the value, or a tuple of values; also for patterns and types.
pub(super) fn tuple(parts: &[TokenStream]) -> TokenStream {
    match parts {
        [one] => one.clone(),
        parts => quote!((#(#parts),*)),
    }
}

//! Valuetypes and boxed values: a Rust struct for the state, and the metadata of the type. The
//! runtime has handles and the marshalling of graphs.

use super::docs::docs;
use super::lints;
use super::marshal::{self, Operand, Step};
use super::module::Module;
use super::names;
use super::properties::Properties;
use super::queries::{self, is_concrete};
use super::scope::{self, Scope};
use super::{type_codes, types};
use crate::model::{DeclId, DeclKind, Declaration, Flavour, Model, Type, Value, ValueModifier};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Emits a valuetype.
pub(super) fn generate(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &Value,
    module: &mut Module,
) {
    let scoped_name = scope.idl.scoped_name(id);
    let docs = docs(&declaration.docs, &format!("IDL valuetype `{scoped_name}`."));
    let name = names::ident(&names::camel(&declaration.name));
    if is_concrete(data) {
        let state = Fields { scope, data, base: queries::concrete_base(scope.model, data) };
        module.push(state.definition(docs, &name));
        if data.modifier == ValueModifier::Custom {
            module.push(custom(&name));
        } else {
            module.push(state.encode(&name));
            module.push(state.decode(&name));
        }
        module.push(valuetype(scope, id, &quote!(#name)));
        module.push(state.state(id, &name));
    } else {
        module.push(quote!(#docs #[derive(Debug)] pub enum #name {}));
        module.push(valuetype(scope, id, &quote!(#name)));
    }
    let bases = ancestors(scope.model, id).into_iter().map(|base| quoted(scope, base));
    for base in bases {
        module.push(quote!(impl codegen::Extends<#base> for #name {}));
    }
    module.push(reference(declaration, &name));
    module.push(type_codes::implementation(scope, id, &name));
}

/// Emits a boxed value.
pub(super) fn generate_box(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    boxed: &Type,
    module: &mut Module,
) {
    let scoped_name = scope.idl.scoped_name(id);
    let docs = docs(&declaration.docs, &format!("IDL boxed value `{scoped_name}`."));
    let name = names::ident(&names::camel(&declaration.name));
    let derives = derives(scope.properties.of_type(boxed));
    let ty = types::owned(scope, boxed);
    let (out, input) = (names::ident("out"), names::ident("input"));
    let steps = marshal::encode(scope, &out, boxed, &Operand::Value(quote!(self.0)));
    let encode = marshal::body(&steps);
    let decode = marshal::decode(scope, &input, boxed);
    module.push(quote!(#docs #[derive(#(#derives),*)] pub struct #name(pub #ty);));
    module.push(quote! {
        impl codegen::Encode for #name {
            fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult { #encode }
        }
    });
    module.push(quote! {
        impl<'a> codegen::Decode<'a> for #name {
            fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> { #decode.map(Self) }
        }
    });
    module.push(valuetype(scope, id, &quote!(#name)));
    module.push(state(&name, false, &[&declaration.repository_id], &[], None));
    module.push(reference(declaration, &name));
    module.push(type_codes::implementation(scope, id, &name));
}

/// The type of members and parameters.
fn reference(declaration: &Declaration, name: &Ident) -> TokenStream {
    let reference = names::ident(&scope::reference_name(declaration));
    let docs = format!(" A value of the type [`{name}`], or null.");
    quote!(#[doc = #docs] pub type #reference = Option<codegen::Value<#name>>;)
}

/// The encoding of a valuetype that the program marshals.
fn custom(name: &Ident) -> TokenStream {
    quote! {
        impl codegen::Encode for #name {
            fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
                codegen::CustomMarshal::marshal(self, out)
            }
        }
        impl<'a> codegen::Decode<'a> for #name {
            fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
                codegen::CustomMarshal::unmarshal(input)
            }
        }
    }
}

/// The implementation of `codegen::Valuetype`: the repository id and the concrete types of its values.
pub(super) fn valuetype(scope: &Scope<'_>, id: DeclId, name: &TokenStream) -> TokenStream {
    let model = scope.model;
    let repository_id = &model.get(id).repository_id;
    let family = model.iter().filter(|(member, declaration)| match &declaration.kind {
        DeclKind::Value(data) if is_concrete(data) => {
            *member == id || ancestors(model, *member).contains(&id)
        }
        DeclKind::ValueBox(_) => *member == id,
        _ => false,
    });
    let family = family.filter(|(member, _)| !scope.omitted.contains(*member));
    let family = family.map(|(member, _)| scope.path(member));
    quote! {
        impl codegen::Valuetype for #name {
            const REPOSITORY_ID: &'static str = #repository_id;
            const FAMILY: &'static [codegen::Kind] = &[#(codegen::Kind::of::<#family>()),*];
        }
    }
}

/// The name of the field for the state of the base.
pub(super) fn base_field(data: &Value) -> String {
    let members: Vec<String> =
        data.state.iter().map(|state| names::snake(&state.member.name)).collect();
    names::fresh("base", &members)
}

/// The direct and indirect bases and supported abstract interfaces of a valuetype.
fn ancestors(model: &Model, id: DeclId) -> Vec<DeclId> {
    let mut found = Vec::new();
    let mut open = vec![id];
    while let Some(next) = open.pop() {
        let bases: Vec<DeclId> = match &model.get(next).kind {
            DeclKind::Value(data) => data.bases.iter().chain(&data.supports).copied().collect(),
            DeclKind::Interface(data) => data.bases.clone(),
            _ => continue,
        };
        for base in bases {
            if !open.contains(&base) && !found.contains(&base) {
                open.push(base);
            }
        }
        if next != id {
            found.push(next);
        }
    }
    found.retain(|base| match &model.get(*base).kind {
        DeclKind::Interface(data) => data.flavour == Flavour::Abstract,
        _ => true,
    });
    found
}

/// A valuetype or an abstract interface as a type.
fn quoted(scope: &Scope<'_>, id: DeclId) -> TokenStream {
    let path = scope.path(id);
    match scope.model.get(id).kind {
        DeclKind::Interface(_) => quote!(dyn #path),
        _ => path,
    }
}

fn derives(properties: Properties) -> Vec<TokenStream> {
    let mut derives = vec![quote!(Debug), quote!(Clone), quote!(PartialEq)];
    if properties.eq {
        derives.extend([quote!(Eq), quote!(Hash)]);
    }
    if properties.default {
        derives.push(quote!(Default));
    }
    derives
}

/// The implementation of `codegen::State` for the struct `name`.
fn state(
    name: &Ident,
    custom: bool,
    ids: &[&String],
    ancestors: &[TokenStream],
    base: Option<&Ident>,
) -> TokenStream {
    let parts = base.map(|base| {
        quote! {
            fn base_part(&self, wanted: ::std::any::TypeId) -> Option<&dyn ::std::any::Any> {
                codegen::State::part(&self.#base, wanted)
            }
            fn base_part_mut(
                &mut self,
                wanted: ::std::any::TypeId,
            ) -> Option<&mut dyn ::std::any::Any> {
                codegen::State::part_mut(&mut self.#base, wanted)
            }
        }
    });
    let custom = custom.then(|| {
        quote!(
            const CUSTOM: bool = true;
        )
    });
    quote! {
        impl codegen::State for #name {
            const IDS: &'static [&'static str] = &[#(#ids),*];
            #custom
            fn is(other: ::std::any::TypeId) -> bool {
                [
                    ::std::any::TypeId::of::<Self>()
                    #(, ::std::any::TypeId::of::<#ancestors>())*
                ].contains(&other)
            }
            #parts
        }
    }
}

/// The state of a concrete valuetype.
struct Fields<'a, 'm> {
    scope: &'a Scope<'m>,
    data: &'m Value,
    base: Option<DeclId>,
}

impl Fields<'_, '_> {
    fn base_field(&self) -> Option<Ident> {
        self.base.map(|_| names::ident(&base_field(self.data)))
    }

    /// The properties of the struct, including the state of its bases.
    fn properties(&self) -> Properties {
        let mut types: Vec<&Type> = Vec::new();
        let mut next = Some(self.data);
        while let Some(data) = next {
            types.extend(data.state.iter().map(|state| &state.member.ty));
            let base = queries::concrete_base(self.scope.model, data);
            next = base.and_then(|base| match &self.scope.model.get(base).kind {
                DeclKind::Value(data) => Some(data),
                _ => None,
            });
        }
        self.scope.properties.of_all(types)
    }

    fn definition(&self, docs_of_type: TokenStream, name: &Ident) -> TokenStream {
        let derives = derives(self.properties());
        let base = self.base.map(|base| {
            let (field, path) = (self.base_field(), self.scope.path(base));
            let docs = " The state of the valuetype that this one inherits from.";
            quote!(#[doc = #docs] pub #field: #path,)
        });
        let fields = self.data.state.iter().map(|state| {
            let member = &state.member;
            let docs = docs(&member.docs, &format!("IDL `{}`.", member.name));
            let name = names::field(&member.name);
            let ty = types::owned(self.scope, &member.ty);
            let allow = lints::allow(&lints::field(&member.ty));
            let private = (!state.public).then(|| {
                quote!(#[doc = ""] #[doc = " Private in IDL: for what implements the valuetype."])
            });
            quote!(#docs #private #allow pub #name: #ty)
        });
        quote! {
            #docs_of_type
            #[derive(#(#derives),*)]
            pub struct #name { #base #(#fields),* }
        }
    }

    fn is_empty(&self) -> bool {
        self.base.is_none() && self.data.state.is_empty()
    }

    fn encode(&self, name: &Ident) -> TokenStream {
        let out = names::ident(if self.is_empty() { "_out" } else { "out" });
        let base = self
            .base_field()
            .map(|base| Step::Try(quote!(codegen::Encode::encode(&self.#base, #out))));
        let members = self.data.state.iter().flat_map(|state| {
            let field = names::field(&state.member.name);
            marshal::encode(
                self.scope,
                &out,
                &state.member.ty,
                &Operand::Value(quote!(self.#field)),
            )
        });
        let steps: Vec<Step> = base.into_iter().chain(members).collect();
        let body = marshal::body(&steps);
        quote! {
            impl codegen::Encode for #name {
                fn encode<'p>(&'p self, #out: &mut codegen::Encoder<'p>) -> codegen::CdrResult { #body }
            }
        }
    }

    fn decode(&self, name: &Ident) -> TokenStream {
        let input = names::ident(if self.is_empty() { "_input" } else { "input" });
        let base = self.base_field().map(|base| quote!(#base: codegen::Decode::decode(#input)?,));
        let fields = self.data.state.iter().map(|state| {
            let name = names::field(&state.member.name);
            let value = marshal::decode(self.scope, &input, &state.member.ty);
            quote!(#name: #value?)
        });
        quote! {
            impl<'a> codegen::Decode<'a> for #name {
                fn decode(#input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
                    Ok(Self { #base #(#fields),* })
                }
            }
        }
    }

    fn state(&self, id: DeclId, name: &Ident) -> TokenStream {
        let model = self.scope.model;
        let mut ids = vec![&model.get(id).repository_id];
        let mut data = self.data;
        while let Some(base) = queries::concrete_base(model, data).filter(|_| data.truncatable) {
            let DeclKind::Value(next) = &model.get(base).kind else { break };
            ids.push(&model.get(base).repository_id);
            data = next;
        }
        let ancestors = ancestors(model, id).into_iter().map(|base| quoted(self.scope, base));
        let ancestors: Vec<TokenStream> = ancestors.collect();
        let custom = self.data.modifier == ValueModifier::Custom;
        state(name, custom, &ids, &ancestors, self.base_field().as_ref())
    }
}

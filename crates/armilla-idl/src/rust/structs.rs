//! `struct` and `exception`: Rust structs, encoded member by member, and in bulk if `fixed` allows
//! it.

use super::docs::docs;
use super::fixed;
use super::lints;
use super::marshal::{self, Operand, Step};
use super::module::Module;
use super::names;
use super::queries;
use super::scope::Scope;
use super::type_codes;
use super::types;
use crate::model::{DeclId, Declaration, Struct, Type};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Emits a struct.
pub(super) fn generate(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &Struct,
    module: &mut Module,
) {
    let name = names::ident(&names::camel(&declaration.name));
    let fixed = fixed::Plan::of(scope, id);
    module.push(definition(scope, id, declaration, data, fixed.is_some()));
    let properties = scope.properties.of_type(&Type::Named(id));
    if properties.local {
        return;
    }
    module.push(encode(scope, &name, data, fixed.is_some()));
    let bulk = match fixed {
        Some(_) => decode_vec(quote!(input.fixed_vec(len))),
        // Values without octets are constructed without reading.
        None if properties.size == 0 => {
            let decode_vec = decode_vec(quote!(Self::decode(input).map(|one| vec![one; len])));
            quote!(const ZERO_SIZED: bool = true; #decode_vec)
        }
        None => TokenStream::new(),
    };
    module.push(decode(scope, &name, data, bulk));
    if let Some(plan) = fixed {
        module.push(plan.implementation(&name));
    }
    module.push(type_codes::implementation(scope, id, &name));
}

/// Emits an exception: a struct that is also an error.
pub(super) fn generate_exception(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &Struct,
    module: &mut Module,
) {
    let name = names::ident(&names::camel(&declaration.name));
    let repository_id = &declaration.repository_id;
    module.push(definition(scope, id, declaration, data, false));
    module.push(display(&scope.idl.scoped_name(id), &name, data));
    module.push(quote!(impl ::std::error::Error for #name {}));
    if scope.properties.of_type(&Type::Named(id)).local {
        return;
    }
    module.push(quote! {
        impl codegen::UserException for #name {
            const REPOSITORY_ID: &'static str = #repository_id;
        }
    });
    module.push(encode(scope, &name, data, false));
    module.push(decode(scope, &name, data, TokenStream::new()));
    module.push(type_codes::implementation(scope, id, &name));
}

fn definition(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &Struct,
    fixed: bool,
) -> TokenStream {
    let scoped_name = scope.idl.scoped_name(id);
    let docs_of_type = docs(&declaration.docs, &format!("IDL `{scoped_name}`."));
    let name = names::ident(&names::camel(&declaration.name));
    let derives = derives(scope, data, fixed);
    let derives = quote!(#(#derives),*);
    let extra = super::derives::wanted(scope, id, &derives);
    let members = queries::struct_members(scope.model, data);
    if members.is_empty() {
        return quote!(#docs_of_type #extra #[derive(#derives)] pub struct #name;);
    }
    let fields = members.into_iter().map(|member| {
        let docs = docs(&member.docs, &format!("IDL `{}`.", member.name));
        let name = names::field(&member.name);
        let ty = types::owned(scope, &member.ty);
        let allow = lints::allow(&lints::field(&member.ty));
        quote!(#docs #allow pub #name: #ty)
    });
    quote! {
        #docs_of_type
        #extra
        #[derive(#derives)]
        pub struct #name { #(#fields),* }
    }
}

fn derives(scope: &Scope<'_>, data: &Struct, fixed: bool) -> Vec<TokenStream> {
    let members = queries::struct_members(scope.model, data);
    let properties = scope.properties.of_all(members.into_iter().map(|member| &member.ty));
    let mut derives = vec![quote!(Debug), quote!(Clone)];
    if fixed && properties.copy {
        derives.push(quote!(Copy));
    }
    derives.push(quote!(PartialEq));
    if properties.eq {
        derives.extend([quote!(Eq), quote!(Hash)]);
    }
    if properties.default {
        derives.push(quote!(Default));
    }
    derives
}

fn encode(scope: &Scope<'_>, name: &Ident, data: &Struct, fixed: bool) -> TokenStream {
    let members = queries::struct_members(scope.model, data);
    let out = names::ident(if members.is_empty() { "_out" } else { "out" });
    let steps: Vec<Step> = members
        .into_iter()
        .flat_map(|member| {
            let field = names::field(&member.name);
            marshal::encode(scope, &out, &member.ty, &Operand::Value(quote!(self.#field)))
        })
        .collect();
    let body = marshal::body(&steps);
    let bulk = fixed.then(|| {
        quote! {
            fn encode_slice<'p>(items: &'p [Self], out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
                out.put_fixed(items)
            }
        }
    });
    quote! {
        impl codegen::Encode for #name {
            fn encode<'p>(&'p self, #out: &mut codegen::Encoder<'p>) -> codegen::CdrResult { #body }
            #bulk
        }
    }
}

/// `bulk` is a method that decodes many values faster than one by one, if there is one.
fn decode(scope: &Scope<'_>, name: &Ident, data: &Struct, bulk: TokenStream) -> TokenStream {
    let members = queries::struct_members(scope.model, data);
    let input = names::ident(if members.is_empty() { "_input" } else { "input" });
    let fields = members.into_iter().map(|member| {
        let name = names::field(&member.name);
        let value = marshal::decode(scope, &input, &member.ty);
        quote!(#name: #value?)
    });
    let fields: Vec<TokenStream> = fields.collect();
    let value = if fields.is_empty() { quote!(Self) } else { quote!(Self { #(#fields),* }) };
    quote! {
        impl<'a> codegen::Decode<'a> for #name {
            fn decode(#input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> { Ok(#value) }
            #bulk
        }
    }
}

/// The method that decodes `len` values.
fn decode_vec(values: TokenStream) -> TokenStream {
    quote! {
        fn decode_vec(input: &mut codegen::Decoder<'a>, len: usize) -> codegen::CdrResult<Vec<Self>> {
            #values
        }
    }
}

/// `Bank::InsufficientFunds (missing: 12.5)`.
fn display(scoped_name: &str, name: &Ident, data: &Struct) -> TokenStream {
    let shown = data.members.iter().map(|member| format!("{}: {{:?}}", member.name));
    let shown: Vec<String> = shown.collect();
    let body = if shown.is_empty() {
        quote!(f.write_str(#scoped_name))
    } else {
        let format = format!("{scoped_name} ({})", shown.join(", "));
        let fields = data.members.iter().map(|member| names::field(&member.name));
        quote!(write!(f, #format, #(self.#fields),*))
    };
    quote! {
        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result { #body }
        }
    }
}

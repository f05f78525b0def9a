//! `bitset`: a newtype over the integer that is marshalled, with a getter and a setter for each
//! field.

use super::derives;
use super::docs::docs;
use super::module::Module;
use super::names;
use super::queries;
use super::scope::Scope;
use super::type_codes;
use super::types;
use crate::model::{BitField, Bitset, DeclId, Declaration, Primitive};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

/// Emits a bitset.
pub(super) fn generate(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &Bitset,
    module: &mut Module,
) {
    let name = names::ident(&names::camel(&declaration.name));
    let scoped_name = scope.idl.scoped_name(id);
    let type_docs = docs(&declaration.docs, &format!("IDL bitset `{scoped_name}`."));
    let carrier = types::primitive(queries::bitset_integer(scope.model, data));
    let placed = queries::bitset_fields(scope.model, data);
    let methods = placed.iter().map(|(position, field)| accessors(*position, field));
    let derived = quote!(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default);
    let extra = derives::wanted(scope, id, &derived);
    module.push(quote! {
        #type_docs
        #extra
        #[derive(#derived)]
        pub struct #name(u64);
    });
    module.push(quote!(impl #name { #(#methods)* }));
    let put = format_ident!("put_{carrier}");
    let (narrow, wide) = match carrier == "u64" {
        true => (quote!(self.0), quote!(Self)),
        false => (quote!(self.0 as #carrier), quote!(|bits| Self(bits.into()))),
    };
    module.push(quote! {
        impl codegen::Encode for #name {
            fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
                out.#put(#narrow);
                Ok(())
            }
        }
    });
    module.push(quote! {
        impl<'a> codegen::Decode<'a> for #name {
            fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
                input.#carrier().map(#wide)
            }
        }
    });
    module.push(type_codes::implementation(scope, id, &name));
}

/// The getter and the setter of a field; nothing for padding.
fn accessors(position: u32, field: &BitField) -> TokenStream {
    let Some(idl_name) = &field.name else { return TokenStream::new() };
    let ty = types::primitive(field_type(field));
    let (position, width) =
        (Literal::u32_unsuffixed(position), Literal::u32_unsuffixed(field.bits));
    let value = match ty.to_string().as_str() {
        "bool" => quote!(codegen::get_bits(self.0, #position, #width) != 0),
        "u64" => quote!(codegen::get_bits(self.0, #position, #width)),
        "i64" => quote!(codegen::get_signed_bits(self.0, #position, #width)),
        name if name.starts_with('i') => {
            quote!(codegen::get_signed_bits(self.0, #position, #width) as #ty)
        }
        _ => quote!(codegen::get_bits(self.0, #position, #width) as #ty),
    };
    let given = if ty == "u64" { quote!(value) } else { quote!(value as u64) };
    let getter = names::ident(&names::snake(idl_name));
    let setter = names::ident(&setter(idl_name));
    let getter_docs = format!(" IDL `{idl_name}`, {} bits wide.", field.bits);
    let setter_docs = format!(" The same with `{idl_name}` set to the lower bits of `value`.");
    quote! {
        #[doc = #getter_docs]
        pub const fn #getter(self) -> #ty { #value }
        #[doc = #setter_docs]
        #[must_use]
        pub const fn #setter(self, value: #ty) -> Self {
            Self(codegen::set_bits(self.0, #position, #width, #given))
        }
    }
}

/// The name of the method that sets a field.
pub(super) fn setter(idl_name: &str) -> String {
    names::snake(&format!("with_{idl_name}"))
}

/// The type of a field: the declared one, else the smallest that has enough bits.
fn field_type(field: &BitField) -> Primitive {
    field.ty.unwrap_or(match field.bits {
        1 => Primitive::Boolean,
        bits => queries::unsigned_of(bits),
    })
}

//! The function that puts a value of a typedef into an `any`. The Rust type of a typedef is that of
//! the aliased type, so `Any::new` cannot know the alias.

use super::lints;
use super::marshal::{self, Operand};
use super::names;
use super::scope::{self, Scope};
use super::type_codes;
use super::types;
use crate::model::{DeclId, DeclKind, Declaration};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The function for the typedef `id`, which has a function for its TypeCode. It is inline so that
/// programs without a call of it compile nothing.
pub(super) fn function(scope: &Scope<'_>, id: DeclId) -> TokenStream {
    let declaration = scope.model.get(id);
    let DeclKind::Typedef(ty) = &declaration.kind else { return TokenStream::new() };
    let name = names::ident(&function_name(declaration));
    let code = names::ident(&type_codes::function_name(declaration));
    let docs = format!(" The value as an `any` of the type IDL `{}`.", scope.idl.scoped_name(id));
    let (value, out) = (format_ident!("value"), format_ident!("out"));
    let parameter = types::parameter(scope, ty);
    let operand = match types::is_scalar(scope.model, ty) {
        true => Operand::Value(quote!(#value)),
        false => Operand::Shared(value.clone()),
    };
    let steps = marshal::encode(scope, &out, ty, &operand);
    let encode = marshal::closure(&TokenStream::new(), &out, &steps);
    let allow = lints::allow(&lints::field(ty));
    quote! {
        #[doc = #docs]
        #allow
        #[inline]
        pub fn #name(#value: #parameter) -> codegen::CdrResult<codegen::Any> {
            codegen::Any::encoded(#code(), #encode)
        }
    }
}

/// The name of the function.
pub(super) fn function_name(declaration: &Declaration) -> String {
    names::snake(&format!("{}_any", scope::name(declaration)))
}

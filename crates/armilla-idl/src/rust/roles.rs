//! The constant `ROLES` of an interface whose operations say who may call them.

use super::names;
use super::queries;
use super::scope::Scope;
use crate::model::{DeclId, DeclKind, Export};
use proc_macro2::TokenStream;
use quote::quote;

/// The name of the constant.
pub(super) const TABLE: &str = "ROLES";

/// The table of the annotated operations of an interface, with those that it inherits; nothing if
/// there is none.
pub(super) fn table(scope: &Scope<'_>, id: DeclId) -> Option<TokenStream> {
    let interface = &scope.idl.get(id).repository_id;
    let all = std::iter::once(id).chain(queries::all_bases(scope.idl, id));
    let exports = all.flat_map(|id| match &scope.idl.get(id).kind {
        DeclKind::Interface(interface) => interface.exports.as_slice(),
        _ => &[],
    });
    let entries = exports.filter_map(|export| match export {
        Export::Operation(operation) if !operation.roles.is_empty() => {
            let (name, roles) = (&operation.name, &operation.roles);
            Some(quote!((#interface, #name, &[#(#roles),*])))
        }
        _ => None,
    });
    let entries: Vec<TokenStream> = entries.collect();
    let name = names::ident(TABLE);
    (!entries.is_empty()).then(|| {
        quote! {
            /// The roles whose members may call operations, from the annotations in the IDL: the
            /// repository id of the interface, the operation, the roles.
            pub const #name: &[(&str, &str, &[&str])] = &[#(#entries),*];
        }
    })
}

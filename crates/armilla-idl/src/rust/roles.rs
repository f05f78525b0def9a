//! The constant `ROLES` of an interface whose operations and attributes say who may call them.

use super::names;
use super::queries;
use super::scope::Scope;
use crate::model::{DeclId, DeclKind, Export};
use proc_macro2::TokenStream;
use quote::quote;

/// The name of the constant.
pub(super) const TABLE: &str = "ROLES";

/// The table of the annotated operations and attributes of an interface, with those that it inherits; nothing if
/// there is none.
pub(super) fn table(scope: &Scope<'_>, id: DeclId) -> Option<TokenStream> {
    let interface = &scope.idl.get(id).repository_id;
    let all = std::iter::once(id).chain(queries::all_bases(scope.idl, id));
    let exports = all.flat_map(|id| match &scope.idl.get(id).kind {
        DeclKind::Interface(interface) => interface.exports.as_slice(),
        _ => &[],
    });
    let entries = exports.flat_map(|export| match export {
        Export::Operation(operation) => vec![(operation.name.clone(), &operation.roles)],
        // As they travel (CORBA 3.4 Part 2, 9.4.2.1).
        Export::Attribute(attribute) => vec![
            (format!("_get_{}", attribute.name), &attribute.get_roles),
            (format!("_set_{}", attribute.name), &attribute.set_roles),
        ],
    });
    let entries: Vec<TokenStream> = entries
        .filter(|(_, roles)| !roles.is_empty())
        .map(|(name, roles)| quote!((#interface, #name, &[#(#roles),*])))
        .collect();
    let name = names::ident(TABLE);
    (!entries.is_empty()).then(|| {
        quote! {
            /// The roles whose members may call operations, from the annotations in the IDL: the
            /// repository id of the interface, the operation, the roles.
            pub const #name: &[(&str, &str, &[&str])] = &[#(#entries),*];
        }
    })
}

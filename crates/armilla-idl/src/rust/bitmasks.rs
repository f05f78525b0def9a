//! `bitmask`: a newtype over the integer that is marshalled, with a constant for each flag.

use super::derives;
use super::docs::docs;
use super::module::Module;
use super::names;
use super::queries;
use super::scope::Scope;
use super::type_codes;
use crate::model::{Bitmask, DeclId, Declaration};
use proc_macro2::Literal;
use quote::{format_ident, quote};

/// Emits a bitmask.
pub(super) fn generate(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &Bitmask,
    module: &mut Module,
) {
    let name = names::ident(&names::camel(&declaration.name));
    let scoped_name = scope.idl.scoped_name(id);
    let type_docs = docs(&declaration.docs, &format!("IDL bitmask `{scoped_name}`."));
    let bits = super::types::primitive(queries::bitmask_integer(data));
    let flags = data.flags.iter().map(|flag| {
        let docs = format!(" IDL `{}`.", flag.name);
        let constant = names::ident(&names::upper(&flag.name));
        let bit = match flag.position {
            0 => quote!(1),
            position => {
                let position = Literal::u32_unsuffixed(position);
                quote!(1 << #position)
            }
        };
        quote!(#[doc = #docs] pub const #constant: Self = Self(#bit);)
    });
    let derived = quote!(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default);
    let extra = derives::wanted(scope, id, &derived);
    module.push(quote! {
        #type_docs
        #extra
        #[derive(#derived)]
        pub struct #name(pub #bits);
    });
    module.push(quote! {
        impl #name {
            #(#flags)*
            /// Whether all flags of `other` are set.
            pub const fn contains(self, other: Self) -> bool { self.0 & other.0 == other.0 }
        }
    });
    module.push(quote! {
        impl ::std::ops::BitOr for #name {
            type Output = Self;
            fn bitor(self, other: Self) -> Self { Self(self.0 | other.0) }
        }
    });
    let put = format_ident!("put_{bits}");
    module.push(quote! {
        impl codegen::Encode for #name {
            fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
                out.#put(self.0);
                Ok(())
            }
        }
    });
    module.push(quote! {
        impl<'a> codegen::Decode<'a> for #name {
            fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
                input.#bits().map(Self)
            }
        }
    });
    module.push(type_codes::implementation(scope, id, &name));
}

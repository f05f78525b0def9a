//! `enum`: a fieldless Rust enum with the IDL's numbers.

use super::derives;
use super::docs::docs;
use super::lints;
use super::module::Module;
use super::names;
use super::scope::Scope;
use super::type_codes;
use crate::model::{DeclId, Declaration, Enum};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// Emits an enum with its conversion from a number and its encoding.
pub(super) fn generate(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &Enum,
    module: &mut Module,
) {
    let name = names::ident(&names::camel(&declaration.name));
    let scoped_name = &scope.idl.scoped_name(id);
    let variants: Vec<String> = data.enumerators.iter().map(|e| names::variant(&e.name)).collect();
    let allow = lints::allow(&lints::variants(&name.to_string(), &variants, &[]));
    let enum_docs = docs(&declaration.docs, &format!("IDL `{scoped_name}`."));
    let bodies = data.enumerators.iter().zip(&variants).enumerate().map(|(i, (e, variant))| {
        let docs = docs(&e.docs, &format!("IDL `{}`.", e.name));
        let default = (i == 0).then(|| quote!(#[default]));
        let variant = names::ident(variant);
        quote!(#docs #default #variant)
    });
    let derived = quote!(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default);
    let extra = derives::wanted(scope, id, &derived);
    module.push(quote! {
        #enum_docs
        #extra
        #[derive(#derived)]
        #[repr(u32)]
        #allow
        pub enum #name { #(#bodies),* }
    });
    module.push(conversion(scoped_name, &name, &variants));
    module.push(quote! {
        impl codegen::Encode for #name {
            fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
                out.put_u32(*self as u32);
                Ok(())
            }
        }
    });
    module.push(quote! {
        impl<'a> codegen::Decode<'a> for #name {
            fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
                Self::from_discriminant(input.u32()?)
            }
        }
    });
    module.push(type_codes::implementation(scope, id, &name));
}

fn conversion(scoped_name: &str, name: &Ident, variants: &[String]) -> TokenStream {
    let arms = variants.iter().enumerate().map(|(i, variant)| {
        let number = Literal::usize_unsuffixed(i);
        let variant = names::ident(variant);
        quote!(#number => Ok(Self::#variant),)
    });
    quote! {
        impl #name {
            /// The enumerator with the number `value`, the first being 0.
            ///
            /// # Errors
            /// When there are not so many enumerators.
            pub fn from_discriminant(value: u32) -> codegen::CdrResult<Self> {
                match value {
                    #(#arms)*
                    _ => Err(codegen::CdrError::invalid_enum(#scoped_name, value)),
                }
            }
        }
    }
}

//! `raises`: the enum of the exceptions that one operation may raise, and its conversion into the
//! enums of operations of the same interface, or of one that inherits it, that raise as much or more.

use super::lints;
use super::module::Module;
use super::names;
use super::operation::{self, Callable};
use super::scope::Scope;
use crate::model::{DeclId, Model, Type};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The most conversions into the enums of one interface: there may be one for each two.
const MAX_CONVERSIONS: usize = 64;

/// The enum of an operation, and where it is.
struct Raised {
    path: TokenStream,
    variants: Vec<(DeclId, Ident)>,
}

impl Raised {
    fn of(scope: &Scope<'_>, callable: &Callable<'_>, home: Option<&TokenStream>) -> Option<Self> {
        let name = names::ident(&callable.raises_name()?);
        let path = home.map_or(quote!(#name), |home| quote!(#home::#name));
        let variants = variants(scope.model, callable.raises);
        let variants = variants.iter().map(|name| names::ident(name));
        Some(Raised { path, variants: callable.raises.iter().copied().zip(variants).collect() })
    }

    fn variant(&self, exception: DeclId) -> Option<&Ident> {
        self.variants.iter().find(|(id, _)| *id == exception).map(|(_, variant)| variant)
    }
}

/// Emits the enums of all operations that raise anything, into the module of their interface, whose
/// bases are `bases`. The enums of a local interface have no encoding.
pub(super) fn generate(
    scope: &Scope<'_>,
    callables: &[&Callable<'_>],
    bases: &[DeclId],
    is_local: bool,
    module: &mut Module,
) {
    callables.iter().for_each(|callable| one(scope, callable, is_local, module));
    let own: Vec<Raised> =
        callables.iter().filter_map(|callable| Raised::of(scope, callable, None)).collect();
    let mut inherited = Vec::new();
    for base in bases.iter().filter(|base| scope.makes(**base)) {
        let home = scope.companion(*base);
        let callables = operation::callables(scope, *base);
        let raised = callables.iter().filter_map(|one| Raised::of(scope, one, Some(&home)));
        inherited.extend(raised);
    }
    conversions(&own, &inherited, module);
}

/// Emits the conversions of an enum into an own one that has all its exceptions. They are inline so
/// that programs without a use of them compile nothing.
fn conversions(own: &[Raised], inherited: &[Raised], module: &mut Module) {
    let others = || own.iter().chain(inherited).enumerate();
    let pairs = own.iter().enumerate().flat_map(|(at, many)| {
        others().filter(move |(other, _)| *other != at).map(move |(_, few)| (few, many))
    });
    let pairs = pairs.filter(|(few, many)| {
        few.variants.len() <= many.variants.len()
            && few.variants.iter().all(|(id, _)| many.variant(*id).is_some())
    });
    for (few, many) in pairs.take(MAX_CONVERSIONS) {
        let (from, to) = (&few.path, &many.path);
        let arms = few.variants.iter().filter_map(|(id, given)| {
            let taken = many.variant(*id)?;
            Some(quote!(#from::#given(exception) => Self::#taken(exception),))
        });
        module.push(quote! {
            impl From<#from> for #to {
                #[inline]
                fn from(raised: #from) -> Self { match raised { #(#arms)* } }
            }
        });
    }
}

/// Emits the enum of an operation.
fn one(scope: &Scope<'_>, callable: &Callable<'_>, is_local: bool, module: &mut Module) {
    let Some(name) = callable.raises_name() else { return };
    let name = names::ident(&name);
    let variant_names = variants(scope.model, callable.raises);
    let variants: Vec<Ident> = variant_names.iter().map(|name| names::ident(name)).collect();
    let types: Vec<TokenStream> = callable.raises.iter().map(|id| scope.path(*id)).collect();
    let sizes = callable.raises.iter().map(|id| scope.properties.of_type(&Type::Named(*id)).size);
    let sizes: Vec<u64> = sizes.collect();
    let allow = lints::allow(&lints::variants(&name.to_string(), &variant_names, &sizes));
    let docs = format!(" The exceptions that `{}` may raise.", callable.idl_name);
    let variant_docs = callable
        .raises
        .iter()
        .map(|id| format!(" IDL exception `{}`.", scope.idl.scoped_name(*id)));
    module.push(quote! {
        #[doc = #docs]
        #[derive(Debug, Clone, PartialEq)]
        #allow
        pub enum #name { #(#[doc = #variant_docs] #variants(#types)),* }
    });
    if !is_local {
        module.push(raises(&name, &variants, &types));
    }
    module.push(quote! {
        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    #(Self::#variants(exception) => ::std::fmt::Display::fmt(exception, f),)*
                }
            }
        }
    });
    module.push(quote!(impl ::std::error::Error for #name {}));
    for ((variant, ty), id) in variants.iter().zip(&types).zip(callable.raises) {
        module.push(quote! {
            impl From<#ty> for #name {
                fn from(exception: #ty) -> Self { Self::#variant(exception) }
            }
        });
        // The runtime has the conversion of exceptions with an encoding.
        if scope.properties.of_type(&Type::Named(*id)).local {
            module.push(quote! {
                impl From<#ty> for codegen::Error<#name> {
                    fn from(exception: #ty) -> Self { Self::User(exception.into()) }
                }
            });
        }
    }
}

fn raises(name: &Ident, variants: &[Ident], types: &[TokenStream]) -> TokenStream {
    quote! {
        impl codegen::Raises for #name {
            fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
                match self {
                    #(Self::#variants(exception) => codegen::encode_exception(exception, out),)*
                }
            }
            fn decode(
                repository_id: &str,
                input: &mut codegen::Decoder<'_>,
            ) -> codegen::CdrResult<Option<Self>> {
                match repository_id {
                    #(<#types as codegen::UserException>::REPOSITORY_ID => {
                        codegen::Decode::decode(input).map(|exception| Some(Self::#variants(exception)))
                    })*
                    _ => Ok(None),
                }
            }
        }
    }
}

/// The name of the variant for each exception: its own, or with its whole path where exceptions of
/// different scopes share a name. What meets all the same gets a number.
fn variants(model: &Model, raises: &[DeclId]) -> Vec<String> {
    let short: Vec<String> = raises.iter().map(|id| names::variant(&model.get(*id).name)).collect();
    let is_unique = |name: &String| short.iter().filter(|other| *other == name).count() == 1;
    let long = |id: &DeclId| names::variant(&model.path(*id).join("_"));
    let wanted = raises.iter().zip(&short);
    let wanted = wanted.map(|(id, name)| if is_unique(name) { name.clone() } else { long(id) });
    let mut given: Vec<String> = Vec::new();
    for name in wanted {
        let numbered = (2..).map(|number| names::variant(&format!("{name}_{number}")));
        let fresh = [name.clone()].into_iter().chain(numbered).find(|name| !given.contains(name));
        given.push(fresh.unwrap_or(name));
    }
    given
}

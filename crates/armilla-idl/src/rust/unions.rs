//! `union`: a Rust enum with the members as data.
//!
//! The variant of a case with one label has only the member: the discriminator is implied. If
//! several values select a case, the variant also has the discriminator, which is checked when it
//! is encoded. Values that select no case are in the variant `Unlisted`.

use super::consts;
use super::derives;
use super::docs::docs;
use super::labels;
use super::lints;
use super::marshal::{self, Operand, Step};
use super::module::Module;
use super::names;
use super::queries;
use super::scope::Scope;
use super::type_codes;
use super::types;
use crate::model::{Case, DeclId, DeclKind, Declaration, Model, Primitive, Type, Union};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The variant for discriminators that select no case.
pub(super) const UNLISTED: &str = "Unlisted";

/// Emits a union.
pub(super) fn generate(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &Union,
    module: &mut Module,
) {
    let name = names::ident(&names::camel(&declaration.name));
    let scoped_name = scope.idl.scoped_name(id);
    let union = Generator { scope, id, scoped_name: &scoped_name, name, data };
    module.push(union.definition(declaration));
    module.push(union.discriminator());
    if scope.properties.of_type(&Type::Named(id)).local {
        return;
    }
    module.push(union.encode());
    module.push(union.decode());
    module.push(type_codes::implementation(scope, id, &union.name));
}

/// Whether some values of the discriminator select no case.
pub(super) fn has_unlisted(model: &Model, data: &Union) -> bool {
    !data.cases.iter().any(|case| case.default) && !lists_all(model, data)
}

/// Whether the labels cover every value of the discriminator.
fn lists_all(model: &Model, data: &Union) -> bool {
    let labels: u128 = data.cases.iter().map(|case| case.labels.len() as u128).sum();
    labels == cardinality(model, &data.discriminator)
}

/// The number of values of a discriminator.
fn cardinality(model: &Model, ty: &Type) -> u128 {
    match model.resolve(ty) {
        Type::Primitive(Primitive::Boolean) => 2,
        // The number of `char` values.
        Type::Primitive(Primitive::WChar) => u128::MAX,
        Type::Primitive(kind) => 1 << (8 * queries::primitive_size(*kind)),
        Type::Named(id) => match &model.get(*id).kind {
            DeclKind::Enum(data) => data.enumerators.len() as u128,
            _ => u128::MAX,
        },
        _ => u128::MAX,
    }
}

/// Whether the variant of a case has the discriminator.
fn carries_discriminator(case: &Case) -> bool {
    case.default || case.labels.len() != 1
}

struct Generator<'a, 'm> {
    scope: &'a Scope<'m>,
    id: DeclId,
    scoped_name: &'a str,
    name: Ident,
    data: &'m Union,
}

impl<'m> Generator<'_, 'm> {
    fn variant(case: &Case) -> Ident {
        names::ident(&names::variant(&case.member.name))
    }

    /// The pattern of the discriminators of these cases.
    fn pattern<'c>(&self, cases: impl IntoIterator<Item = &'c Case>) -> TokenStream {
        let labels: Vec<_> = cases.into_iter().flat_map(|case| &case.labels).collect();
        labels::pattern(self.scope, &labels)
    }

    fn unlisted(&self) -> Option<Ident> {
        has_unlisted(self.scope.model, self.data).then(|| names::ident(UNLISTED))
    }

    fn definition(&self, declaration: &Declaration) -> TokenStream {
        let scope = self.scope;
        let discriminator = types::owned(scope, &self.data.discriminator);
        let variants = self.data.cases.iter().map(|case| self.variant_definition(case));
        let unlisted = self.unlisted().map(|name| {
            quote! {
                /// A discriminator that selects no member.
                #name {
                    /// The discriminator.
                    discriminator: #discriminator,
                },
            }
        });
        let members = || self.data.cases.iter().map(|case| &case.member.ty);
        let eq = scope.properties.of_all(members()).eq.then(|| quote!(, Eq, Hash));
        let names: Vec<String> =
            self.data.cases.iter().map(|case| names::variant(&case.member.name)).collect();
        let sizes: Vec<u64> =
            members().map(|ty| scope.properties.of_type(ty).size).chain([8]).collect();
        let name = &self.name;
        let allow = lints::allow(&lints::variants(&name.to_string(), &names, &sizes));
        let docs = docs(&declaration.docs, &format!("IDL `{}`.", self.scoped_name));
        let derived = quote!(Debug, Clone, PartialEq #eq);
        let extra = derives::wanted(scope, self.id, &derived);
        quote! {
            #docs
            #extra
            #[derive(#derived)]
            #allow
            pub enum #name { #(#variants,)* #unlisted }
        }
    }

    fn variant_definition(&self, case: &Case) -> TokenStream {
        let name = Self::variant(case);
        let ty = types::owned(self.scope, &case.member.ty);
        let labels: Vec<String> = case
            .labels
            .iter()
            .map(|label| consts::literal(self.scope, label).to_string().replace(' ', ""))
            .collect();
        let selected = match (labels.as_slice(), case.default) {
            ([], _) => "selected by all other discriminators".to_owned(),
            (labels, false) => format!("selected by `{}`", labels.join("`, `")),
            (labels, true) => {
                format!("selected by `{}` and all other discriminators", labels.join("`, `"))
            }
        };
        let docs = docs(&case.member.docs, &format!("IDL `{}`, {selected}.", case.member.name));
        let allow = lints::allow(&lints::field(&case.member.ty));
        if !carries_discriminator(case) {
            return quote!(#docs #name(#allow #ty));
        }
        let discriminator = types::owned(self.scope, &self.data.discriminator);
        quote! {
            #docs
            #name {
                /// The discriminator, one of those that select this member.
                discriminator: #discriminator,
                /// The member.
                #allow
                value: #ty,
            }
        }
    }

    fn discriminator(&self) -> TokenStream {
        let ty = types::owned(self.scope, &self.data.discriminator);
        let constant = self.data.cases.iter().filter(|case| !carries_discriminator(case));
        let constant = constant.map(|case| {
            let variant = Self::variant(case);
            let label = self.pattern([case]);
            quote!(Self::#variant(_) => #label,)
        });
        let carried = self.data.cases.iter().filter(|case| carries_discriminator(case));
        let carried = carried.map(|case| {
            let variant = Self::variant(case);
            quote!(Self::#variant { discriminator, .. })
        });
        let unlisted = self.unlisted().map(|name| quote!(Self::#name { discriminator }));
        let carried: Vec<TokenStream> = carried.chain(unlisted).collect();
        let carried = (!carried.is_empty()).then(|| quote!(#(#carried)|* => *discriminator,));
        let name = &self.name;
        quote! {
            impl #name {
                /// The discriminator of the value.
                pub fn discriminator(&self) -> #ty {
                    match self { #(#constant)* #carried }
                }
            }
        }
    }

    fn encode(&self) -> TokenStream {
        let cases = self.data.cases.iter().map(|case| self.encode_case(case));
        let unlisted = self.unlisted().map(|variant| {
            let refused = self.refuse(&variant, &self.pattern(&self.data.cases));
            let put = self.put_discriminator(&Operand::Shared(names::ident("discriminator")));
            let body = marshal::body(&put);
            quote!(#refused Self::#variant { discriminator } => { #body })
        });
        let name = &self.name;
        quote! {
            impl codegen::Encode for #name {
                fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
                    match self { #(#cases)* #unlisted }
                }
            }
        }
    }

    fn encode_case(&self, case: &Case) -> TokenStream {
        let variant = Self::variant(case);
        let member = Operand::Shared(names::ident("value"));
        let out = names::ident("out");
        let value = marshal::encode(self.scope, &out, &case.member.ty, &member);
        let pattern = self.pattern([case]);
        if !carries_discriminator(case) {
            let mut steps = self.put_discriminator(&Operand::Value(pattern));
            steps.extend(value);
            let body = marshal::body(&steps);
            return quote!(Self::#variant(value) => { #body });
        }
        let mut steps = self.put_discriminator(&Operand::Shared(names::ident("discriminator")));
        steps.extend(value);
        let body = marshal::body(&steps);
        if case.default {
            let others = self.data.cases.iter().filter(|other| !other.default);
            let refused = self.refuse(&variant, &self.pattern(others));
            return quote!(#refused Self::#variant { discriminator, value } => { #body });
        }
        if case.labels.len() as u128 == cardinality(self.scope.model, &self.data.discriminator) {
            return quote!(Self::#variant { discriminator, value } => { #body });
        }
        let scoped_name = self.scoped_name;
        quote! {
            Self::#variant { discriminator: discriminator @ (#pattern), value } => { #body }
            Self::#variant { .. } => Err(codegen::CdrError::invalid_discriminator(#scoped_name)),
        }
    }

    /// The arm that rejects a variant with such a discriminator.
    fn refuse(&self, variant: &Ident, pattern: &TokenStream) -> TokenStream {
        if pattern.is_empty() {
            return TokenStream::new();
        }
        let scoped_name = self.scoped_name;
        quote! {
            Self::#variant { discriminator: #pattern, .. } => {
                Err(codegen::CdrError::invalid_discriminator(#scoped_name))
            }
        }
    }

    fn put_discriminator(&self, operand: &Operand) -> Vec<Step> {
        marshal::encode(self.scope, &names::ident("out"), &self.data.discriminator, operand)
    }

    fn decode(&self) -> TokenStream {
        let input = names::ident("input");
        let annotation = types::is_enum(self.scope.model, &self.data.discriminator).then(|| {
            let ty = types::owned(self.scope, &self.data.discriminator);
            quote!(: #ty)
        });
        let read = marshal::decode(self.scope, &input, &self.data.discriminator);
        let (defaults, listed): (Vec<&Case>, Vec<&Case>) =
            self.data.cases.iter().partition(|case| case.default);
        let body = match (listed.as_slice(), defaults.as_slice()) {
            ([], [only]) => self.decode_case(only),
            _ => self.decode_match(listed, defaults),
        };
        let name = &self.name;
        quote! {
            impl<'a> codegen::Decode<'a> for #name {
                fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
                    let discriminator #annotation = #read?;
                    Ok(#body)
                }
            }
        }
    }

    fn decode_match(&self, listed: Vec<&Case>, defaults: Vec<&Case>) -> TokenStream {
        let arms = listed.into_iter().map(|case| self.decode_arm(case, self.pattern([case])));
        let default = defaults.into_iter().map(|case| self.decode_arm(case, quote!(_)));
        let unlisted = self.unlisted().map(|name| quote!(_ => Self::#name { discriminator },));
        quote!(match discriminator { #(#arms)* #(#default)* #unlisted })
    }

    fn decode_arm(&self, case: &Case, pattern: TokenStream) -> TokenStream {
        let value = self.decode_case(case);
        quote!(#pattern => #value,)
    }

    fn decode_case(&self, case: &Case) -> TokenStream {
        let variant = Self::variant(case);
        let value = marshal::decode(self.scope, &names::ident("input"), &case.member.ty);
        if carries_discriminator(case) {
            quote!(Self::#variant { discriminator, value: #value? })
        } else {
            quote!(Self::#variant(#value?))
        }
    }
}

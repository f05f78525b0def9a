//! What an interface says of itself (`ITypeInfo`).

use super::Com;
use crate::model::{ComBase, ComMember, ComMethod, ComParameter, ComType, Direction, Model};
use proc_macro2::TokenStream;
use quote::quote;

impl Com<'_> {
    /// The description of the interface, and a library with those that it inherits.
    pub(super) fn description(&self) -> TokenStream {
        let model = self.scope.model;
        let name = &self.declaration.name;
        let base = base_name(model, self.data.base);
        let methods = self.data.methods.iter().map(|method| function(model, method));
        let inherited = self.bases().into_iter().skip(1).map(|(id, _)| {
            let companion = self.scope.child(&super::names::module(name)).companion(id);
            quote!(, #companion::description())
        });
        let class = format!("{name}Class");
        quote! {
            /// What the interface has.
            pub fn description() -> ::armilla_dcom::generated::TypeDescription {
                ::armilla_dcom::generated::TypeDescription::interface(
                    #name, IID, #base, vec![#(#methods),*],
                )
            }
            /// What an object of the interface says that it has: for one that has several.
            pub fn library() -> ::std::sync::Arc<::armilla_dcom::generated::TypeLibrary> {
                ::armilla_dcom::generated::library(#class, #name, vec![description() #(#inherited)*])
            }
        }
    }
}

fn base_name(model: &Model, base: ComBase) -> String {
    match base {
        ComBase::Unknown => "IUnknown".to_owned(),
        ComBase::Dispatch => "IDispatch".to_owned(),
        ComBase::Interface(id) => model.get(id).name.clone(),
    }
}

fn function(model: &Model, method: &ComMethod) -> TokenStream {
    let how = match method.member {
        ComMember::Method => quote!(METHOD),
        ComMember::Get => quote!(GET),
        ComMember::Put => quote!(PUT),
    };
    let (opnum, name) = (proc_macro2::Literal::u16_unsuffixed(method.opnum), &method.name);
    let text = method.docs.join(" ");
    let parameters = method.parameters.iter().map(|it| parameter(model, it));
    quote! {
        ::armilla_dcom::generated::function(
            #opnum, #name, #text, ::armilla_dcom::generated::flags::#how, vec![#(#parameters),*],
        )
    }
}

fn parameter(model: &Model, parameter: &ComParameter) -> TokenStream {
    let (name, ty) = (&parameter.name, ty(model, &parameter.ty));
    let bits = |word: &str| {
        let word = super::names::ident(word);
        quote!(::armilla_dcom::generated::passing::#word)
    };
    let mut passing = match parameter.direction {
        Direction::In => {
            return quote!(::armilla_dcom::generated::Parameter::new(#name, #ty));
        }
        Direction::Out => bits("OUT"),
        Direction::InOut => {
            let (given, taken) = (bits("IN"), bits("OUT"));
            quote!(#given | #taken)
        }
    };
    if parameter.retval {
        let result = bits("RESULT");
        passing = quote!(#passing | #result);
    }
    quote!(::armilla_dcom::generated::Parameter::out(#name, #ty, #passing))
}

fn ty(model: &Model, ty: &ComType) -> TokenStream {
    let simple = match ty {
        ComType::I1 => "I1",
        ComType::U1 => "UI1",
        ComType::I2 => "I2",
        ComType::U2 => "UI2",
        ComType::I4 => "I4",
        ComType::U4 => "UI4",
        ComType::I8 => "I8",
        ComType::U8 => "UI8",
        ComType::R4 => "R4",
        ComType::R8 => "R8",
        ComType::VariantBool => "BOOL",
        ComType::Guid => "GUID",
        ComType::Date => "DATE",
        ComType::Currency => "CURRENCY",
        ComType::Decimal => "DECIMAL",
        ComType::Bstr => "BSTR",
        ComType::Variant => "VARIANT",
        ComType::WideString => "WIDE_STRING",
        ComType::NarrowString => "NARROW_STRING",
        ComType::Object(None | Some(ComBase::Unknown)) => "UNKNOWN",
        ComType::Object(Some(ComBase::Dispatch)) => "DISPATCH",
        ComType::Object(Some(ComBase::Interface(id))) => {
            let name = &model.get(*id).name;
            return quote!(::armilla_dcom::generated::Type::Named(#name.into()).pointer());
        }
        // A description names no library that it could be in.
        ComType::Enum(_) => "I4",
        ComType::Struct(id) | ComType::Union(id) => {
            let name = &model.get(*id).name;
            return quote!(::armilla_dcom::generated::Type::Named(#name.into()));
        }
        // Only members of structs, which are not described, have it.
        ComType::Fixed(element, _) => return self::ty(model, element),
        ComType::SafeArray => return quote!(::armilla_dcom::generated::Type::VARIANT.array()),
        ComType::Unique(inner) | ComType::Full(inner) | ComType::Reference(inner) => match &**inner
        {
            // Elements stand behind one pointer.
            ComType::Array(_) | ComType::Varying(_) => return self::ty(model, inner),
            inner => {
                let inner = self::ty(model, inner);
                return quote!(#inner.pointer());
            }
        },
        ComType::Array(element) | ComType::Varying(element) => {
            let element = self::ty(model, element);
            return quote!(#element.pointer());
        }
    };
    let simple = super::names::ident(simple);
    quote!(::armilla_dcom::generated::Type::#simple)
}

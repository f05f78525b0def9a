//! Marshalling: the statements that encode values and the expressions that decode them.

use super::fixed;
use super::names;
use super::scope::Scope;
use super::types;
use crate::model::{Model, Primitive, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The operand of an encoding.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    /// An expression that is the value: `self.name`, or a scalar parameter.
    Value(TokenStream),
    /// A variable that is a shared reference to it.
    Shared(Ident),
    /// A variable that is a mutable reference to it.
    Mutable(Ident),
}

impl Operand {
    fn value(&self) -> TokenStream {
        match self {
            Operand::Value(value) => value.clone(),
            Operand::Shared(name) | Operand::Mutable(name) => quote!(*#name),
        }
    }

    fn reference(&self) -> TokenStream {
        match self {
            Operand::Value(value) => quote!(&#value),
            Operand::Shared(name) => quote!(#name),
            Operand::Mutable(name) => quote!(&*#name),
        }
    }

    fn receiver(&self) -> TokenStream {
        match self {
            Operand::Value(value) => value.clone(),
            Operand::Shared(name) | Operand::Mutable(name) => quote!(#name),
        }
    }
}

/// One step of a function that encodes.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// An expression of the type `CdrResult`.
    Try(TokenStream),
    /// A complete statement.
    Do(TokenStream),
}

/// The steps that append a value of type `ty` to the encoder `out`.
pub(super) fn encode(scope: &Scope<'_>, out: &Ident, ty: &Type, operand: &Operand) -> Vec<Step> {
    let model = scope.model;
    let reference = operand.reference();
    if let Some(carrier) = types::bitmask(model, ty) {
        let put = names::ident(&format!("put_{}", types::primitive(carrier)));
        let value = operand.receiver();
        return vec![Step::Do(quote!(#out.#put(#value.0);))];
    }
    match model.resolve(ty) {
        Type::Primitive(Primitive::WChar) => {
            let value = operand.value();
            vec![Step::Try(quote!(#out.put_wchar(#value)))]
        }
        Type::Fixed(..) => {
            let value = operand.value();
            vec![Step::Do(quote!(#out.put_decimal(#value);))]
        }
        Type::WString(None) => vec![Step::Try(quote!(#out.put_wstring(#reference)))],
        Type::WString(Some(bound)) => {
            let bound = Literal::u32_unsuffixed(*bound);
            vec![Step::Try(quote!(#out.put_bounded_wstring(#reference, #bound)))]
        }
        Type::Primitive(kind) => {
            let put = names::ident(&format!("put_{}", types::primitive(*kind)));
            let value = operand.value();
            vec![Step::Do(quote!(#out.#put(#value);))]
        }
        Type::String(None) => vec![Step::Try(quote!(#out.borrow_string(#reference)))],
        Type::String(Some(bound)) => {
            let bound = Literal::u32_unsuffixed(*bound);
            vec![Step::Try(quote!(#out.put_bounded_string(#reference, #bound)))]
        }
        Type::Sequence(element, bound) => encode_sequence(scope, out, element, *bound, operand),
        Type::SharedOctets(None) | Type::Principal => {
            vec![Step::Try(quote!(#out.put_sequence::<u8>(#reference)))]
        }
        Type::SharedOctets(Some(bound)) => {
            let bound = Literal::u32_unsuffixed(*bound);
            vec![Step::Try(quote!(#out.put_bounded_sequence::<u8>(#reference, #bound)))]
        }
        Type::Map(key, value, bound) if !types::is_plain(model, ty) => {
            encode_map(scope, out, (key, value), *bound, operand)
        }
        Type::Array(element, dimensions) if !types::is_plain(model, element) => {
            encode_each(scope, out, element, dimensions.len(), operand)
        }
        _ if types::is_enum(model, ty) => {
            let value = operand.value();
            vec![Step::Do(quote!(#out.put_u32(#value as u32);))]
        }
        _ => vec![Step::Try(quote!(codegen::Encode::encode(#reference, #out)))],
    }
}

fn encode_sequence(
    scope: &Scope<'_>,
    out: &Ident,
    element: &Type,
    bound: Option<u32>,
    operand: &Operand,
) -> Vec<Step> {
    let reference = operand.reference();
    let bound = bound.map(Literal::u32_unsuffixed);
    if types::is_plain(scope.model, element) {
        return vec![Step::Try(match bound {
            None => quote!(#out.put_sequence(#reference)),
            Some(bound) => quote!(#out.put_bounded_sequence(#reference, #bound)),
        })];
    }
    let items = operand.receiver();
    let check = bound.map(|bound| Step::Try(quote!(#out.check_bound(#items.len(), #bound))));
    let length = Step::Try(quote!(#out.put_length(#items.len())));
    let each = encode_each(scope, out, element, 1, operand);
    check.into_iter().chain([length]).chain(each).collect()
}

fn encode_map(
    scope: &Scope<'_>,
    out: &Ident,
    (key, value): (&Type, &Type),
    bound: Option<u32>,
    operand: &Operand,
) -> Vec<Step> {
    let (pairs, items) = (operand.reference(), operand.receiver());
    let check = bound.map(|bound| {
        let bound = Literal::u32_unsuffixed(bound);
        Step::Try(quote!(#out.check_bound(#items.len(), #bound)))
    });
    let length = Step::Try(quote!(#out.put_length(#items.len())));
    let (key_name, value_name) = (names::ident("key"), names::ident("value"));
    let mut body = encode(scope, out, key, &Operand::Shared(key_name.clone()));
    body.extend(encode(scope, out, value, &Operand::Shared(value_name.clone())));
    let body = statements(&body);
    let each = Step::Do(quote!(for (#key_name, #value_name) in #pairs { #body }));
    check.into_iter().chain([length, each]).collect()
}

/// A loop over the elements of an array of so many dimensions, or of a sequence, which has one.
fn encode_each(
    scope: &Scope<'_>,
    out: &Ident,
    element: &Type,
    dimensions: usize,
    operand: &Operand,
) -> Vec<Step> {
    let item = names::ident("item");
    let inner = Operand::Shared(item.clone());
    let steps = match dimensions {
        1 => encode(scope, out, element, &inner),
        _ => encode_each(scope, out, element, dimensions - 1, &inner),
    };
    let items = operand.reference();
    let body = statements(&steps);
    vec![Step::Do(quote!(for #item in #items { #body }))]
}

/// The steps as a sequence of statements.
pub(super) fn statements(steps: &[Step]) -> TokenStream {
    steps
        .iter()
        .map(|step| match step {
            Step::Try(expression) => quote!(#expression?;),
            Step::Do(statement) => statement.clone(),
        })
        .collect()
}

/// The steps as the body of a function or closure that returns `CdrResult`.
pub(super) fn body(steps: &[Step]) -> TokenStream {
    match steps {
        [before @ .., Step::Try(last)] => {
            let before = statements(before);
            quote!(#before #last)
        }
        steps => {
            let steps = statements(steps);
            quote!(#steps Ok(()))
        }
    }
}

/// The steps as a closure with the parameters `before` and the encoder `out`.
pub(super) fn closure(before: &TokenStream, out: &Ident, steps: &[Step]) -> TokenStream {
    let body = body(steps);
    match steps {
        [] => quote!(|#before _out| Ok(())),
        [Step::Try(_)] => quote!(|#before #out| #body),
        _ => quote!(|#before #out| { #body }),
    }
}

/// An expression of the type `CdrResult` that reads an owned value from the decoder `input`.
pub(super) fn decode(scope: &Scope<'_>, input: &Ident, ty: &Type) -> TokenStream {
    match scope.model.resolve(ty) {
        Type::Primitive(Primitive::WChar) => quote!(#input.wchar()),
        Type::Fixed(..) => quote!(#input.decimal()),
        Type::Primitive(kind) => {
            let read = types::primitive(*kind);
            quote!(#input.#read())
        }
        Type::String(_) | Type::WString(_) | Type::SharedOctets(_) => {
            let read = decode_borrowed(scope, input, ty);
            quote!(#read.map(Into::into))
        }
        Type::Principal => quote!(#input.sequence()),
        Type::Sequence(element, bound) => decode_sequence(scope, input, element, *bound),
        Type::Map(key, value, bound) if !types::is_plain(scope.model, ty) => {
            let kind = if types::is_ordered(scope.model, key) { "map" } else { "sequence" };
            let (key, value) = (decode(scope, input, key), decode(scope, input, value));
            let pair = quote!(|#input| Ok((#key?, #value?)));
            let (read, bound) = match bound.map(Literal::u32_unsuffixed) {
                None => (format_ident!("{kind}_with"), None),
                Some(bound) => (format_ident!("bounded_{kind}_with"), Some(quote!(#bound,))),
            };
            quote!(#input.#read(#bound #pair))
        }
        Type::Array(element, dimensions) if !types::is_plain(scope.model, element) => {
            let levels = scope.properties.levels(element, dimensions);
            levels.into_iter().fold(decode(scope, input, element), |element, level| {
                let read =
                    names::ident(if level.large { "large_array_with" } else { "array_with" });
                quote!(#input.#read(|#input| #element))
            })
        }
        _ => quote!(codegen::Decode::decode(#input)),
    }
}

fn decode_sequence(
    scope: &Scope<'_>,
    input: &Ident,
    element: &Type,
    bound: Option<u32>,
) -> TokenStream {
    let bound = bound.map(Literal::u32_unsuffixed);
    match (bound, types::is_plain(scope.model, element)) {
        (None, true) => quote!(#input.sequence()),
        (Some(bound), true) => quote!(#input.bounded_sequence(#bound)),
        (None, false) => {
            let element = decode(scope, input, element);
            quote!(#input.sequence_with(|#input| #element))
        }
        (Some(bound), false) => {
            let element = decode(scope, input, element);
            quote!(#input.bounded_sequence_with(#bound, |#input| #element))
        }
    }
}

/// Whether values of the type are encoded with a call of `Encode::encode`.
pub(super) fn is_call(model: &Model, ty: &Type) -> bool {
    match model.resolve(ty) {
        Type::Named(_) | Type::Object | Type::Any | Type::TypeCode | Type::ValueBase => true,
        Type::SharedStrings => true,
        Type::Array(element, _) => types::is_plain(model, element),
        _ => false,
    }
}

/// Reads an `in` argument of a server: an expression of what `types::parameter` borrows from.
pub(super) fn decode_borrowed(scope: &Scope<'_>, input: &Ident, ty: &Type) -> TokenStream {
    match scope.model.resolve(ty) {
        Type::String(None) => quote!(#input.string()),
        Type::String(Some(bound)) => {
            let bound = Literal::u32_unsuffixed(*bound);
            quote!(#input.bounded_string(#bound))
        }
        Type::WString(None) => quote!(#input.wstring()),
        Type::WString(Some(bound)) => {
            let bound = Literal::u32_unsuffixed(*bound);
            quote!(#input.bounded_wstring(#bound))
        }
        Type::Principal => quote!(#input.octets()),
        Type::Sequence(_, bound) | Type::SharedOctets(bound)
            if types::is_octets(scope.model, ty) =>
        {
            match bound {
                None => quote!(#input.octets()),
                Some(bound) => {
                    let bound = Literal::u32_unsuffixed(*bound);
                    quote!(#input.bounded_octets(#bound))
                }
            }
        }
        Type::Sequence(element, bound) if types::is_number(scope.model, element) => {
            let (element, bound) = (types::owned(scope, element), limit(*bound));
            quote!(#input.borrowed_sequence::<#element>(#bound))
        }
        Type::Sequence(element, bound) if fixed::is_fixed(scope, element) => {
            let (element, bound) = (types::owned(scope, element), limit(*bound));
            quote!(codegen::Scratch::<#element>::read(#input, #bound))
        }
        _ => decode(scope, input, ty),
    }
}

/// A bound as an expression.
fn limit(bound: Option<u32>) -> TokenStream {
    match bound.map(Literal::u32_unsuffixed) {
        None => quote!(None),
        Some(bound) => quote!(Some(#bound)),
    }
}

//! `const`, and constant values as expressions.

use super::docs::docs;
use super::lints;
use super::module::Module;
use super::names;
use super::scope::Scope;
use super::types;
use crate::model::{Const, ConstValue, DeclId, DeclKind, Declaration, Fixed, Primitive, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Emits a constant.
pub(super) fn generate(
    scope: &Scope<'_>,
    scoped_name: &str,
    declaration: &Declaration,
    constant: &Const,
    module: &mut Module,
) {
    let docs = docs(&declaration.docs, &format!("IDL `{scoped_name}`."));
    let name = names::ident(&names::upper(&declaration.name));
    let resolved = scope.model.resolve(&constant.ty);
    let ty = match resolved {
        Type::String(_) | Type::WString(_) => quote!(&str),
        _ => types::owned(scope, &constant.ty),
    };
    let allow = match constant.value {
        ConstValue::Float(value) => lints::allow(&lints::float(value)),
        _ => TokenStream::new(),
    };
    let value = match (&constant.value, resolved) {
        (ConstValue::Float(value), Type::Primitive(Primitive::Float)) => single(*value as f32),
        (ConstValue::Fixed(value), Type::Fixed(_, scale)) => decimal(value, *scale),
        (value, _) => literal(scope, value),
    };
    module.push(quote!(#docs #allow pub const #name: #ty = #value;));
}

/// A constant value as an expression that is also a pattern.
pub(super) fn literal(scope: &Scope<'_>, value: &ConstValue) -> TokenStream {
    match value {
        ConstValue::Integer(value) => {
            let magnitude = Literal::u128_unsuffixed(value.unsigned_abs());
            negated(*value < 0, quote!(#magnitude))
        }
        ConstValue::Float(value) if value.is_finite() => {
            let magnitude = Literal::f64_unsuffixed(value.abs());
            negated(value.is_sign_negative(), quote!(#magnitude))
        }
        ConstValue::Float(value) if value.is_nan() => quote!(f64::NAN),
        ConstValue::Float(value) => negated(*value < 0.0, quote!(f64::INFINITY)),
        ConstValue::LongDouble(value) => {
            // Rust has no literal of this type.
            let bits = format!("0x{:032x}", value.to_bits()).parse::<TokenStream>();
            let bits = bits.unwrap_or_default();
            quote!(codegen::LongDouble::from_bits(#bits))
        }
        ConstValue::Boolean(value) => quote!(#value),
        ConstValue::Char(value) => {
            let value = Literal::byte_character(*value);
            quote!(#value)
        }
        ConstValue::String(value) => quote!(#value),
        ConstValue::Enumerator(id, index) => enumerator(scope, *id, *index),
        // `unsupported` has rejected surrogates.
        ConstValue::WChar(unit) => {
            let character = char::from_u32(u32::from(*unit)).unwrap_or_default();
            quote!(#character)
        }
        ConstValue::WString(units) => {
            let text = String::from_utf16_lossy(units);
            quote!(#text)
        }
        ConstValue::Fixed(value) => decimal(value, value.scale()),
    }
}

/// A fixed-point number with `scale` digits after its point.
fn decimal(value: &Fixed, scale: u16) -> TokenStream {
    // The scale of a type is no less than that of its values, and 31 at most.
    let zeros = u32::from(scale.saturating_sub(value.scale()));
    let unscaled = value.unscaled().saturating_mul(10_i128.saturating_pow(zeros));
    let magnitude = Literal::u128_unsuffixed(unscaled.unsigned_abs());
    let unscaled = negated(unscaled < 0, quote!(#magnitude));
    quote!(codegen::Decimal::constant(#unscaled))
}

fn single(value: f32) -> TokenStream {
    if !value.is_finite() {
        return negated(value < 0.0, quote!(f32::INFINITY));
    }
    let magnitude = Literal::f32_unsuffixed(value.abs());
    negated(value.is_sign_negative(), quote!(#magnitude))
}

fn negated(negative: bool, magnitude: TokenStream) -> TokenStream {
    if negative { quote!(-#magnitude) } else { magnitude }
}

/// The path to the enumerator with the number `index` of an enum.
pub(super) fn enumerator(scope: &Scope<'_>, id: DeclId, index: u32) -> TokenStream {
    let path = scope.path(id);
    let variant = match &scope.model.get(id).kind {
        DeclKind::Enum(data) => data.enumerators.get(index as usize),
        _ => None,
    };
    let variant = variant.map(|variant| names::ident(&names::variant(&variant.name)));
    quote!(#path::#variant)
}

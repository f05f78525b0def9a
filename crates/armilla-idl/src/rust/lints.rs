//! Clippy lints that generated code violates because of the IDL, so that only the affected items
//! `allow` them.

use super::names;
use super::operation::Callable;
use super::properties::TypeProperties;
use crate::model::{DeclId, DeclKind, Model, Type};
use proc_macro2::TokenStream;
use quote::quote;

/// Clippy's limit of the complexity of a type.
const MAX_COMPLEXITY: u64 = 250;

/// An attribute that allows `lints`; nothing if there are none.
pub(super) fn allow(lints: &[&str]) -> TokenStream {
    if lints.is_empty() {
        return TokenStream::new();
    }
    let lints = lints.iter().map(|lint| names::ident(lint));
    quote!(#[allow(#(clippy::#lints),*)])
}

/// The attribute that allows the lints that a method of a trait violates.
pub(super) fn method(properties: &TypeProperties, callable: &Callable<'_>) -> TokenStream {
    let mut lints = method_lints(callable, &callable.method, 0);
    if returned_complexity(callable) > MAX_COMPLEXITY {
        lints.push("type_complexity");
    }
    lints.extend(raises(properties, callable));
    allow(&lints)
}

/// The same for the method `name` of a callable whose reply comes later, in a future or, with one
/// parameter more, through a handler.
pub(super) fn later_method(callable: &Callable<'_>, name: &str, more: usize) -> TokenStream {
    let mut lints = method_lints(callable, name, more);
    if replied_complexity(callable) > MAX_COMPLEXITY {
        lints.push("type_complexity");
    }
    allow(&lints)
}

/// The lints about the method's name and its parameters, of which it has `more` than the callable.
fn method_lints(callable: &Callable<'_>, name: &str, more: usize) -> Vec<&'static str> {
    let mut lints = Vec::new();
    let parameters = 1 + callable.arguments().count() + callable.context().iter().count();
    if parameters + more > 7 {
        lints.push("too_many_arguments");
    }
    if name == "new" {
        lints.extend(["new_ret_no_self", "wrong_self_convention"]);
    } else if ["from_", "into_"].iter().any(|prefix| name.starts_with(prefix)) {
        lints.push("wrong_self_convention");
    }
    lints
}

/// The lint about large errors that a function with these exceptions violates.
pub(super) fn raises(properties: &TypeProperties, callable: &Callable<'_>) -> Option<&'static str> {
    let raised = callable.raises.iter().map(|id| properties.of_type(&Type::Named(*id)).size);
    (raised.max().unwrap_or(0) > 96).then_some("result_large_err")
}

/// The lints that a field or a parameter of this type violates.
pub(super) fn field(ty: &Type) -> Vec<&'static str> {
    if complexity(ty, 1) > MAX_COMPLEXITY { vec!["type_complexity"] } else { Vec::new() }
}

/// The lints that a trait with these methods violates.
pub(super) fn interface(callables: &[Callable<'_>]) -> Vec<&'static str> {
    let has = |name| callables.iter().any(|callable| callable.method == name);
    if has("len") && !has("is_empty") { vec!["len_without_is_empty"] } else { Vec::new() }
}

/// The lints that an enum with variants of these names and sizes violates.
pub(super) fn variants(name: &str, variants: &[String], sizes: &[u64]) -> Vec<&'static str> {
    let mut lints = Vec::new();
    let words: Vec<Vec<&str>> = variants.iter().map(|variant| names::words(variant)).collect();
    let shared = |word: fn(&[&str]) -> Option<String>| {
        let mut found = words.iter().map(|words| word(words));
        let first = found.next().flatten();
        first.is_some() && found.all(|word| word == first)
    };
    let alike = shared(|words| words.first().map(|word| (*word).to_owned()))
        || shared(|words| words.last().map(|word| (*word).to_owned()));
    let repeats =
        variants.iter().any(|variant| variant.starts_with(name) || variant.ends_with(name));
    if (alike && variants.len() > 2) || repeats {
        lints.push("enum_variant_names");
    }
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    if let [.., second, largest] = sizes.as_slice()
        && largest - second > 128
    {
        lints.push("large_enum_variant");
    }
    lints
}

/// The lints that a constant violates.
pub(super) fn float(value: f64) -> Vec<&'static str> {
    use std::f64::consts::*;
    let known = [
        E,
        FRAC_1_PI,
        FRAC_1_SQRT_2,
        FRAC_2_PI,
        FRAC_2_SQRT_PI,
        FRAC_PI_2,
        FRAC_PI_3,
        FRAC_PI_4,
        FRAC_PI_6,
        FRAC_PI_8,
        LN_10,
        LN_2,
        LOG10_2,
        LOG10_E,
        LOG2_10,
        LOG2_E,
        PI,
        SQRT_2,
        TAU,
    ];
    let near = known.iter().any(|constant| (value.abs() - constant).abs() < 0.01);
    if near { vec!["approx_constant"] } else { Vec::new() }
}

/// Whether a module has the name of its parent.
pub(super) fn repeats_its_scope(model: &Model, module: DeclId) -> bool {
    let declaration = model.get(module);
    declaration.scope.is_some_and(|scope| {
        let scope = model.get(scope);
        matches!(scope.kind, DeclKind::Module(_))
            && names::module(&scope.name) == names::module(&declaration.name)
    })
}

/// Clippy's measure of the complexity of the return type: ten points for each type, times its
/// depth.
fn returned_complexity(callable: &Callable<'_>) -> u64 {
    result_complexity(callable, callable.returned().collect())
}

/// The complexity of the `ReplyFuture` or `ResponseHandler` with the values of the reply, whose
/// parameters are those of a `Result`.
fn replied_complexity(callable: &Callable<'_>) -> u64 {
    result_complexity(callable, callable.received().collect())
}

fn result_complexity(callable: &Callable<'_>, values: Vec<&Type>) -> u64 {
    let depth = if values.len() > 1 { 3 } else { 2 };
    let complexities: u64 = values.iter().map(|ty| complexity(ty, depth)).sum();
    // The `Result` itself, a tuple in it, and the error type with its parameter.
    10 + if depth == 3 { 20 } else { 0 }
        + complexities
        + 20
        + if callable.raises.is_empty() { 0 } else { 30 }
}

fn complexity(ty: &Type, depth: u64) -> u64 {
    match ty {
        Type::Sequence(element, _) => 10 * depth + complexity(element, depth + 1),
        Type::Array(element, dimensions) => {
            let dimensions = dimensions.len() as u64;
            (0..dimensions).map(|i| 10 * (depth + i)).sum::<u64>()
                + complexity(element, depth + dimensions)
        }
        Type::Map(key, value, _) => {
            10 * depth + complexity(key, depth + 1) + complexity(value, depth + 1)
        }
        _ => 10 * depth,
    }
}

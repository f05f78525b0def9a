//! The labels of a union as Rust patterns.

use super::consts;
use super::scope::Scope;
use crate::model::ConstValue;
use proc_macro2::TokenStream;
use quote::quote;

/// The minimum number of consecutive labels that become a range.
const MIN_RUN: usize = 3;

/// The pattern that matches exactly these labels; empty for none.
pub(super) fn pattern(scope: &Scope<'_>, labels: &[&ConstValue]) -> TokenStream {
    let mut alternatives = labels.to_vec();
    if labels.iter().all(|label| number(label).is_some()) {
        alternatives.sort_by_key(|label| number(label));
    }
    let runs: Vec<&[&ConstValue]> = alternatives.chunk_by(|a, b| follows(a, b)).collect();
    if runs.iter().all(|run| run.len() < MIN_RUN) {
        let labels = labels.iter().map(|label| consts::literal(scope, label));
        return quote!(#(#labels)|*);
    }
    let alternatives = runs.into_iter().map(|run| match run {
        [first, .., last] if run.len() >= MIN_RUN => {
            let (first, last) = (consts::literal(scope, first), consts::literal(scope, last));
            quote!(#first..=#last)
        }
        run => {
            let labels = run.iter().map(|label| consts::literal(scope, label));
            quote!(#(#labels)|*)
        }
    });
    quote!(#(#alternatives)|*)
}

/// Whether `b` follows `a`.
fn follows(a: &ConstValue, b: &ConstValue) -> bool {
    number(a).is_some_and(|a| a.checked_add(1) == number(b))
}

/// The value of a label that is a number or a character.
fn number(label: &ConstValue) -> Option<i128> {
    match label {
        ConstValue::Integer(value) => Some(*value),
        ConstValue::Char(value) => Some(i128::from(*value)),
        ConstValue::WChar(value) => Some(i128::from(*value)),
        _ => None,
    }
}

//! The constant `RT_INFO` of an interface with annotations of timing.

use super::names;
use super::scope::Scope;
use crate::model::{DeclId, DeclKind, Export, Level, Operation, Timing};
use proc_macro2::TokenStream;
use quote::quote;

/// The name of the constant.
pub(super) const TABLE: &str = "RT_INFO";

/// The table of the annotated operations that the interface itself declares; nothing if there is
/// none.
pub(super) fn table(scope: &Scope<'_>, id: DeclId) -> Option<TokenStream> {
    let DeclKind::Interface(interface) = &scope.idl.get(id).kind else { return None };
    let interface_name = scope.idl.scoped_name(id);
    let entries = interface.exports.iter().filter_map(|export| match export {
        Export::Operation(operation) => {
            operation.timing.as_ref().map(|timing| entry(&interface_name, operation, timing))
        }
        Export::Attribute(_) => None,
    });
    let entries: Vec<TokenStream> = entries.collect();
    let name = names::ident(TABLE);
    (!entries.is_empty()).then(|| {
        quote! {
            /// The timing of the operations, from the annotations in the IDL.
            pub const #name: &[codegen::RtInfo] = &[#(#entries),*];
        }
    })
}

fn entry(interface: &str, operation: &Operation, timing: &Timing) -> TokenStream {
    let name = format!("{interface}::{}", operation.name);
    let oneway = operation.oneway;
    let (period, deadline) = (optional(timing.period), optional(timing.deadline));
    let (wcet, jitter) = (optional(timing.wcet), time(timing.jitter.unwrap_or(0)));
    let (criticality, importance) = (level(timing.criticality), level(timing.importance));
    let threads = timing.threads.unwrap_or(1);
    let calls = timing.calls.iter().map(|call| {
        let (operation, delay) = (&call.operation, time(call.delay));
        quote!(codegen::RtCall { operation: #operation, delay: #delay })
    });
    let holds = timing.holds.iter().map(|hold| {
        let (resource, length) = (&hold.resource, time(hold.length));
        quote!(codegen::RtSection { resource: #resource, length: #length })
    });
    quote! {
        codegen::RtInfo {
            operation: #name,
            oneway: #oneway,
            period: #period,
            deadline: #deadline,
            wcet: #wcet,
            jitter: #jitter,
            criticality: #criticality,
            importance: #importance,
            threads: #threads,
            calls: &[#(#calls),*],
            holds: &[#(#holds),*],
        }
    }
}

fn time(nanos: u64) -> TokenStream {
    quote!(codegen::nanos(#nanos))
}

fn optional(nanos: Option<u64>) -> TokenStream {
    match nanos {
        Some(nanos) => {
            let time = time(nanos);
            quote!(Some(#time))
        }
        None => quote!(None),
    }
}

fn level(level: Option<Level>) -> TokenStream {
    match level.unwrap_or(Level::Medium) {
        Level::VeryLow => quote!(codegen::RtLevel::VeryLow),
        Level::Low => quote!(codegen::RtLevel::Low),
        Level::Medium => quote!(codegen::RtLevel::Medium),
        Level::High => quote!(codegen::RtLevel::High),
        Level::VeryHigh => quote!(codegen::RtLevel::VeryHigh),
    }
}

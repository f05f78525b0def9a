//! CDR: what types, values and texts become on the wire, to the octet, and what comes back.

mod any;
mod any_properties;
mod code_sets;
mod corpus;
mod decimals;
mod fixed;
mod fragmented;
mod lone_surrogates;
mod numbers;
mod opaque_values;
#[path = "../random/mod.rs"]
mod random;
mod shown;
mod type_codes;
mod values;
mod values_of_others;
mod valuetypes;
mod wide;

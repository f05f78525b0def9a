//! References: as text, by published names, typed and untyped, and initial ones.

mod addresses;
mod identity;
mod initial;
mod interfaces;
mod published;

const EVERYTHING: &str = "IDL:armilla.org/Probe/Everything:1.0";

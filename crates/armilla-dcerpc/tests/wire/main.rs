//! The octets of DCE/RPC: values, PDUs and their fragments.

mod corpus;
mod fragments;
mod pdus;
mod values;
mod verification;

//! The octets of DCOM: references, calls, activation.

mod activation;
mod automation;
mod calls;
mod corpus;
mod json;
mod references;

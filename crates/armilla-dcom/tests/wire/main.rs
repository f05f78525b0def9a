//! The octets of DCOM: references, calls, activation.

mod activation;
mod calls;
mod corpus;
mod references;

//! GIOP: messages, their fragments and framing, both ends of a connection, and references.

mod both_ends;
mod components;
mod corpus;
mod csi;
mod fast_paths;
mod fragments;
mod framer;
mod framer_limits;
mod random;
mod references;
mod requests;
mod responder;
mod seeds;

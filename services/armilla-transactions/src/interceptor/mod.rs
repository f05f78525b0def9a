//! How transactions travel: with requests that are sent, and with those that arrive.

mod client;
mod references;
mod server;

pub(crate) use client::Requests;
pub(crate) use references::References;
pub(crate) use server::Served;

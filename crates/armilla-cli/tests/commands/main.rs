//! The commands of `armilla`, as users, operators and editors run them.

mod bounds;
mod call;
mod call_arguments;
mod call_values;
mod callers;
mod com;
mod events;
mod idl;
mod idl_check;
mod idl_diff;
mod idl_fmt;
mod idl_lsp;
mod ifr;
mod imr;
mod ior;
mod locks;
mod measure;
mod naming;
mod naming_serve;
mod references;
mod running;
mod schedule;
mod security;
mod small_services;
mod tls;
mod trader;

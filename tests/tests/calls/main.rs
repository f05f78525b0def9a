//! Calls: parameters, results and exceptions of every kind of IDL type, through generated code; and
//! the policies that change how a call is made.

mod arguments;
mod bounds;
mod callers;
mod code_sets;
mod com;
mod com_midl;
mod com_sizes;
mod com_types;
mod components;
mod concurrency;
mod constructs;
mod default_bodies;
mod exception_details;
mod generated;
mod large_arrays;
mod large_octets;
mod names_of_the_specification;
mod oneways;
mod parameters;
mod policies;
mod rare_types;
mod remoting;
mod shared_types;

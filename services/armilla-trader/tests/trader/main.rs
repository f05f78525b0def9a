//! The trader: its constraint language, its interfaces and its store.

mod constraint;
mod corpus;
mod federation;
mod offers;
mod page;
mod printers;
mod queries;
mod served;
mod service_types;
mod store;
mod transactions;

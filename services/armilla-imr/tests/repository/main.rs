//! The implementation repository: servers that it starts, and what outlives its process.

mod announced;
mod corpus;
mod measure;
mod model;
mod pages;
mod restart;
mod serve;
mod served;

//! The exchange: its programs, and its service.

mod programs;
mod service;

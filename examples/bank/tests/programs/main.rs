//! The programs of the bank, and what the README and the documentation print.

mod bank;
mod readme;

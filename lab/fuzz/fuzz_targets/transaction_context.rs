#![no_main]

#[path = "../checks/transaction_context.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

#![no_main]

#[path = "../checks/bridge_values.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

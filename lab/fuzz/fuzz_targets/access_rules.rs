#![no_main]

#[path = "../checks/access_rules.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

#![no_main]

#[path = "../checks/ntlm.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

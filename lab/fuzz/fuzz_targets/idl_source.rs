#![no_main]

#[path = "../checks/idl_source.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

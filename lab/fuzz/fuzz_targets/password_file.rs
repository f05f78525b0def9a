#![no_main]

#[path = "../checks/password_file.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

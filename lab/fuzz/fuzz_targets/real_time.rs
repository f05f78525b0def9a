#![no_main]

#[path = "../checks/real_time.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

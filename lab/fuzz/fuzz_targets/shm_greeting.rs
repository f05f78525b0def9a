#![no_main]

#[path = "../checks/shm_greeting.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

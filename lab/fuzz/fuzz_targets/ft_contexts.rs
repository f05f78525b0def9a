#![no_main]

#[path = "../checks/ft_contexts.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

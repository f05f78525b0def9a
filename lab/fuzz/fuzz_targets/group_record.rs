#![no_main]

#[path = "../checks/group_record.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

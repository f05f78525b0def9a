#![no_main]

#[path = "../checks/imaging.rs"]
mod imaging;

libfuzzer_sys::fuzz_target!(|data: &[u8]| imaging::check(data));

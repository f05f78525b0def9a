#![no_main]

#[path = "../checks/event_datagram.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

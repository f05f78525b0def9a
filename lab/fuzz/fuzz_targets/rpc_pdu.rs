#![no_main]

#[path = "../checks/rpc_pdu.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));

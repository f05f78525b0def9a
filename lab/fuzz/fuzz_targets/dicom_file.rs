#![no_main]

#[path = "../checks/dicom_file.rs"]
mod dicom_file;

libfuzzer_sys::fuzz_target!(|data: &[u8]| dicom_file::check(data));

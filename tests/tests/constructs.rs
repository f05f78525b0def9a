//! The Rust of each construct of IDL compiles without warnings.
//!
//! The IDL is that of `crates/armilla-idl/tests/rust`, where the compiler's own tests compare
//! fragments of the result; here the whole of it is compiled.

#![deny(warnings)]

use armilla::{CdrResult, CustomMarshal, Decoder, Encoder};

/// A module for each file.
#[allow(missing_docs)]
mod constructs {
    include!(concat!(env!("OUT_DIR"), "/constructs/all.rs"));
}

/// A `custom` valuetype compiles once the program says how it travels.
impl CustomMarshal for constructs::values::drawing::Sealed {
    fn marshal<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.text)
    }

    fn unmarshal(input: &mut Decoder<'_>) -> CdrResult<Self> {
        Ok(Self { text: input.string()?.to_string() })
    }
}

#[test]
fn generated_code_compiles_without_warnings() {
    assert_eq!(constructs::constants::limits::MAX_ACCOUNTS, 16);
}

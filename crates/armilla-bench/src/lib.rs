//! What a call costs: the interface of the experiments and a servant that drops what it gets.
//!
//! The program `calls` serves it or calls it; the script `instructions` counts what that takes.

#![forbid(unsafe_code)]

armilla::include_idl!("ttcp");

use armilla::SystemException;

/// Takes everything and does nothing.
#[derive(Debug)]
pub struct Sink;

/// Implements operations that take one argument, or none, and drop it.
macro_rules! drop_all {
    ($($operation:ident($($argument:ident: $ty:ty)?);)*) => {
        impl TtcpSequence for Sink {
            $(fn $operation(&self $(, $argument: $ty)?) -> Result<(), SystemException> {
                Ok(())
            })*
        }
    };
}

drop_all! {
    send_struct_seq_2way(_s: &[BinStruct]);
    send_short_seq_2way(_s: &[i16]);
    send_char_seq_2way(_s: &[u8]);
    send_long_seq_2way(_s: &[i32]);
    send_octet_seq_2way(_s: &[u8]);
    send_double_seq_2way(_s: &[f64]);
    send_no_params_2way();
    send_struct_seq_1way(_s: &[BinStruct]);
    send_short_seq_1way(_s: &[i16]);
    send_char_seq_1way(_s: &[u8]);
    send_long_seq_1way(_s: &[i32]);
    send_octet_seq_1way(_s: &[u8]);
    send_double_seq_1way(_s: &[f64]);
    send_no_params_1way();
}

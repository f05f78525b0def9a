//! A bank account that is reached through CORBA: the Rust that the IDL compiler makes of
//! `idl/bank.idl`, for the server and the client in `src/bin`.

#![forbid(unsafe_code)]

armilla::include_idl!("bank");

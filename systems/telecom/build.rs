//! Compiles the IDL.

fn main() {
    armilla_idl::build("idl/telecom.idl").unwrap_or_else(|errors| errors.exit());
}

//! Compiles the IDL.

fn main() {
    armilla_idl::build("idl/opc.idl").unwrap_or_else(|errors| errors.exit());
}

//! Compiles the IDL.

fn main() {
    armilla_idl::build("idl/avionics.idl").unwrap_or_else(|errors| errors.exit());
}

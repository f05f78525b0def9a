//! Compiles the IDL of the demonstration.

fn main() {
    armilla_idl::build("idl/demo.idl").unwrap_or_else(|errors| errors.exit());
}

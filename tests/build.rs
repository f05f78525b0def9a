//! Compiles the IDL of the tests.

fn main() {
    armilla_idl::build("idl/dynamic.idl").unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("idl/probe.idl").unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("idl/texts.idl").unwrap_or_else(|errors| errors.exit());
    armilla_idl::build("idl/values.idl").unwrap_or_else(|errors| errors.exit());
}

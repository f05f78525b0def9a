//! Compiles the IDL of the experiments.

fn main() {
    armilla_idl::build("../../idl/ttcp.idl").unwrap_or_else(|errors| errors.exit());
}

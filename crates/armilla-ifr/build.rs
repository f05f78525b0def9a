//! Compiles the IDL of the interface repository.

fn main() {
    armilla_idl::build("../../idl/ir.idl").unwrap_or_else(|errors| errors.exit());
}

//! Compiles the IDL of the members of groups.

fn main() {
    armilla_idl::Build::new()
        .asynchronous(true)
        .compile("idl/ArmillaReplication.idl")
        .unwrap_or_else(|errors| errors.exit());
}

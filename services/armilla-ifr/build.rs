//! Compiles the IDL of the interface repository.

fn main() {
    armilla_idl::Build::new()
        .derive("CORBA::PrimitiveKind", "serde::Serialize, serde::Deserialize")
        .compile("idl/ir.idl")
        .unwrap_or_else(|errors| errors.exit());
}

//! Compiles the IDL of the naming service.

fn main() {
    let files = ["CosNaming.idl", "ArmillaNaming.idl"].map(|file| format!("idl/{file}"));
    armilla_idl::Build::new()
        .compile_all("CosNaming", files)
        .unwrap_or_else(|errors| errors.exit());
}

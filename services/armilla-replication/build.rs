//! Compiles the IDL of the members of groups, and of their manager.

fn main() {
    let files = ["ArmillaReplication", "FT"].map(|file| format!("idl/{file}.idl"));
    armilla_idl::Build::new()
        .asynchronous(true)
        .extern_path("CosNaming", "::armilla_cos_naming")
        .compile_all("ArmillaReplication", files)
        .unwrap_or_else(|errors| errors.exit());
}

//! Compiles the IDL of the transaction service.

fn main() {
    let files = ["CosTransactions.idl", "ArmillaTransactions.idl"];
    let files = files.map(|file| format!("idl/{file}"));
    armilla_idl::Build::new()
        .compile_all("CosTransactions", files)
        .unwrap_or_else(|errors| errors.exit());
}

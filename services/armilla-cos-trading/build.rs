//! Compiles the IDL of the trading service.

fn main() {
    let files = ["CosTrading.idl", "CosTradingRepos.idl", "CosTradingDynamic.idl"];
    let files = files.map(|file| format!("idl/{file}"));
    armilla_idl::Build::new()
        .compile_all("CosTrading", files)
        .unwrap_or_else(|errors| errors.exit());
}

//! Compiles the IDL of the experiments.

fn main() {
    armilla_idl::Build::new()
        .include("../../idl")
        .shared("Bench::StringSeq")
        .compile("../../idl/bench.idl")
        .unwrap_or_else(|errors| errors.exit());
}

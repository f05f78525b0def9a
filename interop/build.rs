//! Compiles the IDL of the suite and of the naming service.

fn main() {
    for file in
        ["../idl/interop.idl", "../idl/CosNaming.idl", "values/graph.idl", "dynamic/mirror.idl"]
    {
        armilla_idl::build(file).unwrap_or_else(|errors| errors.exit());
    }
}

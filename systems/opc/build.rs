//! Compiles the IDL: what clients of CORBA see, and what servers and clients of OPC say.

fn main() {
    for file in ["idl/opc.idl", "idl/data_access.idl"] {
        armilla_idl::build(file).unwrap_or_else(|errors| errors.exit());
    }
}

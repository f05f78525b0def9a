//! Compiles the IDL of the bank.

fn main() {
    armilla_idl::build("idl/ledger.idl").unwrap_or_else(|errors| errors.exit());
}

//! Compiles the IDL of the services.

fn main() {
    // A wait for a lock takes no thread: the servants of lock sets reply later.
    armilla_idl::Build::new()
        .amh(true)
        .extern_path("CosTransactions", "::armilla_transactions::corba")
        .compile_all(
            "CosConcurrencyControl",
            ["idl/CosConcurrencyControl.idl", "idl/ArmillaLocks.idl"],
        )
        .unwrap_or_else(|errors| errors.exit());
}

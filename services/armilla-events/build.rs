//! Compiles the IDL of the event service and of the real-time event channel.

fn main() {
    armilla_idl::build("idl/EventChannelFactory.idl").unwrap_or_else(|errors| errors.exit());
}

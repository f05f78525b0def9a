//! GIOP messages, IORs and object URLs as pure state machines.

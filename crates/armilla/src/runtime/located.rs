//! The result of locating an object, which the object adapters return to the client and the server.

use armilla_giop::ior::Ior;

/// The location of an object, as the status of a `LocateReply` has it (CORBA 3.4 Part 2, 9.4.6).
pub(crate) enum Located {
    /// In this ORB. A servant manager may have to supply the servant.
    Here,
    /// At another reference, for which the key is a published name.
    Elsewhere(Ior),
    /// Unknown: no object has this key.
    Nowhere,
    /// The request addresses the object by a profile of another ORB; this ORB needs the object key.
    Unnamed,
}

//! Where an object is, as the object adapters tell the client and the server.

use armilla_giop::ior::Ior;

/// Where an object is.
pub(crate) enum Located {
    /// Here; its servant may have to be asked for.
    Here,
    /// A published name: the reference that it stands for.
    Elsewhere(Ior),
    /// Nowhere.
    Nowhere,
    /// The request names it by a profile that is not one of ours; its key would do.
    Unnamed,
}

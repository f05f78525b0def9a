//! Other ways than passwords to show who one is, such as Kerberos.

use crate::principal::Principal;
use armilla_ipc::Address;

/// A mechanism of GSS with one token, at the server: the program implements it, by Kerberos for
/// example. Several threads may call it at once.
pub trait Mechanism: Send + Sync + 'static {
    /// Its object identifier in DER, with tag and length: `06 09 2a 86 48 86 f7 12 01 02 02` is that
    /// of Kerberos 5.
    fn identifier(&self) -> &[u8];

    /// The name of the server for clients, whose octets the mechanism defines; an exported name is
    /// made of it.
    fn target_name(&self) -> Vec<u8>;

    /// Accepts the first token of a client, as a whole, or says why not; the server's log gets the
    /// reason, the client gets nothing of it. Returns who the client is, and a last token for it,
    /// which may be empty.
    ///
    /// # Errors
    /// The reason for which the token is refused.
    fn accept(&self, token: &[u8], peer: &Address) -> Result<(Principal, Vec<u8>), String>;
}

/// Whether a token of GSS (RFC 2743, 3.1) is one of this mechanism.
pub(crate) fn is_of(token: &[u8], identifier: &[u8]) -> bool {
    let Some((0x60, rest)) = token.split_first() else { return false };
    let Some((length, rest)) = rest.split_first() else { return false };
    let more = match length {
        0..=0x7f => 0,
        length => usize::from(length & 0x7f),
    };
    rest.get(more..).is_some_and(|inner| !identifier.is_empty() && inner.starts_with(identifier))
}

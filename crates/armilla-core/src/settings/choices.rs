//! Settings that are a choice: collocation, the way between processes of a host, and bidirectional
//! connections.

/// How calls reach the objects of the same process.
///
/// In every mode a deactivated object does not exist, the states of the POA manager and the thread
/// policy of the POA apply, `Current` knows the object, and calls fail after `Orb::shutdown`. An
/// object whose servant a servant manager or a default servant supplies is called through its POA.
///
/// | what differs | `Direct` | `ThroughPoa`, `Remote` |
/// |---|---|---|
/// | `in` arguments | borrowed; the servant cannot change them | a copy |
/// | `inout` arguments | the caller's own, even after a failure | a copy; unchanged on failure |
/// | results | moved to the caller | a copy |
/// | graphs of values | the caller's own, shared | a copy of the same shape |
/// | bounds, and characters that the code set lacks | not checked | an exception |
/// | a panic of the servant | unwinds into the caller | `UNKNOWN` |
/// | a generated `…_async` method | see below | returns at once |
///
/// With `Direct`, an `…_async` method executes the servant in the thread of the caller, unless
/// the servant implements the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Collocation {
    /// Calls the method of the servant: no marshalling, no lock.
    #[default]
    Direct,
    /// Copies arguments and results by marshalling them as for a remote call, but uses no
    /// connection. Values of a fixed size, and `in` sequences of them, are lent instead where only
    /// the POA comes between: nobody can tell them from copies.
    ThroughPoa,
    /// Uses a connection, as a client in another process does.
    Remote,
}

/// What carries the calls between processes of the same host. The lesser of what server and client
/// choose holds. The text form is the value of `-ORBSameHost`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SameHost {
    /// What the address of the reference says, as between hosts. Text form: `off`.
    Off,
    /// Unix-domain sockets. Text form: `unix`.
    Unix,
    /// Shared memory, and Unix-domain sockets for connections beyond the memory that a process gives
    /// to all of them. Text form: `shm`.
    #[default]
    Shm,
}

/// Whether a server calls the objects of clients over connections that the clients made and offered
/// for it: bidirectional GIOP (CORBA 3.4 Part 2, 9.8). The text form is the value of
/// `-ORBAcceptBiDirectionalGIOP`.
///
/// ```
/// use armilla::AcceptBidirectional;
///
/// assert_eq!("checked".parse(), Ok(AcceptBidirectional::Checked));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum AcceptBidirectional {
    /// Never. Text form: `never` or `0`.
    #[default]
    Never,
    /// For the addresses that belong to the client, as far as the connection shows. If two clients
    /// on one host offer a connection for the same address, the later offer counts. Text form:
    /// `checked` or `1`.
    Checked,
    /// For every address that the client names, which clients behind an address translation need.
    /// Any client can then divert the calls to other clients to itself, so the network must exclude
    /// untrusted clients. While a client from one host holds an address, clients from other hosts
    /// cannot offer it. Text form: `trusted`.
    Trusted,
}

//! Servants of `Values::Mirror`, which return their arguments.

use crate::orbs::{client, listening, travel};
use crate::values::mirror::RefuseRaises;
use crate::values::*;
use armilla::{Error, Orb, SystemException, Value, ValueBaseRef};

type Result<T, E = SystemException> = std::result::Result<T, E>;

/// A servant of `Mirror`.
pub struct Glass;

/// The echo rule: the result is what `kept` was; the copy and `kept` are what was given.
///
/// # Errors
/// None.
pub fn echo<T: Clone>(given: &T, kept: &mut T) -> Result<(T, T)> {
    Ok((std::mem::replace(kept, given.clone()), given.clone()))
}

macro_rules! echoes {
    ($($operation:ident $ty:ty),* $(,)?) => {$(
        fn $operation(&self, given: &$ty, kept: &mut $ty) -> Result<($ty, $ty)> {
            echo(given, kept)
        }
    )*};
}

impl Mirror for Glass {
    echoes! {
        echo_node NodeRef,
        echo_pair Pair,
        echo_maybe Maybe,
        echo_text TextRef,
        echo_numbers NumbersRef,
        echo_shape ShapeRef,
        echo_circle CircleRef,
        echo_document DocumentRef,
        echo_sealed SealedRef,
        echo_nothing NothingRef,
        echo_value ValueBaseRef,
        echo_printable PrintableRef,
    }

    fn echo_nodes(&self, given: &[NodeRef], kept: &mut Nodes) -> Result<(Nodes, Nodes)> {
        echo(&given.to_vec(), kept)
    }

    fn are_one(&self, one: &NodeRef, other: &NodeRef) -> Result<bool> {
        Ok(one == other)
    }

    fn refuse(&self, which: &NodeRef) -> Result<(), Error<RefuseRaises>> {
        let why = Some(Value::new(Text("too large".to_owned())));
        Err(Unfit { which: which.clone(), why }.into())
    }
}

/// An ORB that serves a mirror, and references to it from within and from without.
pub struct Mirrors {
    /// The ORB that serves it.
    pub server: Orb,
    /// From within.
    pub near: MirrorRef,
    /// From without.
    pub far: MirrorRef,
}

impl Mirrors {
    /// With the usual settings.
    pub fn new() -> Self {
        Self::seen_from(&client())
    }

    /// Seen by this client from without.
    pub fn seen_from(client: &Orb) -> Self {
        Self::between(listening(), client)
    }

    /// Served and seen by these.
    pub fn between(server: Orb, client: &Orb) -> Self {
        let near: MirrorRef = server.root_poa().activate(mirror::tie(Glass)).unwrap();
        let far = travel(&near, client);
        Self { server, near, far }
    }

    /// From within and from without.
    pub fn both(&self) -> [&MirrorRef; 2] {
        [&self.near, &self.far]
    }

    /// A list of this length, and one node with -1 at its end.
    pub fn chain(length: i32) -> Value<Node> {
        (0..length).fold(node(-1, None), |next, number| node(number, Some(&next)))
    }
}

impl Default for Mirrors {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Mirrors {
    fn drop(&mut self) {
        self.server.shutdown();
    }
}

/// A node with this number.
pub fn node(number: i32, next: Option<&Value<Node>>) -> Value<Node> {
    Value::new(Node { number, next: next.cloned(), ..Node::default() })
}

/// The numbers of a list, or of the first thousand nodes of a cycle.
pub fn numbers(first: NodeRef) -> Vec<i32> {
    let follow = |node: &Value<Node>| node.get().next.clone();
    std::iter::successors(first, follow).take(1000).map(|node| node.get().number).collect()
}

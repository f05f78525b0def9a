//! The naming contexts and their bindings as plain data, without I/O and without an ORB.
//!
//! `rules` decides what an operation does and which exception it ends with, `change` applies what
//! was decided, `listing` reads a context piece by piece, `text` has names and URLs as strings,
//! `balance` chooses among the members of a group, `places` knows the names of a context, `reach` the
//! contexts that no name leads to, `pending` what transactions will change, `owners` counts whose names
//! are. Time is an argument.

mod balance;
mod bindings;
mod change;
mod error;
mod listing;
mod owners;
mod pending;
mod places;
mod reach;
mod rules;
mod text;

pub use armilla_giop::url::{NameComponent, NameError, parse_name, stringify_name};
pub use balance::{Balance, Group, Member};
pub(crate) use balance::{Candidate, nearness};
pub use change::Change;
pub use error::{NamingError, NotFoundReason};
pub use listing::Listed;
pub use owners::{Owned, Owner};
pub use reach::Held;
pub use rules::{Bind, Decision, Found};
pub use text::{AddressError, corbaname};

use armilla_store::Pending;
use bindings::Bindings;
use owners::Owners;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The number of a naming context in its [`NameTree`]. Numbers are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextId(pub u64);

/// The root context.
pub const ROOT: ContextId = ContextId(0);

/// Seconds since 1970, as bindings keep them.
pub type Seconds = u32;

/// An object reference as octets: an IOR in CDR, big-endian. The model never looks inside. Clones
/// share the octets.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ReferenceOctets(Arc<[u8]>);

impl ReferenceOctets {
    /// The octets.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for ReferenceOctets {
    fn from(octets: &[u8]) -> Self {
        Self(octets.into())
    }
}

impl fmt::Debug for ReferenceOctets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReferenceOctets({} octets)", self.0.len())
    }
}

/// One step of a name as the key of a context: the id, a NUL, the kind. A string of CDR contains no
/// NUL, so keys are unambiguous; they sort by id, then by kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step(Box<str>);

impl Step {
    /// The key of a component; `None` if it contains a NUL.
    pub fn new(component: &NameComponent) -> Option<Self> {
        let NameComponent { id, kind } = component;
        if id.contains('\0') || kind.contains('\0') {
            return None;
        }
        let mut key = String::with_capacity(id.len() + kind.len() + 1);
        key.push_str(id);
        key.push('\0');
        key.push_str(kind);
        Some(Self(key.into()))
    }

    /// A key from its text; `None` if it is not a key.
    pub fn from_text(text: &str) -> Option<Self> {
        (text.matches('\0').count() == 1).then(|| Self(text.into()))
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id and the kind.
    fn parts(&self) -> (&str, &str) {
        self.0.split_once('\0').unwrap_or((&self.0, ""))
    }

    /// Whether it has this id and this kind.
    fn is(&self, id: &str, kind: &str) -> bool {
        let rest = self.0.strip_prefix(id).and_then(|rest| rest.strip_prefix('\0'));
        rest.is_some_and(|rest| rest == kind)
    }

    /// The component.
    pub fn component(&self) -> NameComponent {
        let (id, kind) = self.parts();
        NameComponent { id: id.to_owned(), kind: kind.to_owned() }
    }
}

/// What a name is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An object; binding type `nobject`.
    Object(ReferenceOctets),
    /// A context of this tree, which may have been destroyed since; binding type `ncontext`.
    Context(ContextId),
    /// A context of another server; binding type `ncontext`.
    ForeignContext(ReferenceOctets),
    /// Several objects, of which each resolve gives one; binding type `nobject`.
    Group(Arc<Group>),
}

impl Target {
    /// Whether its binding type is `ncontext`.
    pub const fn is_context(&self) -> bool {
        matches!(self, Self::Context(_) | Self::ForeignContext(_))
    }
}

/// A binding: what a step is bound to, since when, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// What the step is bound to.
    pub target: Target,
    /// When it was bound.
    pub since: Seconds,
    /// Whose it is, where names of hosts or users are limited.
    pub owner: Option<Arc<Owner>>,
}

impl Bound {
    /// A binding that is nobody's.
    pub const fn new(target: Target, since: Seconds) -> Self {
        Self { target, since, owner: None }
    }
}

/// A naming context.
#[derive(Debug, Clone, Default)]
struct Context {
    created: Seconds,
    bindings: Bindings,
}

/// The limits of a tree. An operation beyond one ends with
/// [`NamingError::Limit`], which names it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The number of bindings in all contexts. Default: 10,000,000.
    pub bindings: usize,
    /// The number of contexts. Default: 2,000,000.
    pub contexts: usize,
    /// The components of one name. Default: 256.
    pub name_components: usize,
    /// The octets of one component, id and kind together. Default: 4,096.
    pub component_octets: usize,
    /// The octets of one reference. Default: 65,536.
    pub reference_octets: usize,
    /// The members of one group. Default: 256.
    pub group_members: usize,
    /// The changes that wait for the ends of their transactions. Default: 10,000.
    pub pending: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bindings: 10_000_000,
            contexts: 2_000_000,
            name_components: 256,
            component_octets: 4096,
            reference_octets: 65_536,
            group_members: 256,
            pending: 10_000,
        }
    }
}

/// Naming contexts with their bindings. Context [`ROOT`] always exists. Contexts may be bound
/// several times, also in cycles, or not at all.
///
/// An operation is decided by [`bind`](Self::bind), [`unbind`](Self::unbind) and the like, which
/// change nothing; [`apply`](Self::apply) then makes the changes, which a store can record.
///
/// # Examples
/// ```
/// use armilla_naming::model::{Bind, Decision, Found, NameTree, ROOT, Target, parse_name};
///
/// let mut tree = NameTree::default();
/// let name = parse_name("dome.device")?;
/// let target = Target::Object(b"octets of an IOR".as_slice().into());
/// let Decision::Here { changes, .. } = tree.bind(ROOT, &name, target.clone(), Bind::New, 0)?
/// else {
///     panic!("the name leads into no other server")
/// };
/// changes.into_iter().for_each(|change| drop(tree.apply(change)));
///
/// assert!(matches!(tree.resolve(ROOT, &name)?, Found::Here(bound) if bound.target == target));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NameTree {
    contexts: HashMap<ContextId, Context>,
    /// Where each context is bound, as often as it is.
    parents: HashMap<ContextId, Vec<(ContextId, Step)>>,
    /// The next unused number.
    next: u64,
    /// No context gets a number below this one after a restart.
    reserved: u64,
    bindings: usize,
    owners: Owners,
    limits: Limits,
    pending: Pending<Change>,
    /// The transaction whose changes are made just now, for it to read.
    reading: Option<Box<str>>,
}

impl Default for NameTree {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl NameTree {
    /// A tree with an empty root context.
    pub fn new(limits: Limits) -> Self {
        let contexts = HashMap::from([(ROOT, Context::default())]);
        let (parents, pending, owners) = Default::default();
        let (next, reserved, bindings, reading) = (ROOT.0 + 1, 0, 0, None);
        Self { contexts, parents, next, reserved, bindings, owners, limits, pending, reading }
    }

    /// Whether the context exists.
    pub fn has(&self, context: ContextId) -> bool {
        self.contexts.contains_key(&context)
    }

    /// The number of contexts.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// The number of bindings in all contexts.
    pub const fn bindings(&self) -> usize {
        self.bindings
    }

    /// How many bindings are somebody's.
    pub const fn owned(&self) -> Owned {
        self.owners.owned()
    }

    /// How many bindings a host has, with those that transactions of others will make.
    pub fn owned_by_host(&self, host: &str) -> u64 {
        self.owners.of_host(host) + self.awaited(|owner| *owner.host == *host)
    }

    /// The same for a user.
    pub fn owned_by_user(&self, user: &str) -> u64 {
        self.owners.of_user(user) + self.awaited(|owner| *owner.user == *user)
    }

    /// The number of the next context.
    pub const fn next_context(&self) -> ContextId {
        ContextId(self.next)
    }

    /// The limits.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Replaces the limits. What exceeds them already stays.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// When the context was created; `None` if it does not exist.
    pub fn created(&self, context: ContextId) -> Option<Seconds> {
        self.contexts.get(&context).map(|context| context.created)
    }

    /// Every context.
    pub fn context_ids(&self) -> impl Iterator<Item = ContextId> {
        self.contexts.keys().copied()
    }
}

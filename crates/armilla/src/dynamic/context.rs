//! Context objects: properties that the client sends with calls of operations that have a `context`
//! clause (CORBA 3.4 Part 1, 8.6).

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::{Orb, Part, PartSlot};
use crate::sync::lock;
use armilla_cdr::{CdrErrorKind, CdrResult, Decoder, Encoder};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

/// A set of properties, each a name and a string, with an optional parent context. A property hides
/// those of the same name in the ancestors. Clones denote the same context; any thread may use
/// them.
///
/// A name begins with an ASCII letter; letters, digits, `_` and `.` may follow. In a search
/// pattern, a final `*` matches any rest of a name.
///
/// ```
/// use armilla::Orb;
///
/// let orb = Orb::new()?;
/// let session = orb.default_context().create_child("session")?;
/// orb.default_context().set_values([("sys.host", "alpha"), ("user", "nobody")])?;
/// session.set_one_value("user", "ann")?;
/// assert_eq!(session.get_values("user")?, [("user".to_owned(), "ann".to_owned())]);
/// assert_eq!(session.get_values("*")?.len(), 2);
/// assert!(session.own_values("sys.*").is_err(), "only the parent has it");
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Clone, Default)]
pub struct Context(Arc<Inner>);

#[derive(Default)]
struct Inner {
    name: String,
    parent: Option<Context>,
    properties: Mutex<BTreeMap<String, String>>,
}

impl Context {
    /// Creates a context without a name, properties and parent.
    pub fn new() -> Self {
        Self::default()
    }

    /// The name; empty for a context without a parent.
    #[doc(alias = "context_name")]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The parent context: `parent`.
    pub fn parent(&self) -> Option<&Self> {
        self.0.parent.as_ref()
    }

    /// Creates a child context: `create_child`.
    ///
    /// # Errors
    /// `BAD_PARAM` (minor code 37) when `name` is not an identifier.
    pub fn create_child(&self, name: &str) -> Result<Self, SystemException> {
        if !is_name(name) || name.contains('.') {
            return Err(illegal(
                Minor::BAD_PARAM_INVALID_CONTEXT_NAME,
                "the name of a context",
                name,
            ));
        }
        let (parent, properties) = (Some(self.clone()), Mutex::default());
        Ok(Self(Arc::new(Inner { name: name.to_owned(), parent, properties })))
    }

    /// Sets a property: `set_one_value`.
    ///
    /// # Errors
    /// `BAD_PARAM` (minor code 35) for an invalid name.
    pub fn set_one_value(&self, name: &str, value: &str) -> Result<(), SystemException> {
        self.set_values([(name, value)])
    }

    /// Sets all properties, or none if one is invalid: `set_values`.
    ///
    /// # Errors
    /// As [`set_one_value`](Self::set_one_value).
    pub fn set_values<'s>(
        &self,
        properties: impl IntoIterator<Item = (&'s str, &'s str)>,
    ) -> Result<(), SystemException> {
        let pairs = properties.into_iter().map(|(name, value)| match is_name(name) {
            true => Ok((name.to_owned(), value.to_owned())),
            false => {
                Err(illegal(Minor::BAD_PARAM_INVALID_PROPERTY_NAME, "the name of a property", name))
            }
        });
        let pairs: Vec<_> = pairs.collect::<Result<_, _>>()?;
        lock(&self.0.properties).extend(pairs);
        Ok(())
    }

    /// The properties of this context and its ancestors that match `pattern`, sorted by name:
    /// `get_values`.
    ///
    /// # Errors
    /// `BAD_CONTEXT` (minor code 2) when none matches, `BAD_PARAM` (minor code 36) when `pattern`
    /// is malformed.
    pub fn get_values(&self, pattern: &str) -> Result<Vec<(String, String)>, SystemException> {
        let found = self.found(&[Pattern::parse(pattern)?]);
        some(found.into_iter().collect(), pattern)
    }

    /// The properties of this context alone that match `pattern`: `get_values` with
    /// `CTX_RESTRICT_SCOPE`.
    ///
    /// # Errors
    /// As [`get_values`](Self::get_values).
    pub fn own_values(&self, pattern: &str) -> Result<Vec<(String, String)>, SystemException> {
        let wanted = Pattern::parse(pattern)?;
        let properties = lock(&self.0.properties);
        let own = properties.iter().filter(|(name, _)| wanted.matches(name));
        some(own.map(|(name, value)| (name.clone(), value.clone())).collect(), pattern)
    }

    /// The nearest context with this name, among this context and its ancestors: the start scope of
    /// `get_values`.
    ///
    /// # Errors
    /// `BAD_CONTEXT` (minor code 1) when there is none.
    pub fn scope(&self, name: &str) -> Result<Self, SystemException> {
        let found = self.outward().find(|context| context.name() == name).cloned();
        found.ok_or_else(|| {
            bad_context(
                Minor::BAD_CONTEXT_SCOPE_NOT_FOUND,
                format!("no context around has the name {name:?}"),
            )
        })
    }

    /// Removes the properties of this context that match `pattern`; the ancestors keep theirs:
    /// `delete_values`.
    ///
    /// # Errors
    /// As [`get_values`](Self::get_values).
    pub fn delete_values(&self, pattern: &str) -> Result<(), SystemException> {
        let wanted = Pattern::parse(pattern)?;
        let mut properties = lock(&self.0.properties);
        let before = properties.len();
        properties.retain(|name, _| !wanted.matches(name));
        match properties.len() < before {
            true => Ok(()),
            false => Err(none_matches(pattern)),
        }
    }

    /// This context and its ancestors.
    fn outward(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |context| context.parent())
    }

    /// The properties that match a pattern of `clause`. The nearest context takes precedence.
    fn found(&self, clause: &[Pattern]) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for context in self.outward() {
            let properties = lock(&context.0.properties);
            for (name, value) in properties.iter() {
                let wanted = clause.iter().any(|pattern| pattern.matches(name));
                if wanted && !found.contains_key(name) {
                    found.insert(name.clone(), value.clone());
                }
            }
        }
        found
    }

    /// Reads what a caller sent for a `context` clause: for skeletons.
    #[doc(hidden)]
    pub fn read(input: &mut Decoder<'_>) -> CdrResult<Self> {
        let mut strings = input.sequence::<String>()?.into_iter();
        let mut properties = BTreeMap::new();
        while let Some(name) = strings.next() {
            let odd = "a property of the context has no value";
            let value = strings.next().ok_or_else(|| input.error(CdrErrorKind::Invalid(odd)))?;
            properties.insert(name, value);
        }
        Ok(Self::with(properties))
    }

    /// Writes what it has for a `context` clause with these names: for stubs.
    #[doc(hidden)]
    pub fn write(&self, clause: &[&str], out: &mut Encoder<'_>) -> CdrResult {
        write(&self.found(&patterns(clause)), out)
    }

    /// What a servant elsewhere would get of it for a `context` clause with these names: for stubs.
    #[doc(hidden)]
    #[must_use]
    pub fn as_it_travels(&self, clause: &[&str]) -> Self {
        Self::with(self.found(&patterns(clause)))
    }

    /// One without a name that has these properties.
    fn with(properties: BTreeMap<String, String>) -> Self {
        Self(Arc::new(Inner { properties: Mutex::new(properties), ..Inner::default() }))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let properties = lock(&self.0.properties);
        f.debug_struct("Context").field("name", &self.name()).field("own", &*properties).finish()
    }
}

/// A context and what an operation wants of it.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    context: Context,
    patterns: Vec<Pattern>,
}

impl Clause {
    /// # Errors
    /// `BAD_PARAM` with reason 36 for a name that is malformed.
    pub(super) fn new<'s>(
        context: &Context,
        names: impl IntoIterator<Item = &'s str>,
    ) -> Result<Self, SystemException> {
        let patterns = names.into_iter().map(Pattern::parse).collect::<Result<_, _>>()?;
        Ok(Self { context: context.clone(), patterns })
    }

    /// The names in the clause.
    pub(super) fn names(&self) -> Vec<String> {
        self.patterns.iter().map(Pattern::to_string).collect()
    }

    /// Writes the properties that there are now (CORBA 3.4 Part 2, 9.4.2.2).
    pub(super) fn write(&self, out: &mut Encoder<'_>) -> CdrResult {
        write(&self.context.found(&self.patterns), out)
    }
}

fn write(properties: &BTreeMap<String, String>, out: &mut Encoder<'_>) -> CdrResult {
    out.put_length(2 * properties.len())?;
    let texts = properties.iter().flat_map(|(name, value)| [name, value]);
    texts.into_iter().try_for_each(|text| out.put_string(text))
}

/// The names of a clause, which the IDL compiler has checked.
fn patterns(clause: &[&str]) -> Vec<Pattern> {
    clause.iter().filter_map(|name| Pattern::parse(name).ok()).collect()
}

/// One name, or all that begin so.
#[derive(Debug, Clone)]
struct Pattern {
    start: String,
    is_open: bool,
}

impl Pattern {
    fn parse(text: &str) -> Result<Self, SystemException> {
        let (start, is_open) = match text.strip_suffix('*') {
            Some(start) => (start, true),
            None => (text, false),
        };
        match is_name(start) || (is_open && start.is_empty()) {
            true => Ok(Self { start: start.to_owned(), is_open }),
            false => Err(illegal(
                Minor::BAD_PARAM_INVALID_PROPERTY_PATTERN,
                "what properties are looked for by",
                text,
            )),
        }
    }

    fn matches(&self, name: &str) -> bool {
        if self.is_open { name.starts_with(&self.start) } else { name == self.start }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.start, if self.is_open { "*" } else { "" })
    }
}

/// Whether a name is valid in a `context` clause of IDL (CORBA 3.4 Part 1, 7.13.4).
fn is_name(text: &str) -> bool {
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(rest)
}

fn some(
    found: Vec<(String, String)>,
    pattern: &str,
) -> Result<Vec<(String, String)>, SystemException> {
    if found.is_empty() { Err(none_matches(pattern)) } else { Ok(found) }
}

fn none_matches(pattern: &str) -> SystemException {
    bad_context(
        Minor::BAD_CONTEXT_NO_MATCHING_PROPERTY,
        format!("the context has no property {pattern:?}"),
    )
}

fn bad_context(minor: Minor, what: String) -> SystemException {
    SystemException::new(ExceptionKind::BadContext, minor, Completion::No).with_reason(what)
}

fn illegal(minor: Minor, what: &str, text: &str) -> SystemException {
    let what =
        format!("{text:?} cannot be {what}: letters first, then letters, digits, '_' and '.'");
    SystemException::bad_param(minor, what)
}

impl Part for Context {
    const SLOT: PartSlot = PartSlot::Context;
}

impl Orb {
    /// The default context of the ORB: `get_default_context`. It is empty at first.
    #[doc(alias = "get_default_context")]
    pub fn default_context(&self) -> &Context {
        self.part()
    }
}

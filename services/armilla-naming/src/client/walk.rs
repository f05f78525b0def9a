//! Visiting the contexts of a service, each once.

use super::parallel::each;
use super::{ClientError, to_text};
use armilla::{Object, Orb};
use armilla_cos_naming::{
    Binding, BindingIterator, BindingType, NameComponent, NamingContext, NamingContextRef,
};
use armilla_ipc::host;
use std::collections::HashMap;
use std::net::{IpAddr, ToSocketAddrs};

/// How many bindings one call of `list` or `next_n` requests.
const BATCH: u32 = 500;

/// How many names are resolved before they are visited.
const PORTION: usize = 2000;

/// The most components of a name that a walk makes: as many as a name of our service has.
const MAX_DEPTH: usize = 256;

/// All bindings of a context, sorted by name.
///
/// # Errors
/// Those of the calls.
pub fn list(context: &NamingContextRef) -> Result<Vec<Binding>, ClientError> {
    let (mut bindings, rest) = context.list(BATCH)?;
    if !rest.is_nil() {
        loop {
            let (more, mut batch) = rest.next_n(BATCH)?;
            bindings.append(&mut batch);
            if !more {
                break;
            }
        }
        // The service keeps the iterator until the client destroys it.
        rest.destroy()?;
    }
    let key = |binding: &Binding| {
        let step = binding.binding_name.last();
        step.map(|step| (step.id.clone(), step.kind.clone()))
    };
    bindings.sort_by_cached_key(key);
    Ok(bindings)
}

/// A binding that a walk visits.
#[derive(Debug)]
#[non_exhaustive]
pub enum Visited<'w> {
    /// An object.
    Object {
        /// The object; nil if the service gives no reference.
        object: &'w Object,
    },
    /// A context that is visited now for the first time; its bindings follow.
    Context {
        /// The context.
        context: &'w NamingContextRef,
    },
    /// A context that was visited before.
    Again {
        /// The name under which it was visited; empty for the one where the walk began.
        name: &'w str,
    },
    /// A context of another server. Its bindings are not visited.
    Foreign {
        /// The context.
        context: &'w NamingContextRef,
    },
    /// A binding that cannot be read, or a context whose bindings cannot.
    Unreadable {
        /// Why.
        error: ClientError,
    },
}

/// What a walk calls for each binding, with its name.
pub type Visit<'v, E> = dyn FnMut(&[NameComponent], Visited<'_>) -> Result<(), E> + 'v;

/// Visits all bindings below a context, each context once, names in order. `visit` gets the name
/// and what it is bound to. With `follow`, contexts of other servers are visited, too.
///
/// # Errors
/// That of `visit`, and of listing the first context.
pub fn walk<E: From<ClientError>>(
    orb: &Orb,
    from: &NamingContextRef,
    follow: bool,
    visit: &mut Visit<'_, E>,
) -> Result<(), E> {
    let home = Home::of(from.object());
    let mut walk = Walk { seen: HashMap::new(), home, follow, visit };
    walk.seen.insert(identity(orb, from.object()), String::new());
    let bindings = list(from)?;
    walk.bindings(orb, from, bindings, &mut Vec::new())
}

struct Walk<'v, E> {
    /// The contexts that were visited, and their names.
    seen: HashMap<String, String>,
    home: Home,
    follow: bool,
    visit: &'v mut Visit<'v, E>,
}

impl<E: From<ClientError>> Walk<'_, E> {
    fn bindings(
        &mut self,
        orb: &Orb,
        context: &NamingContextRef,
        bindings: Vec<Binding>,
        name: &mut Vec<NameComponent>,
    ) -> Result<(), E> {
        for portion in bindings.chunks(PORTION) {
            let resolved = each(portion, |binding| context.resolve(&binding.binding_name));
            for (binding, resolved) in portion.iter().zip(resolved) {
                let depth = name.len();
                name.extend(binding.binding_name.iter().cloned());
                match resolved {
                    Err(error) => {
                        (self.visit)(name, Visited::Unreadable { error: error.into() })?;
                    }
                    Ok(object) if binding.binding_type == BindingType::Nobject => {
                        (self.visit)(name, Visited::Object { object: &object })?;
                    }
                    Ok(object) => self.context(orb, &object.assume(), name)?,
                }
                name.truncate(depth);
            }
        }
        Ok(())
    }

    fn context(
        &mut self,
        orb: &Orb,
        context: &NamingContextRef,
        name: &mut Vec<NameComponent>,
    ) -> Result<(), E> {
        let identity = identity(orb, context.object());
        if let Some(before) = self.seen.get(&identity) {
            return (self.visit)(name, Visited::Again { name: before });
        }
        if !self.follow && !self.home.has(context.object()) {
            return (self.visit)(name, Visited::Foreign { context });
        }
        self.seen.insert(identity, to_text(name));
        (self.visit)(name, Visited::Context { context })?;
        let bindings = match name.len() < MAX_DEPTH {
            true => list(context),
            false => Err(ClientError(format!("more than {MAX_DEPTH} components"))),
        };
        match bindings {
            Ok(bindings) => self.bindings(orb, context, bindings, name),
            Err(error) => (self.visit)(name, Visited::Unreadable { error }),
        }
    }
}

/// What tells contexts apart: the text of the reference.
pub(super) fn identity(orb: &Orb, object: &Object) -> String {
    orb.object_to_string(object).unwrap_or_default()
}

/// Where the service is: addresses and port.
pub(super) struct Home {
    addresses: Vec<IpAddr>,
    port: Option<u16>,
}

impl Home {
    pub(super) fn of(object: &Object) -> Self {
        let (mut addresses, mut port) = (Vec::new(), None);
        for profile in object.ior().iiop_profiles().flatten() {
            port.get_or_insert(profile.port);
            addresses.extend(resolved(&profile.host, profile.port));
        }
        Self { addresses, port }
    }

    /// Whether an object seems to be served there. The service may be reached by one address of its
    /// host and write another one into its references.
    pub(super) fn has(&self, object: &Object) -> bool {
        let mut profiles = object.ior();
        // A reference without an address that this program knows is left to the service.
        if profiles.iiop_profiles().next().is_none() {
            return true;
        }
        profiles.profiles.truncate(8);
        let here = self.addresses.iter().any(|address| host::is_local_address(*address));
        profiles.iiop_profiles().flatten().any(|profile| {
            let same = |address: &IpAddr| {
                self.addresses.contains(address) || here && host::is_local_address(*address)
            };
            Some(profile.port) == self.port
                && resolved(&profile.host, profile.port).iter().any(same)
        })
    }
}

fn resolved(host: &str, port: u16) -> Vec<IpAddr> {
    let addresses = (host, port).to_socket_addrs();
    addresses.map(|all| all.map(|one| one.ip()).collect()).unwrap_or_default()
}

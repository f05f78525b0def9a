//! What a name leads to, and nothing else does: what would be lost from sight without it.

use super::parallel::each;
use super::walk::{Home, identity};
use super::{ClientError, list, to_text};
use armilla::Orb;
use armilla_cos_naming::{Binding, BindingType, NameComponent, NamingContext, NamingContextRef};
use std::collections::{HashMap, HashSet};

/// What the context of a name is to the service.
#[derive(Debug)]
pub enum Held {
    /// It is one of another server, which keeps it.
    Elsewhere,
    /// Another name leads to it, too; `None` stands for the root.
    Otherwise(String),
    /// Only this name leads to it.
    Alone(Alone),
}

/// Contexts that only one name leads to.
#[derive(Debug)]
pub struct Alone {
    /// The contexts with their bindings, that of the name first.
    contexts: Vec<(NamingContextRef, Vec<Binding>)>,
}

/// A context that was listed.
struct Seen {
    context: NamingContextRef,
    bindings: Vec<Binding>,
    name: String,
}

/// Looks what only a name leads to, from the root of a service of any vendor.
///
/// # Errors
/// Those of the calls: a context that cannot be listed may lead anywhere.
pub fn held(
    orb: &Orb,
    root: &NamingContextRef,
    name: &[NameComponent],
    context: &NamingContextRef,
) -> Result<Held, ClientError> {
    if !Home::of(root.object()).has(context.object()) {
        return Ok(Held::Elsewhere);
    }
    let mut reach = Reach { orb, home: Home::of(root.object()), seen: HashMap::new() };
    reach.from(root, &[], Some(name), &HashSet::new())?;
    let target = identity(orb, context.object());
    if let Some(other) = reach.seen.get(&target) {
        return Ok(Held::Otherwise(other.name.clone()));
    }
    let without: HashSet<String> = reach.seen.into_keys().collect();
    let mut reach = Reach { orb, home: Home::of(root.object()), seen: HashMap::new() };
    let order = reach.from(context, name, None, &without)?;
    let contexts = order.into_iter().filter_map(|id| reach.seen.remove(&id));
    let contexts = contexts.map(|Seen { context, bindings, .. }| (context, bindings)).collect();
    Ok(Held::Alone(Alone { contexts }))
}

struct Reach<'r> {
    orb: &'r Orb,
    home: Home,
    seen: HashMap<String, Seen>,
}

impl Reach<'_> {
    /// Lists the contexts that names lead to, but for one name and for contexts that are known.
    /// Returns them in the order in which they were met.
    fn from(
        &mut self,
        from: &NamingContextRef,
        name: &[NameComponent],
        without: Option<&[NameComponent]>,
        known: &HashSet<String>,
    ) -> Result<Vec<String>, ClientError> {
        let mut order = Vec::new();
        let mut open = vec![(from.clone(), name.to_vec())];
        while let Some((context, name)) = open.pop() {
            let id = identity(self.orb, context.object());
            if known.contains(&id) || self.seen.contains_key(&id) {
                continue;
            }
            let bindings =
                list(&context).map_err(|error| ClientError::at(&to_text(&name), error))?;
            let is_context = |one: &&Binding| one.binding_type == BindingType::Ncontext;
            let children: Vec<Vec<NameComponent>> = bindings
                .iter()
                .filter(is_context)
                .map(|one| [&name[..], &one.binding_name[..]].concat())
                .filter(|child| without != Some(&child[..]))
                .collect();
            let resolved = each(&children, |child| context.resolve(&child[name.len()..]));
            for (child, resolved) in children.into_iter().zip(resolved) {
                // What cannot be resolved leads nowhere.
                let Ok(object) = resolved else { continue };
                if self.home.has(&object) {
                    open.push((object.assume(), child));
                }
            }
            order.push(id.clone());
            self.seen.insert(id, Seen { context, bindings, name: to_text(&name) });
        }
        Ok(order)
    }
}

impl Alone {
    /// How many contexts there are.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// How many names are bound in them.
    pub fn names(&self) -> usize {
        self.contexts.iter().map(|(_, bindings)| bindings.len()).sum()
    }

    /// Unbinds all that is bound in the contexts, and destroys them, the deepest first, so that a
    /// failure leaves nothing that no name leads to. The name itself stays.
    ///
    /// # Errors
    /// The first call that fails. What was removed before is gone.
    pub fn remove(self, progress: &(dyn Fn(usize) + Sync)) -> Result<(), ClientError> {
        let done = std::sync::atomic::AtomicUsize::new(0);
        for (context, bindings) in self.contexts.into_iter().rev() {
            let removed = each(&bindings, |binding| {
                let removed = context.unbind(&binding.binding_name);
                progress(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1);
                removed.map_err(|e| ClientError::at(&to_text(&binding.binding_name), e))
            });
            removed.into_iter().collect::<Result<Vec<()>, _>>()?;
            context.destroy()?;
        }
        Ok(())
    }
}

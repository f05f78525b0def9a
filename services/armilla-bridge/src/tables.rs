//! What is on either side now: views of objects of CORBA, values with members, and references to
//! objects of COM. A view lives as long as clients of COM refer to it; a reference that came as a
//! value lives until it is long unused, or others need its place.

use crate::servant::{Complex, Imported, View};
use armilla::Object;
use armilla_dcom::server::Object as ComObject;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Names an object of COM: its exporter, and the object there.
pub(crate) type ComName = (u64, u64);

/// What stands behind an object of COM that the bridge exports.
#[derive(Clone)]
pub(crate) enum Behind {
    Object(Object),
    Value(Arc<Complex>),
}

enum WeakBehind {
    Object(Object, Weak<View>),
    Value(Weak<Complex>),
}

impl WeakBehind {
    fn is_gone(&self) -> bool {
        match self {
            Self::Object(_, view) => view.strong_count() == 0,
            Self::Value(value) => value.strong_count() == 0,
        }
    }
}

#[derive(Default)]
struct Views {
    /// By where they lie in memory. One that is gone is known by its weak handle.
    by_place: HashMap<usize, WeakBehind>,
    by_object: HashMap<Object, Weak<View>>,
    /// How many there may be before those that are gone are looked for.
    sweep_at: usize,
}

/// A reference of CORBA to an object of COM.
struct Reference {
    object: Object,
    imported: Arc<Imported>,
}

#[derive(Default)]
struct References {
    by_name: HashMap<(ComName, String), Reference>,
    by_object: HashMap<Object, Arc<Imported>>,
}

/// The tables of both sides.
#[derive(Default)]
pub(crate) struct Tables {
    views: Mutex<Views>,
    references: Mutex<References>,
}

/// Where an object lies in memory.
fn place<T: ?Sized>(object: &Arc<T>) -> usize {
    Arc::as_ptr(object).cast::<()>().addr()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tables {
    /// The view of an object, if there is one.
    pub(crate) fn view(&self, object: &Object) -> Option<Arc<View>> {
        locked(&self.views).by_object.get(object)?.upgrade()
    }

    /// Keeps in mind which object a view shows.
    pub(crate) fn add_view(&self, object: &Object, view: &Arc<View>) {
        let mut views = locked(&self.views);
        views.sweep();
        let behind = WeakBehind::Object(object.clone(), Arc::downgrade(view));
        views.by_place.insert(place(view), behind);
        views.by_object.insert(object.clone(), Arc::downgrade(view));
    }

    /// The same of a value with members.
    pub(crate) fn add_value(&self, value: &Arc<Complex>) {
        let mut views = locked(&self.views);
        views.sweep();
        views.by_place.insert(place(value), WeakBehind::Value(Arc::downgrade(value)));
    }

    /// What stands behind an object of COM, if that is one of the bridge.
    pub(crate) fn behind(&self, exported: &Arc<dyn ComObject>) -> Option<Behind> {
        match locked(&self.views).by_place.get(&place(exported))? {
            WeakBehind::Object(object, view) => {
                view.upgrade().map(|_| Behind::Object(object.clone()))
            }
            WeakBehind::Value(value) => value.upgrade().map(Behind::Value),
        }
    }

    /// The reference to an object of COM with an interface, if there is one.
    pub(crate) fn reference(&self, name: ComName, interface: &str) -> Option<Object> {
        let references = locked(&self.references);
        let found = references.by_name.get(&(name, interface.to_owned()))?;
        found.imported.touch();
        Some(found.object.clone())
    }

    /// Keeps a reference to an object of COM that came as a value. Returns the one to use, which
    /// another thread may have made meanwhile, and those that are to be deactivated.
    pub(crate) fn add_reference(
        &self,
        name: ComName,
        object: Object,
        imported: &Arc<Imported>,
        most: usize,
    ) -> (Object, Vec<Object>) {
        let mut references = locked(&self.references);
        let key = (name, imported.interface_id().to_owned());
        if let Some(known) = references.by_name.get(&key) {
            return (known.object.clone(), vec![object]);
        }
        let mut gone = Vec::new();
        while references.by_name.len() >= most.max(1) {
            let oldest = references.by_name.iter().min_by_key(|(_, it)| it.imported.last_used());
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { break };
            gone.extend(references.remove(&key));
        }
        let reference = Reference { object: object.clone(), imported: imported.clone() };
        references.by_name.insert(key, reference);
        references.by_object.insert(object.clone(), imported.clone());
        (object, gone)
    }

    /// Keeps a reference for good: one that has a name.
    pub(crate) fn add_named(&self, object: &Object, imported: &Arc<Imported>) {
        locked(&self.references).by_object.insert(object.clone(), imported.clone());
    }

    /// The object of COM behind a reference, if that is one of the bridge.
    pub(crate) fn imported(&self, object: &Object) -> Option<Arc<Imported>> {
        locked(&self.references).by_object.get(object).cloned()
    }

    /// Forgets references without a call for so many seconds; they are to be deactivated.
    pub(crate) fn forget_idle(&self, seconds: u64) -> Vec<Object> {
        let mut references = locked(&self.references);
        let idle = references.by_name.iter().filter(|(_, it)| it.imported.idle() >= seconds);
        let idle: Vec<_> = idle.map(|(key, _)| key.clone()).collect();
        idle.iter().filter_map(|key| references.remove(key)).collect()
    }

    /// How many views and references there are.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let mut views = locked(&self.views);
        views.clear();
        (views.by_place.len(), locked(&self.references).by_object.len())
    }
}

impl Views {
    /// Forgets what is gone, once there may be as much of it as of what is there.
    fn sweep(&mut self) {
        if self.by_place.len() >= self.sweep_at {
            self.clear();
            self.sweep_at = (2 * self.by_place.len()).max(64);
        }
    }

    fn clear(&mut self) {
        self.by_place.retain(|_, behind| !behind.is_gone());
        self.by_object.retain(|_, view| view.strong_count() > 0);
    }
}

impl References {
    fn remove(&mut self, key: &(ComName, String)) -> Option<Object> {
        let Reference { object, .. } = self.by_name.remove(key)?;
        self.by_object.remove(&object);
        Some(object)
    }
}

//! A manager dies at each of its steps, before and after the step has had its effect, and another one
//! goes on: in the end the group is what it was to be, and no factory has made what nobody knows.
//!
//! The managers are the objects that programs call; what they call, the documents and the factories,
//! counts steps and breaks at one of them.

use crate::managers::patiently;
use crate::savings::Savings;
use armilla::{Any, Error, Object, Orb};
use armilla_cos_naming::NameComponent;
use armilla_replication::ft::generic_factory::{CreateObjectRaises, DeleteObjectRaises};
use armilla_replication::ft::{
    self, FactoryInfo, GenericFactory, GenericFactoryRef, Property, generic_factory,
};
use armilla_replication::manager::{GroupRecord, Manager, ManagerOptions};
use armilla_replication::model::{Failure, View};
use armilla_replication::{Document, Documents, GroupName, MemoryRegistry, ViewRegistry};
use bank::bank::{Account, AccountRef};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const ACCOUNT: &str = "IDL:Bank/Account:1.0";
const PATIENCE: Duration = Duration::from_secs(30);

/// The step at which a manager breaks, and whether that has had its effect.
#[derive(Default)]
struct Fate {
    steps: AtomicU32,
    breaks_at: u32,
    is_done: bool,
    is_broken: AtomicBool,
    /// Set while steps are counted.
    counts: AtomicBool,
}

impl Fate {
    /// Does a step, unless the manager is dead, or dies before it.
    fn step<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        if self.is_broken.load(Ordering::SeqCst) {
            return None;
        }
        if !self.counts.load(Ordering::SeqCst) {
            return Some(act());
        }
        if self.steps.fetch_add(1, Ordering::SeqCst) + 1 != self.breaks_at {
            return Some(act());
        }
        if self.is_done {
            act();
        }
        self.is_broken.store(true, Ordering::SeqCst);
        None
    }
}

/// The documents, as a manager sees them that will die.
struct Mortal(Arc<MemoryRegistry>, Arc<Fate>);

fn dead<T>(done: Option<Result<T, Failure>>) -> Result<T, Failure> {
    done.unwrap_or_else(|| Err(Failure("this manager is dead".into())))
}

impl Documents for Mortal {
    fn find(&self, key: &str) -> Result<Option<Document>, Failure> {
        // What is read changes nothing: dying there is dying before the next change.
        match self.1.is_broken.load(Ordering::SeqCst) {
            true => dead(None),
            false => self.0.find(key),
        }
    }

    fn find_all(&self, prefix: &str) -> Result<Vec<(String, Document)>, Failure> {
        match self.1.is_broken.load(Ordering::SeqCst) {
            true => dead(None),
            false => self.0.find_all(prefix),
        }
    }

    fn put(&self, key: &str, before: u64, content: Option<&[u8]>) -> Result<Option<u64>, Failure> {
        dead(self.1.step(|| self.0.put(key, before, content)))
    }
}

/// A factory that makes one object for a group, and the same again when it is asked again.
struct Plant {
    orb: Orb,
    fate: Arc<Fate>,
    /// What all have made, and for which group at which location.
    made: Arc<Mutex<BTreeMap<u64, (String, u32)>>>,
    place: u32,
    next: AtomicU32,
}

impl GenericFactory for Plant {
    fn create_object(
        &self,
        _: &str,
        criteria: &[Property],
    ) -> Result<(Object, Any), Error<CreateObjectRaises>> {
        let group = criteria.iter().find(|it| it.nam[0].id == "org.armilla.ft.Group").unwrap();
        let group = group.val.get::<String>().unwrap().unwrap();
        let make = || {
            let mut made = self.made.lock().unwrap();
            let wanted = (group, self.place);
            let same = made.iter().find(|(_, of)| **of == wanted).map(|(number, _)| *number);
            let number = same.unwrap_or_else(|| {
                let number = u64::from(self.next.fetch_add(1, Ordering::SeqCst));
                made.insert(number, wanted);
                number
            });
            let servant: Arc<dyn Account> = Arc::<Savings>::default();
            let account: AccountRef = self.orb.root_poa().activate(servant).unwrap();
            (account.object().clone(), Any::new(&number).unwrap())
        };
        // A manager that has died while the factory worked gets no answer.
        Ok(self.fate.step(make).ok_or(ft::ObjectNotCreated)?)
    }

    fn delete_object(&self, creation: &Any) -> Result<(), Error<DeleteObjectRaises>> {
        let number = creation.get::<u64>().unwrap().unwrap();
        let delete = || self.made.lock().unwrap().remove(&number);
        let deleted = self.fate.step(delete).ok_or(ft::ObjectNotFound)?;
        deleted.map(drop).ok_or_else(|| ft::ObjectNotFound.into())
    }
}

fn location(id: &str) -> Vec<NameComponent> {
    vec![NameComponent { id: id.into(), kind: String::new() }]
}

fn property(name: &str, val: Any) -> Property {
    Property { nam: location(&format!("org.omg.ft.{name}")), val }
}

fn number(name: &str, value: u16) -> Property {
    property(name, Any::new(&value).unwrap())
}

struct Field {
    registry: Arc<MemoryRegistry>,
    orb: Orb,
    made: Arc<Mutex<BTreeMap<u64, (String, u32)>>>,
    criteria: Vec<Property>,
}

impl Field {
    fn new(fate: &Arc<Fate>) -> Self {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let made = Arc::<Mutex<BTreeMap<u64, (String, u32)>>>::default();
        let info = |at: u32| {
            let plant = Plant {
                orb: orb.clone(),
                fate: fate.clone(),
                made: made.clone(),
                place: at,
                next: AtomicU32::new(100 * at),
            };
            let factory: GenericFactoryRef =
                orb.root_poa().activate(generic_factory::tie(plant)).unwrap();
            let the_location = location(&format!("host-{at}"));
            FactoryInfo { the_factory: factory, the_location, the_criteria: Vec::new() }
        };
        let infos: Vec<_> = (1..=3).map(info).collect();
        let criteria = vec![
            number("ReplicationStyle", ft::STATELESS),
            number("ConsistencyStyle", ft::CONS_APP_CTRL),
            property("Factories", ft::factories_value_any(&infos).unwrap()),
            patiently(),
        ];
        Self { registry: Arc::default(), orb, made, criteria }
    }

    fn manager(&self, documents: Arc<dyn Documents>, name: &str) -> Manager {
        let mut options = ManagerOptions::default();
        options.domain = "bank".into();
        options.name = Some(name.into());
        options.interval = Duration::from_millis(20);
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let manager = Manager::serve(&orb, documents, options).unwrap();
        assert!(manager.wait_ready(PATIENCE));
        manager
    }

    fn view(&self) -> View {
        self.registry.read(&GroupName::new("bank", 2)).unwrap().unwrap_or_default()
    }

    fn record(&self) -> Option<GroupRecord> {
        let found = self.registry.find_all("-manager/bank/groups/").unwrap();
        found.first().map(|(_, document)| serde_json::from_slice(&document.content).unwrap())
    }

    /// Whether the group is what it was to be, and nothing else is left.
    fn is_settled(&self) -> bool {
        let view = self.view();
        let made = self.made.lock().unwrap();
        match self.record() {
            None => made.is_empty() && view.members.is_empty(),
            Some(record) => {
                let places: Vec<_> = record.made.keys().collect();
                let mut members: Vec<_> = view.members.iter().map(|it| &it.name).collect();
                members.sort();
                record.pending.is_none()
                    && record.is_complete
                    && members.len() == 2
                    && members == places
                    && made.len() == 2
            }
        }
    }
}

/// A manager makes a group, and deletes it if `deletes`; it dies at a step. Returns whether it has.
fn run(breaks_at: u32, is_done: bool, deletes: bool) -> bool {
    let fate = Arc::new(Fate { breaks_at, is_done, ..Fate::default() });
    let field = Field::new(&fate);
    let mortal = Arc::new(Mortal(field.registry.clone(), fate.clone()));
    let first = field.manager(mortal, "mortal");
    fate.counts.store(!deletes, Ordering::SeqCst);
    let made = first.object().create_object(ACCOUNT, &field.criteria);
    if let (true, Ok((_, creation))) = (deletes, &made) {
        fate.counts.store(true, Ordering::SeqCst);
        first.object().delete_object(creation).ok();
    }
    fate.counts.store(false, Ordering::SeqCst);
    let has_died = fate.is_broken.load(Ordering::SeqCst);
    // From here on the factories serve others; the first manager is gone.
    first.abandon();
    first.object().object().orb().unwrap().shutdown();
    fate.is_broken.store(false, Ordering::SeqCst);
    let second = field.manager(field.registry.clone(), "second");
    let begun = Instant::now();
    while !(second.leads() && field.is_settled()) {
        assert!(
            begun.elapsed() < PATIENCE,
            "step {breaks_at}, done {is_done}, deletes {deletes}: {:?} {:?} {:?}",
            field.record().map(|it| (it.is_complete, it.is_deleted, it.made.len(), it.pending)),
            field.view().members.len(),
            field.made.lock().unwrap()
        );
        thread::sleep(Duration::from_millis(5));
    }
    second.object().object().orb().unwrap().shutdown();
    drop(second);
    field.orb.shutdown();
    has_died
}

#[test]
fn another_manager_finishes_what_one_has_begun() {
    for deletes in [false, true] {
        for is_done in [false, true] {
            let mut steps = 0;
            while run(steps + 1, is_done, deletes) {
                steps += 1;
            }
            assert!(steps >= 4, "only {steps} steps were tried");
        }
    }
}

//! A factory of members: what a program serves that lets managers make members in it (23.3.5).

use super::calls::{GROUP, LOCATION, STYLE};
use super::settings::{ACTIVE, COLD_PASSIVE};
use crate::ft::generic_factory::{CreateObjectRaises, DeleteObjectRaises, FactoryCreationId};
use crate::ft::{GenericFactory, NoFactory, ObjectNotCreated, ObjectNotFound, Property};
use crate::model::Style;
use crate::reference::GroupName;
use crate::replica::Replica;
use armilla::{Any, Error, ExceptionKind, Object, Orb};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A member that a manager wants.
#[derive(Debug)]
pub struct Wanted<'w> {
    /// The group.
    pub group: GroupName,
    /// The name of the member in the group: its location.
    pub location: String,
    /// How the members of the group keep the same state, for
    /// [`ReplicaBuilder::style`](crate::ReplicaBuilder::style).
    pub style: Style,
    /// The criteria of the group and of the factory.
    pub criteria: &'w [Property],
}

/// What was made: the last number, and members with their groups by number.
#[derive(Default)]
struct Members {
    last: u64,
    all: BTreeMap<u64, (GroupName, Replica)>,
}

type Make = dyn Fn(&Wanted<'_>) -> Result<Replica, String> + Send + Sync;

/// A servant of `FT::GenericFactory` that makes [`Replica`]s. They live as long as it does, or until
/// they are deleted.
///
/// A manager may ask again for what it has been given, since it may have died before it has written
/// that down: for the same group it gets the same member.
///
/// ```
/// use armilla_replication::manager::MemberFactory;
/// use armilla_replication::{MemoryRegistry, Replica};
/// use std::sync::Arc;
/// # use armilla_replication::{Checkpointable, StateError};
/// # #[derive(Default)]
/// # struct Savings;
/// # impl Checkpointable for Savings {
/// #     fn state(&self) -> Result<Vec<u8>, StateError> { Ok(Vec::new()) }
/// #     fn set_state(&self, _: &[u8]) -> Result<(), StateError> { Ok(()) }
/// # }
/// # impl bank::bank::Account for Savings {
/// #     fn balance(&self) -> Result<f64, armilla::SystemException> { Ok(0.0) }
/// #     fn deposit(&self, _: f64) -> Result<(), armilla::SystemException> { Ok(()) }
/// #     fn withdraw(&self, _: f64)
/// #         -> Result<(), armilla::Error<bank::bank::account::WithdrawRaises>> { Ok(()) }
/// # }
///
/// let orb = armilla::Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let registry = Arc::new(MemoryRegistry::default());
/// let server = orb.clone();
/// let factory = MemberFactory::new(&orb, "IDL:Bank/Account:1.0", move |wanted| {
///     let savings = Arc::<Savings>::default();
///     let servant: Arc<dyn bank::bank::Account> = savings.clone();
///     let member = Replica::builder(wanted.group.clone(), &*wanted.location)
///         .registry(registry.clone())
///         .style(wanted.style)
///         .start(&server, savings, servant);
///     member.map_err(|error| error.to_string())
/// });
/// let factory = orb.root_poa().activate(armilla_replication::ft::generic_factory::tie(factory))?;
/// println!("{}", orb.object_to_string(&factory)?);
/// # orb.shutdown();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemberFactory {
    orb: Orb,
    type_id: String,
    make: Box<Make>,
    made: Mutex<Members>,
}

impl MemberFactory {
    /// A factory of members with this interface. What it returns names the member after
    /// [`location`](Wanted::location), in [`group`](Wanted::group).
    pub fn new(
        orb: &Orb,
        type_id: impl Into<String>,
        make: impl Fn(&Wanted<'_>) -> Result<Replica, String> + Send + Sync + 'static,
    ) -> Self {
        let (type_id, make) = (type_id.into(), Box::new(make));
        Self { orb: orb.clone(), type_id, make, made: Mutex::default() }
    }

    fn made(&self) -> MutexGuard<'_, Members> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn text(criteria: &[Property], name: &str) -> Option<String> {
    let found = criteria.iter().find(|it| matches!(&*it.nam, [only] if only.id == name))?;
    found.val.get::<String>().ok().flatten()
}

fn style(criteria: &[Property]) -> Style {
    let found = criteria.iter().find(|it| matches!(&*it.nam, [only] if only.id == STYLE));
    match found.and_then(|it| it.val.get::<u16>().ok().flatten()) {
        Some(COLD_PASSIVE) => Style::ColdPassive,
        Some(ACTIVE) => Style::Active,
        _ => Style::WarmPassive,
    }
}

impl GenericFactory for MemberFactory {
    fn create_object(
        &self,
        type_id: &str,
        the_criteria: &[Property],
    ) -> Result<(Object, FactoryCreationId), Error<CreateObjectRaises>> {
        let location = text(the_criteria, LOCATION);
        if type_id != self.type_id {
            let the_location = super::properties::name(&location.unwrap_or_default());
            return Err(NoFactory { the_location, type_id: type_id.to_owned() }.into());
        }
        let group = text(the_criteria, GROUP).and_then(|group| group.parse().ok());
        let (Some(group), Some(location)): (Option<GroupName>, _) = (group, location) else {
            let what =
                format!("the criteria lack {GROUP} or {LOCATION}: no manager of Armilla asks");
            return Err(ExceptionKind::BadParam.because(what).into());
        };
        let mut made = self.made();
        let same = made.all.iter().find(|(_, (of, _))| *of == group).map(|(number, _)| *number);
        let number = match same {
            Some(number) => number,
            None => {
                let (style, criteria) = (style(the_criteria), the_criteria);
                let wanted = Wanted { group: group.clone(), location, style, criteria };
                let replica = (self.make)(&wanted).map_err(|why| {
                    tracing::warn!(%group, why, "a member was not made");
                    Error::User(ObjectNotCreated.into())
                })?;
                made.last += 1;
                let number = made.last;
                made.all.insert(number, (group, replica));
                number
            }
        };
        let object = made.all.get(&number).map(|(_, replica)| replica.object());
        let object = self.orb.string_to_object(&object.unwrap_or_default())?;
        let id = Any::new(&number);
        Ok((object, id.map_err(|error| ExceptionKind::Internal.because(error.to_string()))?))
    }

    fn delete_object(&self, creation: &Any) -> Result<(), Error<DeleteObjectRaises>> {
        let number = creation.get::<u64>().ok().flatten().ok_or(ObjectNotFound)?;
        // It is dropped when nobody waits for the lock any more.
        let deleted = self.made().all.remove(&number);
        deleted.map(drop).ok_or_else(|| ObjectNotFound.into())
    }
}

impl fmt::Debug for MemberFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemberFactory").field("type_id", &self.type_id).finish_non_exhaustive()
    }
}

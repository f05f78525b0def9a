//! The CORBA objects of the service, over the engine, which has all rules.
//!
//! Each interface has a POA of its own with one servant for all transactions, so that references
//! outlive the process and nothing is activated for a transaction.

mod begin;
mod coordinator;
mod factory;
mod operator;
mod remote;
mod site;
mod subordinate;
mod subtransaction;

pub(crate) use begin::{adopt, mark_rollback, new_nested, new_root};
pub(crate) use operator::{decide, info};
pub(crate) use site::Site;

use crate::corba::{
    control, coordinator as corba_coordinator, operator as corba_operator, recovery_coordinator,
    resource, subtransaction_aware_resource, synchronization, terminator, transaction_factory,
};
use crate::model::Key;
use armilla::{IdUniqueness, Object, Poa, SystemException};
use coordinator::{Controls, Coordinators, RecoveryCoordinators, Terminators};
use factory::Factory;
use operator::Operators;
use site::Poas;
use std::sync::Arc;
use std::time::Duration;
use subordinate::{Resources, Synchronizations};
use subtransaction::Parts;

/// The POA above those of the service: `poa:transactions` for an implementation repository.
pub(crate) const ADAPTER: &str = "transactions";
/// The object keys of the factory and of the operators' object in `corbaloc:` URLs.
pub(crate) const FACTORY: &str = "TransactionFactory";
pub(crate) const OPERATOR: &str = "TransactionOperator";

/// Who may decide for others.
pub(crate) type Rights = Arc<dyn Fn() -> Result<(), SystemException> + Send + Sync>;

/// Makes the objects. Returns the factory and its URL.
pub(crate) fn serve(
    site: &Arc<Site>,
    timeout: Option<Duration>,
    rights: Rights,
) -> Result<(Object, String), SystemException> {
    let poa = site.orb.root_poa().create_poa(ADAPTER).persistent().user_ids();
    let poa = poa.build().map_err(SystemException::from)?;
    let child = |name: &str, servant: armilla::AnyServant| -> Result<Poa, SystemException> {
        let child = poa.create_poa(name).persistent().user_ids().policy(IdUniqueness::Multiple);
        Ok(child.default_servant(servant).manager(poa.manager()).build()?)
    };
    let poas = Poas {
        control: child("control", control::tie(Controls(site.clone())).into())?,
        coordinator: child(
            "coordinator",
            corba_coordinator::tie(Coordinators(site.clone())).into(),
        )?,
        terminator: child("terminator", terminator::tie(Terminators(site.clone())).into())?,
        recovery: child(
            "recovery",
            recovery_coordinator::tie(RecoveryCoordinators(site.clone())).into(),
        )?,
        resource: child("resource", resource::tie(Resources(site.clone())).into())?,
        synchronization: child(
            "synchronization",
            synchronization::tie(Synchronizations(site.clone())).into(),
        )?,
        subtransaction: child(
            "subtransaction",
            subtransaction_aware_resource::tie(Parts(site.clone())).into(),
        )?,
    };
    site.poas.set(poas).ok();
    let factory = transaction_factory::tie(Factory { site: site.clone(), timeout });
    let factory = poa.activate_with_id("factory", factory)?;
    let url = site.orb.publish(FACTORY, &factory)?;
    let operator = corba_operator::tie(Operators { site: site.clone(), rights });
    let operator = poa.activate_with_id("operator", operator)?;
    site.orb.publish(OPERATOR, &operator)?;
    Ok((factory.object().clone(), url))
}

/// The number of the transaction whose object is called, and what is behind it in the id: the number of
/// a participant, at a recovery coordinator.
fn called(site: &Site) -> Result<(Key, u64), SystemException> {
    let current = site.orb.poa_current().map_err(SystemException::from)?;
    let id = current.object_id().as_bytes();
    let Some((key, rest)) = id.split_first_chunk::<16>() else {
        return Err(SystemException::object_not_exist());
    };
    let number = match rest {
        [] => 0,
        rest => {
            u64::from_be_bytes(rest.try_into().map_err(|_| SystemException::object_not_exist())?)
        }
    };
    Ok((Key(*key), number))
}

/// The transaction whose object is called. What is not in the table has rolled back, or is over.
fn entry(site: &Site) -> Result<(Arc<crate::engine::Entry>, u64), SystemException> {
    let (key, number) = called(site)?;
    let found = site.engine.find(key).ok_or_else(SystemException::object_not_exist)?;
    Ok((found, number))
}

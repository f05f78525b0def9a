//! Which call goes where.

use super::activation::{self, Classes};
use super::exports::Exports;
use super::object::{Caller, ObjectCall};
use super::users::{Users, user_of};
use super::{references, resolver};
use crate::causality;
use crate::remote::{ACTIVATION, OBJECT_EXPORTER, REM_UNKNOWN, REM_UNKNOWN_2, SCM_ACTIVATOR};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use armilla_dcerpc::driver::Service;
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::NtHash;
use armilla_dcerpc::server::{Access, ServerCall};
use armilla_dcerpc::{Status, SyntaxId};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The hash of a user's password, by user and domain.
pub(super) type Accounts = Box<dyn Fn(&str, &str) -> Option<NtHash> + Send + Sync>;

pub(super) struct ObjectService {
    pub(super) exports: Exports,
    pub(super) users: Arc<Users>,
    pub(super) classes: Classes,
    pub(super) accounts: Accounts,
    /// The level below which nothing is executed.
    pub(super) least: AuthLevel,
    /// The level that pings need.
    pub(super) least_for_pings: AuthLevel,
}

impl Service for ObjectService {
    fn interfaces(&self) -> Vec<(SyntaxId, Access)> {
        vec![
            (OBJECT_EXPORTER, Access::Anybody),
            (ACTIVATION, Access::Secured),
            (SCM_ACTIVATOR, Access::Secured),
            (REM_UNKNOWN, Access::Secured),
            (REM_UNKNOWN_2, Access::Secured),
        ]
    }

    /// Interfaces of objects have version 0. Which ones there are is a matter of each object: a
    /// call of another one names no IPID.
    fn further_interface(&self, interface: SyntaxId) -> Option<Access> {
        (interface.major == 0 && interface.minor == 0).then_some(Access::Secured)
    }

    fn call(&self, call: &ServerCall) -> Result<Vec<u8>, Status> {
        let user = call.principal.as_ref().map(user_of);
        let _running = user.as_ref().map(|user| self.users.enter(user)).transpose()?;
        if call.interface == OBJECT_EXPORTER {
            return resolver::call(&self.exports, call, self.least_for_pings);
        }
        let caller = Caller { principal: call.principal.as_ref(), level: call.level };
        let names = (call.interface.uuid, call.opnum);
        let given = ObjectCall::new(names, caller, &self.exports, (call.order, &call.stub))?;
        // An object that panics fails its call, not the connection of others.
        let run = AssertUnwindSafe(|| self.dispatch(call, &given));
        let done = causality::within(given.causality, user, || catch_unwind(run));
        done.unwrap_or(Err(Status::SERVER_FAULT))
    }

    fn hash(&self, user: &str, domain: &str) -> Option<NtHash> {
        (self.accounts)(user, domain)
    }
}

impl ObjectService {
    fn dispatch(&self, call: &ServerCall, given: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        if [ACTIVATION, SCM_ACTIVATOR].contains(&call.interface)
            && let Some(user) = causality::current_user()
        {
            self.users.activate(&user)?;
        }
        match call.interface {
            ACTIVATION => return activation::activate(&self.classes, given, self.least),
            SCM_ACTIVATOR => {
                return activation::activate_by_properties(&self.classes, given, self.least);
            }
            _ => {}
        }
        let ipid = call.object.ok_or(Status::DISCONNECTED)?;
        let (found, own) = {
            let mut table = self.exports.table();
            (table.find(ipid, self.exports.now()), ipid == table.rem_unknown())
        };
        if own {
            return match call.interface {
                REM_UNKNOWN | REM_UNKNOWN_2 => references::call(given),
                _ => Err(Status::NO_INTERFACE),
            };
        }
        let (object, _, iid) = found.ok_or(Status::DISCONNECTED)?;
        // A call is one of the interface that its IPID has.
        if iid != given.iid {
            return Err(Status::NO_INTERFACE);
        }
        object.call(given)
    }
}

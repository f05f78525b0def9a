//! What operators call.

use super::Service;
use crate::operators;
use crate::properties::corba::operators::operator::RemoveRaises;
use crate::properties::corba::operators::{Operator, SetInfo, SetInfos, UnknownSet};
use crate::properties::service::Shared;
use armilla::{Error, SystemException};

pub(super) struct Operators(pub(super) Service);

impl Operator for Operators {
    fn list(&self) -> Result<SetInfos, SystemException> {
        let shared = self.0.get()?;
        // Who has a reference may change the set: it is only for operators to list them.
        operators::check(shared.limits.remote_operators)?;
        shared.list()
    }

    fn remove(&self, id: &str) -> Result<(), Error<RemoveRaises>> {
        let shared = self.0.get()?;
        operators::check(shared.limits.remote_operators)?;
        let number = u64::from_str_radix(id, 16).map_err(|_| UnknownSet {})?;
        match shared.remove(number)? {
            true => Ok(()),
            false => Err(UnknownSet {}.into()),
        }
    }
}

impl Shared {
    /// All sets.
    pub(in crate::properties) fn list(&self) -> Result<SetInfos, SystemException> {
        let sets: Vec<_> =
            self.read().iter().map(|(number, it)| (*number, it.has_modes, it.len())).collect();
        let info = |(number, has_modes, properties): (u64, bool, usize)| {
            Ok(SetInfo {
                id: format!("{number:016x}"),
                has_modes,
                properties: u32::try_from(properties).unwrap_or(u32::MAX),
                reference: match has_modes {
                    true => self.def(number)?.upcast(),
                    false => self.set(number)?,
                },
            })
        };
        sets.into_iter().map(info).collect()
    }
}

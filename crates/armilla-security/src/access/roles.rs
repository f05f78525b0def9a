//! The roles that IDL names for operations.

use super::of_every_object;
use std::collections::HashMap;

/// The roles of operations, as the IDL compiler writes them for `@roles("operator")`: the constant
/// `ROLES` in the module of an interface. For each operation the repository id of the interface, the
/// name, and the roles whose members may call it.
pub type Roles = &'static [(&'static str, &'static str, &'static [&'static str])];

/// Such tables, to be looked into.
#[derive(Debug, Default)]
pub(crate) struct RoleTable(HashMap<&'static str, HashMap<&'static str, Vec<&'static str>>>);

impl RoleTable {
    /// Adds the table of an interface.
    pub(crate) fn add(&mut self, roles: Roles) {
        for (interface, operation, roles) in roles {
            self.0.entry(interface).or_default().entry(operation).or_default().extend(*roles);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The roles whose members may call this. Who may call any operation of an object may call those
    /// that every object has.
    pub(crate) fn of(&self, interface: &str, operation: &str) -> Vec<&'static str> {
        let Some(operations) = self.0.get(interface) else { return Vec::new() };
        match operations.get(operation) {
            Some(roles) => roles.clone(),
            None if of_every_object(operation).is_some() => {
                operations.values().flatten().copied().collect()
            }
            None => Vec::new(),
        }
    }
}

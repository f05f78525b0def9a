//! The modality worklist (PS3.4, annex K): C-FIND of what is planned.

use super::Serving;
use super::find::read_identifier;
use super::message::{Command, Details, Status};
use super::wire::Wire;
use crate::procedures::{matching, object_to_octets};
use std::error::Error;

impl<S: Wire> Serving<'_, S> {
    /// Answers with the entries that match an identifier, those of the first date first.
    pub(super) fn find_planned(
        &mut self,
        command: &Command,
        identifier: &[u8],
    ) -> Result<(), Box<dyn Error>> {
        let syntax = self.syntax(command.context)?;
        let keys = match read_identifier(identifier, &syntax) {
            Ok(keys) => keys,
            Err(error) => return self.refuse(command, Status::NOT_UNDERSTOOD, error.to_string()),
        };
        let mut entries = self.entity.procedures.entries(false);
        entries.retain(|entry| matching::matches(&keys, &entry.set));
        entries.sort_by_cached_key(|entry| entry.begin());
        for entry in entries {
            let octets = object_to_octets(matching::answer(&keys, &entry.set), &syntax)?;
            let details = Details { data: Some(&octets), ..Details::default() };
            self.send(command, Status::PENDING, &details)?;
        }
        self.reply(command, Status::SUCCESS)
    }
}

//! Performed procedure steps (PS3.4, F.7): N-CREATE and N-SET.

use super::Serving;
use super::find::read_identifier;
use super::message::{Command, Details, N_CREATE, Status};
use super::wire::Wire;
use crate::procedures::ProcedureError;
use std::error::Error;

/// Says that a step is finished (PS3.4, F.7.2.2).
const FINISHED: u16 = 0xa710;

impl<S: Wire> Serving<'_, S> {
    /// Enters or changes a step.
    pub(super) fn perform(
        &mut self,
        command: &Command,
        octets: &[u8],
    ) -> Result<(), Box<dyn Error>> {
        let set = match read_identifier(octets, &self.syntax(command.context)?) {
            Ok(set) => set,
            Err(error) => return self.refuse(command, Status::FAILED, error.to_string()),
        };
        let (procedures, uid) = (&self.entity.procedures, command.instance());
        let done = match command.field {
            N_CREATE => procedures.begin(&uid, set, &self.client.place.to_string()),
            _ => procedures.change(&uid, set),
        };
        match done {
            Ok(step) => {
                let (uid, state) = (&step.uid, step.state.status());
                tracing::info!(uid, state, entries = step.entries.len(), "a procedure step");
                let details = Details { instance: Some(uid), ..Details::default() };
                self.send(command, Status::SUCCESS, &details)
            }
            Err(error) => {
                let (status, number) = status(&error);
                // Its text quotes values of the data set at most where they are UIDs or states.
                tracing::info!(%error, "a procedure step was refused");
                let comment = error.to_string();
                let details = Details { comment, error: number, ..Details::default() };
                self.send(command, status, &details)
            }
        }
    }
}

/// The status of a failure (PS3.7, annex C), and the number of the service for it.
fn status(error: &ProcedureError) -> (Status, Option<u16>) {
    match error {
        ProcedureError::Missing(_) => (Status::MISSING, None),
        ProcedureError::Invalid(..) => (Status::INVALID_VALUE, None),
        ProcedureError::There(_) => (Status::DUPLICATE, None),
        ProcedureError::Unknown(_) => (Status::NO_INSTANCE, None),
        ProcedureError::Finished(_) => (Status::FAILED, Some(FINISHED)),
        ProcedureError::TooMany(_) => (Status::TOO_MUCH, None),
        _ => (Status::FAILED, None),
    }
}

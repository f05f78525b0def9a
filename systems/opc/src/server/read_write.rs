//! `IOPCSyncIO` and `IOPCAsyncIO2`. The plant answers at once: what is asynchronous is the answer.

use super::Called;
use super::items::errors;
use super::live::LiveGroup;
use super::outbox::Answer;
use crate::data_access::{Filetime, IopcAsyncIo2, IopcSyncIo, ItemState, Source};
use crate::model::{Change, Quality, Sample};
use crate::status::{INVALID_HANDLE, overall, split};
use armilla_dcerpc::Status;
use armilla_dcom::automation::Variant;
use std::time::Duration;

impl IopcSyncIo for Called<'_, LiveGroup> {
    fn read(
        &self,
        source: Source,
        _count: u32,
        handles: Vec<u32>,
    ) -> Result<(Status, Vec<ItemState>, Vec<u32>), Status> {
        let read = read(self.on, &handles, from_device(source)?);
        let read = read.into_iter().map(|result| split(result.map(state), state(nothing())));
        let (states, errors): (Vec<_>, Vec<_>) = read.unzip();
        Ok((overall(&errors), states, errors))
    }

    fn write(
        &self,
        _count: u32,
        handles: Vec<u32>,
        values: Vec<Variant>,
    ) -> Result<(Status, Vec<u32>), Status> {
        let values = pairs(handles, values)?;
        Ok(errors(values.map(|(handle, value)| write(self.on, handle, &value))))
    }
}

impl IopcAsyncIo2 for Called<'_, LiveGroup> {
    fn read(
        &self,
        _count: u32,
        handles: Vec<u32>,
        transaction: u32,
    ) -> Result<(Status, u32, Vec<u32>), Status> {
        start(self.on, transaction, read(self.on, &handles, true), Answer::Read)
    }

    fn write(
        &self,
        _count: u32,
        handles: Vec<u32>,
        values: Vec<Variant>,
        transaction: u32,
    ) -> Result<(Status, u32, Vec<u32>), Status> {
        let written = pairs(handles, values)?.map(|(handle, value)| {
            // An item that there is has a result of its own, in the callback.
            let client = self.on.model().items().get(&handle).map(|item| item.client_handle);
            let client = client.ok_or(INVALID_HANDLE)?;
            Ok((client, split(write(self.on, handle, &value), ()).1))
        });
        start(self.on, transaction, written.collect(), Answer::Written)
    }

    fn refresh(&self, source: Source, transaction: u32) -> Result<u32, Status> {
        let group = self.on;
        from_device(source)?;
        connected(group)?;
        let plant = group.simulation.plant();
        let all = group.model().all(plant.samples());
        drop(plant);
        if all.is_empty() {
            return Err(Status::FAIL);
        }
        group.outbox.answer(transaction, Answer::Refreshed(all))
    }

    fn cancel(&self, cancel: u32) -> Result<(), Status> {
        self.on.outbox.cancel(cancel)
    }

    fn set_enable(&self, enabled: i32) -> Result<(), Status> {
        connected(self.on)?;
        let mut model = self.on.model();
        if enabled != 0 && !model.enabled {
            model.tell_all();
        }
        model.enabled = enabled != 0;
        Ok(())
    }

    fn get_enable(&self) -> Result<i32, Status> {
        connected(self.on)?;
        Ok(self.on.model().enabled.into())
    }
}

/// Without a sink there is nobody to tell.
fn connected(group: &LiveGroup) -> Result<(), Status> {
    if group.has_sinks() { Ok(()) } else { Err(Status::NO_CONNECTION) }
}

fn from_device(source: Source) -> Result<bool, Status> {
    match source {
        Source::CACHE => Ok(false),
        Source::DEVICE => Ok(true),
        _ => Err(Status::INVALID_ARGUMENT),
    }
}

/// Answers what became of each item that is read or written, and tells sinks what those gave that are known.
fn start<T>(
    group: &LiveGroup,
    transaction: u32,
    results: Vec<Result<T, Status>>,
    answer: fn(Vec<T>) -> Answer,
) -> Result<(Status, u32, Vec<u32>), Status> {
    connected(group)?;
    let errors: Vec<u32> =
        results.iter().map(|it| it.as_ref().err().map_or(0, |status| status.0)).collect();
    let known: Vec<T> = results.into_iter().flatten().collect();
    let cancel = match known.is_empty() {
        true => 0,
        false => group.outbox.answer(transaction, answer(known))?,
    };
    Ok((overall(&errors), cancel, errors))
}

fn read(group: &LiveGroup, handles: &[u32], from_device: bool) -> Vec<Result<Change, Status>> {
    let plant = group.simulation.plant();
    let model = group.model();
    let one = |handle: &u32| {
        let change = model.read(*handle, plant.samples(), from_device)?;
        if change.error == Status::OK { Ok(change) } else { Err(change.error) }
    };
    handles.iter().map(one).collect()
}

fn pairs(
    handles: Vec<u32>,
    values: Vec<Variant>,
) -> Result<impl Iterator<Item = (u32, Variant)>, Status> {
    if handles.len() != values.len() {
        return Err(Status::INVALID_ARGUMENT);
    }
    Ok(handles.into_iter().zip(values))
}

fn write(group: &LiveGroup, handle: u32, value: &Variant) -> Result<(), Status> {
    let item = group.model().items().get(&handle).map(|item| item.item).ok_or(INVALID_HANDLE)?;
    let (_, now) = group.simulation.times();
    group.simulation.plant().write(item, value, now)
}

fn state(change: Change) -> ItemState {
    ItemState {
        client_handle: change.client_handle,
        time: Filetime::from_unix(change.sample.time),
        quality: change.sample.quality.0,
        reserved: 0,
        value: change.sample.value,
    }
}

/// The value of an item that could not be read.
fn nothing() -> Change {
    let sample = Sample { value: Variant::Empty, quality: Quality::BAD, time: Duration::ZERO };
    Change { client_handle: 0, sample, error: Status::OK }
}

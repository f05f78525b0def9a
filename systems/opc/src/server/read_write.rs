//! `IOPCSyncIO` and `IOPCAsyncIO2`. The plant answers at once: what is asynchronous is the answer.

use super::items::errors;
use super::live::LiveGroup;
use super::outbox::Answer;
use crate::data_access::iopc_async_io2::{
    self as later, Cancel, CancelIn, GetEnable, GetEnableOut, Refresh, RefreshIn, RefreshOut,
    SetEnable, SetEnableIn,
};
use crate::data_access::iopc_sync_io::{Read, ReadIn, ReadOut, Write, WriteIn};
use crate::data_access::{Filetime, ItemState, Source};
use crate::model::{Change, Quality, Sample};
use crate::status::{INVALID_HANDLE, overall, split};
use crate::wire::array;
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::Operation;
use armilla_dcom::automation::{Variant, VariantPointer};
use armilla_dcom::server::ObjectCall;
use std::time::Duration;

pub(super) fn call(group: &LiveGroup, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    match call.opnum {
        Read::OPNUM => {
            let given: ReadIn = call.arguments()?;
            let from_device = from_device(given.source)?;
            let (states, errors): (Vec<_>, Vec<_>) = read(group, &given.handles.0, from_device)
                .into_iter()
                .map(|result| split(result.map(state), state(nothing())))
                .unzip();
            let status = overall(&errors);
            call.answer_with(&ReadOut { states: array(states), errors: array(errors) }, status)
        }
        Write::OPNUM => {
            let given: WriteIn = call.arguments()?;
            let values = values(&given.handles.0, given.values.0)?;
            errors(call, values.map(|(handle, value)| write(group, handle, &value).map(drop)))
        }
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}

pub(super) fn call_async(group: &LiveGroup, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    match call.opnum {
        later::Read::OPNUM => {
            let given: later::ReadIn = call.arguments()?;
            let read = read(group, &given.handles.0, true);
            start(group, call, given.transaction, read, Answer::Read)
        }
        later::Write::OPNUM => {
            let given: later::WriteIn = call.arguments()?;
            let values = values(&given.handles.0, given.values.0)?;
            let written = values.map(|(handle, value)| {
                // An item that there is has a result of its own, in the callback.
                let client = group.model().items().get(&handle).map(|item| item.client_handle);
                let client = client.ok_or(INVALID_HANDLE)?;
                Ok((client, split(write(group, handle, &value), ()).1))
            });
            start(group, call, given.transaction, written.collect(), Answer::Written)
        }
        Refresh::OPNUM => {
            let RefreshIn { source, transaction } = call.arguments()?;
            from_device(source)?;
            connected(group)?;
            let plant = group.simulation.plant();
            let all = group.model().all(plant.samples());
            drop(plant);
            if all.is_empty() {
                return Err(Status::FAIL);
            }
            let cancel = group.outbox.answer(transaction, Answer::Refreshed(all))?;
            call.answer(&RefreshOut { cancel })
        }
        Cancel::OPNUM => {
            let CancelIn { cancel } = call.arguments()?;
            group.outbox.cancel(cancel)?;
            call.answer(&())
        }
        SetEnable::OPNUM => {
            connected(group)?;
            let SetEnableIn { enabled } = call.arguments()?;
            let mut model = group.model();
            if enabled != 0 && !model.enabled {
                model.tell_all();
            }
            model.enabled = enabled != 0;
            call.answer(&())
        }
        GetEnable::OPNUM => {
            connected(group)?;
            call.answer(&GetEnableOut { enabled: group.model().enabled.into() })
        }
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
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
    call: &ObjectCall<'_>,
    transaction: u32,
    results: Vec<Result<T, Status>>,
    answer: fn(Vec<T>) -> Answer,
) -> Result<Vec<u8>, Status> {
    connected(group)?;
    let errors: Vec<u32> =
        results.iter().map(|it| it.as_ref().err().map_or(0, |status| status.0)).collect();
    let known: Vec<T> = results.into_iter().flatten().collect();
    let cancel = match known.is_empty() {
        true => 0,
        false => group.outbox.answer(transaction, answer(known))?,
    };
    let status = overall(&errors);
    call.answer_with(&later::ReadOut { cancel, errors: array(errors) }, status)
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

fn values(
    handles: &[u32],
    values: Vec<VariantPointer>,
) -> Result<impl Iterator<Item = (u32, Variant)>, Status> {
    if handles.len() != values.len() {
        return Err(Status::INVALID_ARGUMENT);
    }
    let values = values.into_iter().map(VariantPointer::into_variant);
    Ok(handles.iter().copied().zip(values))
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

//! `IOPCGroupStateMgt`

use super::live::LiveGroup;
use crate::data_access::iopc_group_state_mgt::{
    CloneGroup, CloneGroupIn, CloneGroupOut, GetState, GetStateOut, SetName, SetNameIn, SetState,
    SetStateIn, SetStateOut,
};
use crate::status::UNSUPPORTED_RATE;
use crate::wire::text;
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::{Operation, Unique};
use armilla_dcom::server::ObjectCall;

pub(super) fn call(group: &LiveGroup, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    match call.opnum {
        GetState::OPNUM => call.answer(&state(group)),
        SetState::OPNUM => set(group, call),
        SetName::OPNUM => {
            let SetNameIn { name } = call.arguments()?;
            let session = group.session.upgrade().ok_or(Status::FAIL)?;
            session.rename(group, name.to_text())?;
            call.answer(&())
        }
        CloneGroup::OPNUM => {
            let CloneGroupIn { name, iid } = call.arguments()?;
            let session = group.session.upgrade().ok_or(Status::FAIL)?;
            let model = group.model().duplicate(name.to_text());
            let made = session.add(&group.simulation, model)?;
            let group = Unique::new(session.pointer(call, &made, iid)?);
            call.answer(&CloneGroupOut { group })
        }
        _ => Err(Status::OPERATION_OUT_OF_RANGE),
    }
}

fn state(group: &LiveGroup) -> GetStateOut {
    let model = group.model();
    let settings = &model.settings;
    GetStateOut {
        rate: settings.rate,
        active: settings.active.into(),
        name: text(&settings.name),
        bias: settings.bias,
        dead_band: settings.dead_band,
        locale: settings.locale,
        client_handle: settings.client_handle,
        server_handle: group.handle,
    }
}

fn set(group: &LiveGroup, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    let given: SetStateIn = call.arguments()?;
    if given.dead_band.get().is_some_and(|percent| !(0.0..=100.0).contains(percent)) {
        return Err(Status::INVALID_ARGUMENT);
    }
    let now = group.simulation.now();
    let mut model = group.model();
    let mut status = Status::OK;
    if let Some(rate) = given.rate.get()
        && model.set_rate(*rate, now) != *rate
    {
        status = UNSUPPORTED_RATE;
    }
    if let Some(active) = given.active.get() {
        let active = *active != 0;
        if active && !model.settings.active {
            model.tell_all();
        }
        model.settings.active = active;
    }
    let settings = &mut model.settings;
    settings.bias = given.bias.into_inner().unwrap_or(settings.bias);
    settings.dead_band = given.dead_band.into_inner().unwrap_or(settings.dead_band);
    settings.locale = given.locale.into_inner().unwrap_or(settings.locale);
    if let Some(handle) = given.client_handle.get() {
        settings.client_handle = *handle;
        group.outbox.rename(*handle);
    }
    call.answer_with(&SetStateOut { revised_rate: settings.rate }, status)
}

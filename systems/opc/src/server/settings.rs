//! `IOPCGroupStateMgt`

use super::Called;
use super::live::LiveGroup;
use crate::data_access::IopcGroupStateMgt;
use crate::status::UNSUPPORTED_RATE;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;

impl IopcGroupStateMgt for Called<'_, LiveGroup> {
    fn get_state(&self) -> Result<(u32, i32, Option<String>, i32, f32, u32, u32, u32), Status> {
        let model = self.on.model();
        let own = &model.settings;
        let (name, active) = (Some(own.name.clone()), own.active.into());
        let (rate, bias, dead_band) = (own.rate, own.bias, own.dead_band);
        let handles = (own.client_handle, self.on.handle);
        Ok((rate, active, name, bias, dead_band, own.locale, handles.0, handles.1))
    }

    fn set_state(
        &self,
        rate: Option<u32>,
        active: Option<i32>,
        bias: Option<i32>,
        dead_band: Option<f32>,
        locale: Option<u32>,
        client_handle: Option<u32>,
    ) -> Result<(Status, u32), Status> {
        if dead_band.is_some_and(|percent| !(0.0..=100.0).contains(&percent)) {
            return Err(Status::INVALID_ARGUMENT);
        }
        let now = self.on.simulation.now();
        let mut model = self.on.model();
        let mut status = Status::OK;
        if let Some(rate) = rate
            && model.set_rate(rate, now) != rate
        {
            status = UNSUPPORTED_RATE;
        }
        if let Some(active) = active {
            let active = active != 0;
            if active && !model.settings.active {
                model.tell_all();
            }
            model.settings.active = active;
        }
        let settings = &mut model.settings;
        settings.bias = bias.unwrap_or(settings.bias);
        settings.dead_band = dead_band.unwrap_or(settings.dead_band);
        settings.locale = locale.unwrap_or(settings.locale);
        if let Some(handle) = client_handle {
            settings.client_handle = handle;
            self.on.outbox.rename(handle);
        }
        Ok((status, settings.rate))
    }

    fn set_name(&self, name: String) -> Result<(), Status> {
        self.on.session.upgrade().ok_or(Status::FAIL)?.rename(self.on, name)
    }

    fn clone_group(&self, name: String, iid: Uuid) -> Result<Option<InterfacePointer>, Status> {
        let session = self.on.session.upgrade().ok_or(Status::FAIL)?;
        let model = self.on.model().duplicate(name);
        let made = session.add(&self.on.simulation, model)?;
        session.pointer(self.call, &made, iid).map(Some)
    }
}

//! The object that controls a flow.

use crate::idl::stream_ctrl;
use crate::{FlowControl, FlowProgress, StreamCtrl, StreamCtrlRef};
use armilla::{Poa, PoaError, SystemException};

/// The servant.
struct Servant(FlowControl);

impl StreamCtrl for Servant {
    fn start(&self) -> Result<(), SystemException> {
        self.0.start();
        Ok(())
    }

    fn stop(&self) -> Result<(), SystemException> {
        self.0.stop();
        Ok(())
    }

    fn destroy(&self) -> Result<(), SystemException> {
        self.0.cancel();
        Ok(())
    }

    fn progress(&self) -> Result<FlowProgress, SystemException> {
        Ok(FlowProgress { transferred: self.0.transferred(), ended: self.0.ended() })
    }
}

/// Activates an object that controls a flow, for
/// [`FlowAgreement::control`](crate::FlowAgreement). The program deactivates it when the flow is
/// over.
///
/// # Errors
/// As [`Poa::activate`].
pub fn activate_control(poa: &Poa, control: &FlowControl) -> Result<StreamCtrlRef, PoaError> {
    poa.activate(stream_ctrl::tie(Servant(control.clone())))
}

//! Priority-banded connections at the server: `_bind_priority_band` (RT CORBA 1.2, *Binding of
//! Priority Banded Connection*).
//!
//! In a pool with lanes the band selects the lane, at whose priority all requests of the band run.
//! Without lanes requests run at the priority that they carry, and the band decides at which
//! priority the connection waits and is read: the highest of the band, or the highest that the
//! server declares for an object which was called over it. A request outside the band is refused.

use crate::current::{leave_home, return_home};
use crate::dispatch::Dispatch;
use crate::error::{RtError, RtErrorKind};
use crate::priority::Priority;
use crate::wire::{
    BIND_PRIORITY_BAND, PriorityModel, RT_CORBA_PRIORITY_RANGE_CONTEXT, decode_priority_range,
};
use armilla::{
    Completion, ConnectionExtension, ConnectionSlot, ExceptionKind, Minor, SystemException,
    UpcallInfo,
};
use armilla_ipc::real_time::{PiMutex, Scheduling};
use std::any::Any;
use std::sync::Arc;

type Band = (Priority, Priority);

/// A connection for the calls of a band.
struct BandedConnection {
    band: Band,
    /// The priority at which its requests are waited for, and the native one.
    waits_at: PiMutex<(Priority, Scheduling)>,
    /// Whether it belongs to a lane, which has one priority.
    is_of_lane: bool,
}

impl BandedConnection {
    const fn new(band: Band, waits_at: (Priority, Scheduling), is_of_lane: bool) -> Self {
        Self { band, waits_at: PiMutex::new(waits_at), is_of_lane }
    }

    fn has(&self, priority: Priority) -> bool {
        (self.band.0..=self.band.1).contains(&priority)
    }
}

impl ConnectionExtension for BandedConnection {
    fn begin(&self) {
        let (priority, native) = *self.waits_at.lock();
        // The bind request has reported what the system refuses.
        leave_home(priority, native).ok();
    }

    fn end(&self) {
        return_home();
    }
}

impl Dispatch {
    /// Carries a bind request out; `None` if the request is another one, or one that this POA does
    /// not know: without a priority model its requests have no priorities.
    #[inline]
    pub(crate) fn bind(&self, request: &UpcallInfo<'_>) -> Option<Result<(), SystemException>> {
        if request.operation() != BIND_PRIORITY_BAND {
            return None;
        }
        let (model, connection) = (self.model?, request.connection()?);
        Some(self.bind_band(model, request, connection))
    }

    #[cold]
    fn bind_band(
        &self,
        model: PriorityModel,
        request: &UpcallInfo<'_>,
        connection: &ConnectionSlot,
    ) -> Result<(), SystemException> {
        let Some(data) = request.service_context(RT_CORBA_PRIORITY_RANGE_CONTEXT) else {
            return Err(malformed("it has no service context RTCorbaPriorityRange"));
        };
        let band = decode_priority_range(data)
            .map_err(|error| malformed(&format!("the priority range: {error}")))?;
        let declared = self.declared(request.object_id(), model);
        self.check_band(band, model, declared)?;
        if let Some(lane) = self.pool.as_ref().and_then(|pool| pool.own_lane()) {
            self.check_has(band, "lane_priority", lane.priority)?;
            let bound = BandedConnection::new(band, (lane.priority, lane.native), true);
            return Ok(self.check_same(connection.attach(Arc::new(bound)), band)?);
        }
        let (priority, native) = match model {
            PriorityModel::ServerDeclared(_) => (declared, self.native(declared)?),
            PriorityModel::ClientPropagated(_) => self.highest(band, request.object_id())?,
        };
        if let Some(known) = connection.get() {
            self.check_same(known, band)?;
            return match model {
                PriorityModel::ServerDeclared(_) => self.check_connection(connection, declared),
                PriorityModel::ClientPropagated(_) => Ok(()),
            };
        }
        self.wait_at(priority, native)?;
        let bound = BandedConnection::new(band, (priority, native), false);
        Ok(self.check_same(connection.attach(Arc::new(bound)), band)?)
    }

    /// Lets the calling thread wait at a priority from now on.
    fn wait_at(&self, priority: Priority, native: Scheduling) -> Result<(), SystemException> {
        match leave_home(priority, native) {
            Err(error) if self.strict => {
                return_home();
                Err(error.into())
            }
            Err(error) => {
                self.report_once(&error);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Checks that a request of this priority is in the band of its connection, if that has one. If
    /// the server declares the priority, the connection waits at no lower one from now on: the next
    /// request for the same object is read in time.
    ///
    /// # Errors
    /// `INV_POLICY` if it is not; `NO_PERMISSION` when the ORB is strict and the system refuses the
    /// native priority.
    pub(crate) fn check_connection(
        &self,
        connection: &ConnectionSlot,
        priority: Priority,
    ) -> Result<(), SystemException> {
        let Some(known) = connection.get() else { return Ok(()) };
        let known: &dyn Any = known;
        let Some(bound) = known.downcast_ref::<BandedConnection>() else { return Ok(()) };
        if !bound.has(priority) {
            let remedy = "send it over a connection for its band";
            let reason = format!("a request of this connection has the priority {priority}");
            return Err(self.refusal(bound.band, &reason, remedy).into());
        }
        let declared = matches!(self.model, Some(PriorityModel::ServerDeclared(_)));
        if !declared || bound.is_of_lane || bound.waits_at.lock().0 >= priority {
            return Ok(());
        }
        let native = self.native(priority)?;
        self.wait_at(priority, native)?;
        let mut waits_at = bound.waits_at.lock();
        if waits_at.0 < priority {
            *waits_at = (priority, native);
        }
        Ok(())
    }

    /// The priority at which a connection for a band waits if clients propagate theirs.
    fn highest(
        &self,
        band: Band,
        object_id: &[u8],
    ) -> Result<(Priority, Scheduling), SystemException> {
        let Some((highest, native)) = self.mapper.highest(band) else {
            // Says what the mapping lacks.
            return Ok((band.1, self.native(band.1)?));
        };
        let Some(transform) = &self.transform else { return Ok((highest, native)) };
        match transform.inbound(highest, object_id) {
            Some(priority) => Ok((priority, self.native(priority)?)),
            // It may admit other priorities of the band.
            None => Ok((highest, native)),
        }
    }

    fn native(&self, priority: Priority) -> Result<Scheduling, RtError> {
        self.mapper.native(format_args!("POA {:?}", self.poa), priority)
    }

    /// Checks that the band is one of the server's, if it has bands, and the one of its priority.
    fn check_band(
        &self,
        band: Band,
        model: PriorityModel,
        declared: Priority,
    ) -> Result<(), RtError> {
        if !self.bands.is_empty() && !self.bands.contains(&band) {
            return Err(self.refusal(
                band,
                "the server has other bands",
                "use those of the server",
            ));
        }
        match model {
            PriorityModel::ServerDeclared(_) => self.check_has(band, "server_priority", declared),
            PriorityModel::ClientPropagated(_) => Ok(()),
        }
    }

    fn check_has(
        &self,
        band: Band,
        policy: &'static str,
        priority: Priority,
    ) -> Result<(), RtError> {
        if (band.0..=band.1).contains(&priority) {
            return Ok(());
        }
        let reason = format!("it lacks the {policy} {priority}");
        Err(self.refusal(band, &reason, "choose a band with this priority"))
    }

    /// Checks that a connection with an extension has this band.
    fn check_same(&self, known: &dyn ConnectionExtension, band: Band) -> Result<(), RtError> {
        let known: &dyn Any = known;
        match known.downcast_ref::<BandedConnection>() {
            Some(known) if known.band == band => Ok(()),
            _ => {
                let reason = "the connection is bound to another band";
                Err(self.refusal(band, reason, "open a connection for each band"))
            }
        }
    }

    fn refusal(&self, (low, high): Band, reason: &str, remedy: &str) -> RtError {
        let (object, band) = (format!("POA {:?}", self.poa), format!("{low} to {high}"));
        RtError::new(RtErrorKind::Policy, object, "priority band", band, reason, remedy)
    }
}

fn malformed(why: &str) -> SystemException {
    let what = format!("{BIND_PRIORITY_BAND}: {why}");
    SystemException::new(ExceptionKind::BadParam, Minor::BAD_ARGUMENT, Completion::No)
        .with_reason(what)
}

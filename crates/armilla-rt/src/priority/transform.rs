//! Priority transforms (RT CORBA 1.2, *Priority Transforms*).

use super::Priority;

/// Changes the priority of a request on its way through a server (`RTCORBA::PriorityTransform`).
pub trait PriorityTransform: Send + Sync {
    /// The priority at which the servant of the object `object_id` runs, for a request that arrived
    /// with `priority`; `None` refuses the request (`inbound`).
    fn inbound(&self, priority: Priority, object_id: &[u8]) -> Option<Priority>;

    /// The priority of a call that the servant of the object `object_id` makes at `priority`, in the
    /// thread that serves the request; `None` refuses the call (`outbound`). By default the
    /// priority stays.
    fn outbound(&self, priority: Priority, object_id: &[u8]) -> Option<Priority> {
        let _ = object_id;
        Some(priority)
    }
}

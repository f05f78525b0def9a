//! The factory: transactions for programs that have no service of their own.

use super::Site;
use super::begin::{adopt, new_root};
use crate::context::Incoming;
use crate::corba::{ControlRef, PropagationContext, TransactionFactory};
use armilla::{ExceptionKind, SystemException};
use std::sync::Arc;
use std::time::Duration;

pub(super) struct Factory {
    pub(super) site: Arc<Site>,
    /// What 0 asks for.
    pub(super) timeout: Option<Duration>,
}

impl TransactionFactory for Factory {
    fn create(&self, time_out: u32) -> Result<ControlRef, SystemException> {
        let timeout = match time_out {
            0 => self.timeout,
            seconds => Some(Duration::from_secs(seconds.into())),
        };
        let entry = new_root(&self.site.engine, timeout)?;
        self.site.control(entry.key)
    }

    fn recreate(&self, ctx: &PropagationContext) -> Result<ControlRef, SystemException> {
        let incoming = Incoming::new(ctx.clone()).ok_or_else(|| {
            ExceptionKind::InvalidTransaction.because("the context is of no transaction")
        })?;
        let entry = adopt(&self.site.engine, &incoming, false)?;
        self.site.control(entry.key)
    }
}

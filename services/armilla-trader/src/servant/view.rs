//! Whose request is served: the contents as its transaction sees them, or as everybody does.

use super::Servant;
use crate::model::{Model, ModelError, Planned};
#[cfg(feature = "transactions")]
use armilla_transactions::{Entered, Transaction};

/// Who looks at the contents.
pub(super) struct View {
    #[cfg(feature = "transactions")]
    transaction: Option<Transaction>,
}

/// As long as this lives, calls of the thread carry no transaction: whoever is asked for a property or
/// for offers takes no part, and the silence of one does not roll everything back.
pub(super) struct Alone {
    #[cfg(feature = "transactions")]
    _suspended: Option<Entered>,
}

impl Servant {
    /// That of the request that the thread serves.
    pub(super) fn view(&self) -> View {
        View {
            #[cfg(feature = "transactions")]
            transaction: self.service.transactions.as_ref().and_then(|it| it.current()),
        }
    }

    /// Lets the thread call others outside of the transaction of its request.
    pub(super) fn alone(&self) -> Alone {
        Alone {
            #[cfg(feature = "transactions")]
            _suspended: self.service.transactions.as_ref().and_then(|it| it.suspend().ok()),
        }
    }

    /// Reads the contents as a transaction sees them.
    #[cfg_attr(not(feature = "transactions"), allow(clippy::unnecessary_wraps))]
    pub(super) fn read<R>(
        &self,
        view: &View,
        read: impl FnOnce(&Model) -> R,
    ) -> Result<R, ModelError> {
        #[cfg(feature = "transactions")]
        if let Some(transaction) = &view.transaction {
            return self.service.contents.write().read_within(&transaction.whole().id(), read);
        }
        let _ = view;
        Ok(read(&self.model()))
    }

    /// Plans a change of offers, service types or links, and makes it: at once, or with the transaction.
    pub(super) fn change_by<T>(
        &self,
        view: &View,
        plan: impl FnOnce(&Model) -> Planned<T>,
    ) -> Result<T, ModelError> {
        #[cfg(feature = "transactions")]
        if let Some(transaction) = &view.transaction {
            let most = self.service.limits.pending;
            return self.service.contents.change_within(transaction, most, plan);
        }
        let _ = view;
        self.change(plan)
    }
}

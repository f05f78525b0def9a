//! The servants of the experiments.

use super::dynamic::DynamicSink;
use super::many::{Strategy, object_id};
use super::variation::Variation;
use crate::bench::{self, Drain, DrainRef, Entrance, Library, LibraryRef};
use crate::workload::STRING_LENGTH;
use crate::{BinStruct, TtcpSequence, TtcpSequenceRef, ttcp_sequence};
use armilla::dynamic::serve;
use armilla::{Orb, Poa, SharedStrings, SystemException};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A servant that ignores its arguments.
#[derive(Debug)]
pub struct Sink;

/// Implements operations that ignore their argument, if any.
macro_rules! drop_all {
    ($($operation:ident($($argument:ident: $ty:ty)?);)*) => {
        impl TtcpSequence for Sink {
            $(fn $operation(&self $(, $argument: $ty)?) -> Result<(), SystemException> {
                Ok(())
            })*
        }
    };
}

drop_all! {
    send_struct_seq_2way(_s: &[BinStruct]);
    send_short_seq_2way(_s: &[i16]);
    send_char_seq_2way(_s: &[u8]);
    send_long_seq_2way(_s: &[i32]);
    send_octet_seq_2way(_s: &[u8]);
    send_double_seq_2way(_s: &[f64]);
    send_no_params_2way();
    send_struct_seq_1way(_s: &[BinStruct]);
    send_short_seq_1way(_s: &[i16]);
    send_char_seq_1way(_s: &[u8]);
    send_long_seq_1way(_s: &[i32]);
    send_octet_seq_1way(_s: &[u8]);
    send_double_seq_1way(_s: &[f64]);
    send_no_params_1way();
}

/// Counts the calls and the octets of floods.
#[derive(Default)]
struct Counter {
    /// Whether the servant copies the data.
    copies: bool,
    octets: AtomicU64,
    messages: AtomicU64,
}

impl Counter {
    fn take(&self, octets: usize) {
        self.octets.fetch_add(octets as u64, Ordering::Relaxed);
        self.messages.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drain for Counter {
    fn send_sequence(&self, s: &[u8]) -> Result<(), SystemException> {
        match self.copies {
            true => self.take(black_box(s.to_vec()).len()),
            false => self.take(s.len()),
        }
        Ok(())
    }

    fn send_string(&self, s: &str) -> Result<(), SystemException> {
        self.take(s.len());
        Ok(())
    }

    fn send_nothing(&self) -> Result<(), SystemException> {
        self.take(0);
        Ok(())
    }

    fn put_sequence(&self, _s: &[u8]) -> Result<(), SystemException> {
        Ok(())
    }

    fn put_string(&self, _s: &str) -> Result<(), SystemException> {
        Ok(())
    }

    fn confirm(&self) -> Result<(u64, u64), SystemException> {
        let octets = self.octets.swap(0, Ordering::Relaxed);
        Ok((octets, self.messages.swap(0, Ordering::Relaxed)))
    }
}

/// The strings of the batching experiment.
#[derive(Debug)]
pub struct LibraryServant(SharedStrings);

impl LibraryServant {
    /// The number of strings.
    pub const STRINGS: u32 = 100;
}

impl Default for LibraryServant {
    fn default() -> Self {
        let string = |number: u32| format!("{number:0>STRING_LENGTH$}");
        Self((0..Self::STRINGS).map(string).collect())
    }
}

impl Library for LibraryServant {
    fn get_single_string(&self, index: u32) -> Result<String, SystemException> {
        Ok(self.0.get(index as usize).unwrap_or_default().to_owned())
    }

    fn get_multiple_strings(
        &self,
        index: u32,
        count: u32,
    ) -> Result<bench::StringSeq, SystemException> {
        let first = (index as usize).min(self.0.len());
        let end = first.saturating_add(count as usize).min(self.0.len());
        Ok(self.0.slice(first..end))
    }
}

/// The initial object of a client, which returns all others.
pub(super) struct EntranceServant {
    orb: Orb,
    target: TtcpSequenceRef,
    floods: DrainRef,
    strings: LibraryRef,
    lookup: Option<Strategy>,
    prepared: Mutex<Prepared>,
}

/// The targets that a client requested, and their adapter.
#[derive(Default)]
struct Prepared {
    targets: Vec<TtcpSequenceRef>,
    adapter: Option<Poa>,
}

impl EntranceServant {
    pub(super) fn new(orb: &Orb, variation: Variation) -> Result<Self, SystemException> {
        let root = orb.root_poa();
        let target = match variation.dynamic_servant {
            true => root.activate(serve(DynamicSink))?.object().assume(),
            false => root.activate(ttcp_sequence::tie(Sink))?,
        };
        let counter = Counter { copies: variation.copying_servant, ..Counter::default() };
        Ok(Self {
            orb: orb.clone(),
            target,
            floods: root.activate(bench::drain::tie(counter))?,
            strings: root.activate(bench::library::tie(LibraryServant::default()))?,
            lookup: variation.lookup,
            prepared: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Prepared> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entrance for EntranceServant {
    fn target(&self) -> Result<TtcpSequenceRef, SystemException> {
        Ok(self.target.clone())
    }

    fn floods(&self) -> Result<DrainRef, SystemException> {
        Ok(self.floods.clone())
    }

    fn strings(&self) -> Result<LibraryRef, SystemException> {
        Ok(self.strings.clone())
    }

    fn prepare(&self, count: u32) -> Result<(), SystemException> {
        let mut prepared = self.lock();
        if let Some(adapter) = prepared.adapter.take() {
            adapter.destroy(false, false)?;
        }
        let builder = self.orb.root_poa().create_poa("targets").multiple_ids();
        let servant: Arc<dyn TtcpSequence> = ttcp_sequence::tie(Sink);
        let adapter = match self.lookup {
            None => builder.build()?,
            Some(strategy) => {
                let builder = builder.operation_lookup(strategy.operation_lookup());
                builder.user_ids().lookup(strategy.lookup(count)).build()?
            }
        };
        let activate = |number| match self.lookup {
            None => adapter.activate(servant.clone()),
            Some(_) => adapter.activate_with_id(object_id(number), servant.clone()),
        };
        prepared.targets = (0..count).map(activate).collect::<Result<_, _>>()?;
        prepared.adapter = Some(adapter);
        Ok(())
    }

    fn prepared(&self, first: u32, count: u32) -> Result<bench::Targets, SystemException> {
        let targets = &self.lock().targets;
        let part = targets.iter().skip(first as usize).take(count as usize);
        Ok(part.cloned().collect())
    }
}

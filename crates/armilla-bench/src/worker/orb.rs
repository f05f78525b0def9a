//! The ORB: what an experiment calls, and the calls.

use super::answer::Answer;
use super::servants::Door;
use super::{Commands, Outcome, Worker};
use crate::bench::{self, Drain, DrainRef, Entrance, EntranceRef, Library, LibraryRef};
use crate::program::Transport;
use crate::workload::{Workload, bin_structs};
use crate::{BinStruct, TtcpSequence, TtcpSequenceRef};
use armilla::{Orb, OrbBuilder, SystemException};
use std::io::{self, Write};

/// How many references are fetched with one call.
const BATCH: u32 = 1000;

/// Serves until killed.
pub(super) fn serve(worker: &Worker) -> Outcome {
    let endpoint = match worker.transport {
        Transport::Tcp => format!("iiop://{}:0", worker.place),
        Transport::Unix => format!("uiop://{}", worker.place),
        Transport::Shm => format!("shmiop://{}", worker.place),
    };
    let builder = builder(worker)?.listen("iiop://127.0.0.1:0")?;
    let builder =
        if worker.transport == Transport::Tcp { builder } else { builder.listen(&endpoint)? };
    let orb = builder.build()?;
    let entrance = orb.root_poa().activate(bench::entrance::tie(Door::new(&orb)?))?;
    println!("{}", orb.object_to_string(&entrance)?);
    io::stdout().flush()?;
    Ok(orb.run()?)
}

fn builder(worker: &Worker) -> Outcome<OrbBuilder> {
    let options = worker.stream_options();
    let builder = Orb::builder().arguments(worker.options.iter().cloned())?.settings(|settings| {
        settings.socket_queue = options.send_buffer;
        settings.congestion_control = options.congestion.clone();
        settings.call_timeout = None;
    });
    Ok(builder)
}

/// The client's side.
pub(super) struct Client {
    entrance: EntranceRef,
    floods: DrainRef,
    strings: LibraryRef,
    /// What is called in turn.
    targets: Vec<TtcpSequenceRef>,
    structs: Vec<BinStruct>,
    doubles: Vec<f64>,
    longs: Vec<i32>,
    shorts: Vec<i16>,
    octets: Vec<u8>,
    text: String,
    // Last, so that the references go first.
    _orb: Orb,
}

impl Client {
    pub(super) fn connect(worker: &Worker) -> Outcome<Self> {
        let orb = builder(worker)?.build()?;
        let entrance: EntranceRef = orb.resolve(&worker.place)?;
        let (target, floods, strings) =
            (entrance.target()?, entrance.floods()?, entrance.strings()?);
        Ok(Self {
            entrance,
            floods,
            strings,
            targets: vec![target],
            structs: Vec::new(),
            doubles: Vec::new(),
            longs: Vec::new(),
            shorts: Vec::new(),
            octets: Vec::new(),
            text: String::new(),
            _orb: orb,
        })
    }

    /// Has the server activate `count` objects, and takes their references.
    fn objects(&mut self, count: u32) -> Outcome<Answer> {
        self.targets.clear();
        Answer::of_all(|| {
            self.entrance.prepare(count)?;
            for first in (0..count).step_by(BATCH as usize) {
                self.targets.extend(self.entrance.prepared(first, BATCH.min(count - first))?);
            }
            Ok(())
        })
    }

    /// Makes the arguments of a workload, so that this is not part of what is timed.
    fn prepare(&mut self, workload: Workload, units: usize) {
        match workload {
            Workload::Structs | Workload::OnewayStructs => self.structs = bin_structs(units),
            Workload::Shorts => self.shorts = vec![7; units],
            Workload::Longs => self.longs = vec![7; units],
            Workload::Doubles => self.doubles = vec![0.5; units],
            Workload::FloodString => self.text = "x".repeat(units),
            _ => self.octets = vec![b'x'; units],
        }
    }

    /// One call of a workload that is not a flood, at the object whose turn it is.
    fn call(&self, workload: Workload, units: u32, turn: usize) -> Result<(), SystemException> {
        // There is at least one target, and the turn is taken among them.
        let target = &self.targets[turn % self.targets.len()];
        match workload {
            Workload::Void => target.send_no_params_2way(),
            Workload::Structs => target.send_struct_seq_2way(&self.structs),
            Workload::Shorts => target.send_short_seq_2way(&self.shorts),
            Workload::Chars => target.send_char_seq_2way(&self.octets),
            Workload::Longs => target.send_long_seq_2way(&self.longs),
            Workload::Octets => target.send_octet_seq_2way(&self.octets),
            Workload::Doubles => target.send_double_seq_2way(&self.doubles),
            Workload::OnewayVoid => target.send_no_params_1way(),
            Workload::OnewayOctets => target.send_octet_seq_1way(&self.octets),
            Workload::OnewayStructs => target.send_struct_seq_1way(&self.structs),
            Workload::FloodSequence => self.floods.send_sequence(&self.octets),
            Workload::FloodString => self.floods.send_string(&self.text),
            Workload::FloodVoid => self.floods.send_nothing(),
            Workload::SingleStrings => {
                (0..units).try_for_each(|index| self.strings.get_single_string(index).map(drop))
            }
            Workload::ManyStrings => self.strings.get_multiple_strings(0, units).map(drop),
        }
    }

    /// A flood of calls, the last of which is waited for.
    fn flood(&self, workload: Workload, units: u32, count: u32) -> Outcome<Answer> {
        let drained = workload.user_octets(units) * u64::from(count);
        Answer::of_all(|| {
            for turn in 0..count {
                self.call(workload, units, turn as usize)?;
            }
            match workload {
                Workload::FloodSequence | Workload::FloodString | Workload::FloodVoid => {
                    self.await_delivery(drained, count.into())?;
                }
                // Requests of one connection are served in their order.
                _ => self.call(Workload::Void, 0, 0)?,
            }
            Ok(())
        })
    }

    /// Asks until as much has arrived as was sent: the confirmation may overtake the last of it.
    fn await_delivery(&self, octets: u64, messages: u64) -> Outcome {
        let mut arrived = (0, 0);
        while arrived.1 < messages {
            let (more_octets, more_messages) = self.floods.confirm()?;
            arrived = (arrived.0 + more_octets, arrived.1 + more_messages);
        }
        match arrived == (octets, messages) {
            true => Ok(()),
            false => Err(format!("{arrived:?} arrived of {:?}", (octets, messages)).into()),
        }
    }

    /// `order` says how the objects take turns: all the calls of one, then those of the next; or
    /// one of each, and again.
    fn measure(
        &mut self,
        workload: Workload,
        units: u32,
        count: u32,
        order: &str,
    ) -> Outcome<Answer> {
        self.prepare(workload, units as usize);
        if workload.is_flood() {
            return self.flood(workload, units, count);
        }
        let each = match order {
            "train" => (count as usize).div_ceil(self.targets.len()).max(1),
            _ => 1,
        };
        Answer::of_each(count, |turn| Ok(self.call(workload, units, turn as usize / each)?))
    }
}

impl Commands for Client {
    fn carry_out(&mut self, words: &[&str]) -> Outcome<Option<Answer>> {
        match *words {
            ["objects", count] => self.objects(count.parse()?).map(Some),
            ["call", workload, units, count, order] => {
                let Some(workload) = Workload::parse(workload) else { return Ok(None) };
                self.measure(workload, units.parse()?, count.parse()?, order).map(Some)
            }
            _ => Ok(None),
        }
    }
}

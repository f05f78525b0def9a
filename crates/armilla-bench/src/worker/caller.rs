//! The calls of the workloads, by every way to invoke an operation.

use super::Outcome;
use super::dynamic;
use super::variation::Invocation;
use crate::bench::{Drain, DrainRef, Entrance, EntranceRef, Library, LibraryRef};
use crate::workload::{Workload, bin_structs};
use crate::{BinStruct, TtcpSequence, TtcpSequenceRef};
use armilla::SystemException;
use armilla::dynamic::Request;

/// What calls are made of.
pub(super) struct Caller {
    floods: DrainRef,
    strings: LibraryRef,
    /// What is called in turn; never empty while calls are made.
    pub(super) targets: Vec<TtcpSequenceRef>,
    invocation: Invocation,
    /// The request that is used again and again, for the first target.
    request: Option<Request>,
    /// The same name at two places, the first of which is the next to be used.
    names: [&'static str; 2],
    structs: Vec<BinStruct>,
    doubles: Vec<f64>,
    longs: Vec<i32>,
    shorts: Vec<i16>,
    octets: Vec<u8>,
    text: String,
}

impl Caller {
    pub(super) fn new(entrance: &EntranceRef, invocation: Invocation) -> Outcome<Self> {
        Ok(Self {
            floods: entrance.floods()?,
            strings: entrance.strings()?,
            targets: vec![entrance.target()?],
            invocation,
            request: None,
            names: [(); 2].map(|()| &*String::from("sendNoParams_2way").leak()),
            structs: Vec::new(),
            doubles: Vec::new(),
            longs: Vec::new(),
            shorts: Vec::new(),
            octets: Vec::new(),
            text: String::new(),
        })
    }

    /// Makes the arguments of a workload, so that this is not part of what is timed. `false` when
    /// the workload cannot be called in this way.
    pub(super) fn prepare(&mut self, workload: Workload, units: usize) -> Outcome<bool> {
        match workload {
            Workload::Structs | Workload::OnewayStructs => self.structs = bin_structs(units),
            Workload::Shorts => self.shorts = vec![7; units],
            Workload::Longs => self.longs = vec![7; units],
            Workload::Doubles => self.doubles = vec![0.5; units],
            Workload::FloodString | Workload::TwowayString => self.text = "x".repeat(units),
            _ => self.octets = vec![b'x'; units],
        }
        Ok(match self.invocation {
            Invocation::Static => true,
            Invocation::NewHeaders => workload == Workload::Void,
            Invocation::Dynamic | Invocation::DynamicNew => {
                self.request = self.make_request(workload)?;
                self.request.is_some()
            }
        })
    }

    fn make_request(&self, workload: Workload) -> Result<Option<Request>, SystemException> {
        let Some(target) = self.targets.first() else { return Ok(None) };
        let objects = (target.object(), self.floods.object());
        dynamic::request(objects, workload, &self.structs, &self.octets, &self.text)
    }

    /// One call of a workload, at the object whose turn it is.
    pub(super) fn call(&mut self, workload: Workload, units: u32, turn: usize) -> Outcome {
        match self.invocation {
            Invocation::Static => self.call_static(workload, units, turn)?,
            Invocation::NewHeaders => {
                let target = &self.targets[turn % self.targets.len()];
                target.invoke(self.names[0], |_| Ok(()), |_| Ok(()))?;
                self.names.swap(0, 1);
            }
            Invocation::Dynamic => invoke(self.request.as_mut(), workload)?,
            Invocation::DynamicNew => invoke(self.make_request(workload)?.as_mut(), workload)?,
        }
        Ok(())
    }

    /// Waits until the oneway calls before it have arrived.
    pub(super) fn settle(&self) -> Outcome {
        Ok(self.call_static(Workload::Void, 0, 0)?)
    }

    fn call_static(
        &self,
        workload: Workload,
        units: u32,
        turn: usize,
    ) -> Result<(), SystemException> {
        // There is at least one target, and the turn is taken among them.
        let target = &self.targets[turn % self.targets.len()];
        match workload {
            Workload::Void | Workload::Demux => target.send_no_params_2way(),
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
            Workload::TwowaySequence => self.floods.put_sequence(&self.octets),
            Workload::TwowayString => self.floods.put_string(&self.text),
            Workload::SingleStrings => {
                (0..units).try_for_each(|index| self.strings.get_single_string(index).map(drop))
            }
            Workload::ManyStrings => self.strings.get_multiple_strings(0, units).map(drop),
            Workload::Write(_) | Workload::Read(_) => Ok(()),
        }
    }
}

fn invoke(request: Option<&mut Request>, workload: Workload) -> Outcome {
    match request {
        Some(request) if workload.is_flood() => Ok(request.send_oneway()?),
        Some(request) => Ok(request.invoke()?),
        None => Ok(()),
    }
}

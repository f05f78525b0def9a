//! The calls of the workloads, by every way to invoke an operation.

use super::Outcome;
use super::dynamic;
use super::variation::Invocation;
use crate::bench::{Drain, DrainRef, Entrance, EntranceRef, Library, LibraryRef};
use crate::workload::{Workload, bin_structs};
use crate::{BinStruct, TtcpSequence, TtcpSequenceRef};
use armilla::SystemException;
use armilla::dynamic::Request;

/// For more objects than that a client keeps no requests of the dynamic invocation interface.
const MOST_REQUESTS: usize = 10_000;

/// What calls are made of.
pub(super) struct Caller {
    floods: DrainRef,
    strings: LibraryRef,
    /// What is called in turn; never empty while calls are made.
    pub(super) targets: Vec<TtcpSequenceRef>,
    invocation: Invocation,
    /// The requests that are used again and again, one for each target.
    requests: Vec<Request>,
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
            requests: Vec::new(),
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
            Invocation::Dynamic | Invocation::DynamicNew if self.targets.len() > MOST_REQUESTS => {
                false
            }
            Invocation::Dynamic => {
                let make = |target| self.make_request(workload, target);
                let made = self.targets.iter().filter_map(|target| make(target).transpose());
                self.requests = made.collect::<Result<_, _>>()?;
                self.requests.len() == self.targets.len()
            }
            Invocation::DynamicNew => match self.targets.first() {
                Some(target) => self.make_request(workload, target)?.is_some(),
                None => false,
            },
        })
    }

    /// A request of the dynamic invocation interface, if there is one for the workload.
    fn make_request(
        &self,
        workload: Workload,
        target: &TtcpSequenceRef,
    ) -> Result<Option<Request>, SystemException> {
        let objects = (target.object(), self.floods.object());
        dynamic::request(objects, workload, &self.structs, &self.octets, &self.text)
    }

    /// What generated code calls, if that is how calls are made.
    pub(super) fn generated(&self, workload: Workload) -> Option<Call> {
        (self.invocation == Invocation::Static).then(|| call_of(workload))
    }

    /// One call of a workload, at the object whose turn it is; there is at least one, and the turn
    /// is one of its places.
    pub(super) fn call(&mut self, workload: Workload, units: u32, turn: usize) -> Outcome {
        let target = &self.targets[turn];
        match self.invocation {
            Invocation::Static => call_of(workload)(self, target, units)?,
            Invocation::NewHeaders => {
                target.invoke(self.names[0], |_| Ok(()), |_| Ok(()))?;
                self.names.swap(0, 1);
            }
            Invocation::Dynamic => invoke(&mut self.requests[turn], workload)?,
            Invocation::DynamicNew => {
                if let Some(mut request) = self.make_request(workload, target)? {
                    invoke(&mut request, workload)?;
                }
            }
        }
        Ok(())
    }

    /// Waits until the oneway calls before it have arrived.
    pub(super) fn settle(&self) -> Outcome {
        Ok(self.targets.first().map_or(Ok(()), TtcpSequenceRef::send_no_params_2way)?)
    }
}

/// A call at a target, or at what else the caller knows, with so many units.
pub(super) type Call = fn(&Caller, &TtcpSequenceRef, u32) -> Result<(), SystemException>;

/// Chosen once for many calls, so that this is not part of what is timed.
fn call_of(workload: Workload) -> Call {
    match workload {
        Workload::Void | Workload::Demux => |_, target, _| target.send_no_params_2way(),
        Workload::Structs => |this, target, _| target.send_struct_seq_2way(&this.structs),
        Workload::Shorts => |this, target, _| target.send_short_seq_2way(&this.shorts),
        Workload::Chars => |this, target, _| target.send_char_seq_2way(&this.octets),
        Workload::Longs => |this, target, _| target.send_long_seq_2way(&this.longs),
        Workload::Octets => |this, target, _| target.send_octet_seq_2way(&this.octets),
        Workload::Doubles => |this, target, _| target.send_double_seq_2way(&this.doubles),
        Workload::OnewayVoid => |_, target, _| target.send_no_params_1way(),
        Workload::OnewayOctets => |this, target, _| target.send_octet_seq_1way(&this.octets),
        Workload::OnewayStructs => |this, target, _| target.send_struct_seq_1way(&this.structs),
        Workload::FloodSequence => |this, _, _| this.floods.send_sequence(&this.octets),
        Workload::FloodString => |this, _, _| this.floods.send_string(&this.text),
        Workload::FloodVoid => |this, _, _| this.floods.send_nothing(),
        Workload::TwowaySequence => |this, _, _| this.floods.put_sequence(&this.octets),
        Workload::TwowayString => |this, _, _| this.floods.put_string(&this.text),
        Workload::SingleStrings => |this, _, units| {
            (0..units).try_for_each(|index| this.strings.get_single_string(index).map(drop))
        },
        Workload::ManyStrings => {
            |this, _, units| this.strings.get_multiple_strings(0, units).map(drop)
        }
        Workload::Write(_) | Workload::Read(_) => |_, _, _| Ok(()),
    }
}

fn invoke(request: &mut Request, workload: Workload) -> Outcome {
    match workload.is_flood() {
        true => Ok(request.send_oneway()?),
        false => Ok(request.invoke()?),
    }
}

//! The calls of the workloads, static and dynamic.

use super::Outcome;
use super::dynamic;
use super::pages::Pages;
use super::variation::Invocation;
use crate::bench::{Drain, DrainRef, Entrance, EntranceRef, Library, LibraryRef};
use crate::workload::{Workload, bin_structs};
use crate::{BinStruct, TtcpSequence, TtcpSequenceRef};
use armilla::SystemException;
use armilla::dynamic::Request;

/// The maximum number of objects for which a client keeps dynamic requests.
const MOST_REQUESTS: usize = 10_000;

/// The references and arguments of calls.
pub(super) struct Caller {
    floods: DrainRef,
    strings: LibraryRef,
    /// The objects to call in turn; never empty during calls.
    pub(super) targets: Vec<TtcpSequenceRef>,
    invocation: Invocation,
    /// The reused requests, one for each target.
    requests: Vec<Request>,
    /// The same operation name at two addresses; the first one is used next.
    names: [&'static str; 2],
    structs: Vec<BinStruct>,
    doubles: Vec<f64>,
    longs: Vec<i32>,
    shorts: Vec<i16>,
    octets: Pages,
    /// The same for dynamic calls.
    elements: Vec<u8>,
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
            octets: Pages::default(),
            elements: Vec::new(),
            text: String::new(),
        })
    }

    /// Prepares the arguments of a workload before timing. Returns `false` if the kind of
    /// invocation does not support the workload.
    pub(super) fn prepare(&mut self, workload: Workload, units: usize) -> Outcome<bool> {
        match workload {
            Workload::Structs | Workload::OnewayStructs => self.structs = bin_structs(units),
            Workload::Shorts => self.shorts = vec![7; units],
            Workload::Longs => self.longs = vec![7; units],
            Workload::Doubles => self.doubles = vec![0.5; units],
            Workload::FloodString | Workload::TwowayString => self.text = "x".repeat(units),
            _ => {
                self.octets = Pages::filled(b'x', units);
                self.elements = self.octets.to_vec();
            }
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

    /// A dynamic request, if the workload supports it.
    fn make_request(
        &self,
        workload: Workload,
        target: &TtcpSequenceRef,
    ) -> Result<Option<Request>, SystemException> {
        let objects = (target.object(), self.floods.object());
        dynamic::request(objects, workload, &self.structs, &self.elements, &self.text)
    }

    /// The call by generated code, if the invocation is static.
    pub(super) fn generated(&self, workload: Workload) -> Option<Call> {
        (self.invocation == Invocation::Static).then(|| call_of(workload))
    }

    /// Makes one call of a workload. `turn` is the index of a target.
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

    /// Waits until all previous oneway calls have arrived.
    pub(super) fn settle(&self) -> Outcome {
        Ok(self.targets.first().map_or(Ok(()), TtcpSequenceRef::send_no_params_2way)?)
    }
}

/// A call to a target or to another object of the caller, with a number of units.
pub(super) type Call = fn(&Caller, &TtcpSequenceRef, u32) -> Result<(), SystemException>;

/// The call of a workload, selected once before timing.
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

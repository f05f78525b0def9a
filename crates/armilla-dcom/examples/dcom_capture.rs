//! Decodes the calls of DCOM in a capture that nobody encrypted, and encodes them again: as
//! `lab/interop/dcom/capture` does, which brings it into the form that `capture` of armilla-dcerpc
//! reads.
//!
//! ```text
//! dcom_capture < SEGMENTS
//! ```

use armilla_dcerpc::ndr::{Decoder, Encoder, Ndr, Operation, Parameters, Unique};
use armilla_dcerpc::pdu::{Body, Framer, Limits, Pdu, Reassembly, Verification};
use armilla_dcerpc::{ByteOrder, SyntaxId};
use armilla_dcom::automation::dispatch as by_name;
use armilla_dcom::automation::type_info::wire as types;
use armilla_dcom::remote;
use armilla_dcom::{
    ActivationResults, Blob, ContextInfo, InstantiationInfo, InterfacePointer, LocationInfo,
    ObjRefError, OrpcThat, OrpcThis, Property, Reference, ScmReplyInfo, ScmRequestInfo, property,
};
use std::collections::BTreeMap;
use std::io::BufRead;

/// What a call is, as its request says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Names {
    interface: SyntaxId,
    opnum: u16,
}

struct Stream {
    framers: [Framer; 2],
    contexts: BTreeMap<u16, SyntaxId>,
    calls: BTreeMap<u32, Names>,
    requests: Reassembly<Names>,
    responses: Reassembly<()>,
}

#[derive(Default)]
struct Counts {
    /// Operation → how many there were, how many have the same octets again, and how many differ in
    /// pointers or padding alone, whose values mean nothing.
    stubs: BTreeMap<String, (usize, usize, usize)>,
    unknown: BTreeMap<String, usize>,
    failures: Vec<String>,
}

/// The octets of parameters in one direction, read and written again; the first of both lengths
/// that are equal.
fn again<P: Parameters>(
    stub: &[u8],
    order: ByteOrder,
    (request, heads, result): (bool, bool, bool),
) -> Result<(Vec<u8>, usize), String> {
    let text = |error: armilla_dcerpc::ndr::NdrError| error.to_string();
    let (mut input, mut out) = (Decoder::new(stub, order), Encoder::new(order));
    if heads && request {
        OrpcThis::read(&mut input).and_then(|head| head.write(&mut out)).map_err(text)?;
    } else if heads {
        OrpcThat::read(&mut input).and_then(|head| head.write(&mut out)).map_err(text)?;
    }
    P::read_parameters(&mut input).and_then(|it| it.write_parameters(&mut out)).map_err(text)?;
    if result {
        u32::read(&mut input).and_then(|it| it.write(&mut out)).map_err(text)?;
    }
    Ok((out.into_octets(), input.position()))
}

type Again = Result<(Vec<u8>, usize), String>;

fn check<O: Operation>(request: bool, stub: &[u8], order: ByteOrder, heads: bool) -> Again {
    match request {
        true => again::<O::In>(stub, order, (true, heads, false)),
        false => again::<O::Out>(stub, order, (false, heads, heads)),
    }
}

macro_rules! operations {
    ($(($operation:path, $heads:literal),)*) => {
        fn known(names: Names, request: bool, stub: &[u8], order: ByteOrder) -> Option<(&'static str, Again)> {
            $(if names.interface == <$operation as Operation>::INTERFACE
                && names.opnum == <$operation as Operation>::OPNUM
            {
                let name = stringify!($operation);
                return Some((name, check::<$operation>(request, stub, order, $heads)));
            })*
            None
        }
    };
}

operations! {
    (remote::ResolveOxid, false),
    (remote::SimplePing, false),
    (remote::ComplexPing, false),
    (remote::ServerAlive, false),
    (remote::ResolveOxid2, false),
    (remote::ServerAlive2, false),
    (remote::RemoteGetClassObject, true),
    (remote::RemoteCreateInstance, true),
    (remote::RemQueryInterface, true),
    (remote::RemAddRef, true),
    (remote::RemRelease, true),
    (remote::RemQueryInterface2, true),
    (remote::CreateInstance, true),
    (remote::LockServer, true),
    (by_name::GetTypeInfoCount, true),
    (by_name::GetTypeInfo, true),
    (by_name::GetIdsOfNames, true),
    (by_name::Invoke, true),
    (by_name::EnumNext, true),
    (by_name::FindConnectionPoint, true),
    (by_name::Advise, true),
    (by_name::Unadvise, true),
    (types::GetTypeAttr, true),
    (types::GetFuncDesc, true),
    (types::GetNames, true),
    (types::GetDocumentation, true),
    (types::GetClassInfo, true),
}

/// The properties of an activation, which are octets within a reference: those that are known are
/// written again as they were.
fn properties(counts: &mut Counts, request: bool, stub: &[u8], order: ByteOrder) -> Option<()> {
    let mut input = Decoder::new(stub, order);
    let pointer = if request {
        OrpcThis::read(&mut input).ok()?;
        // The last parameter; an outer object is always null.
        let first = Unique::<InterfacePointer>::read(&mut input).ok()?;
        first.into_inner().or_else(|| Unique::read(&mut input).ok()?.into_inner())?
    } else {
        OrpcThat::read(&mut input).ok()?;
        Unique::<InterfacePointer>::read(&mut input).ok()?.into_inner()?
    };
    let Reference::Custom { data, .. } = pointer.reference().ok()?.reference else { return None };
    let blob = match Blob::decode(&data) {
        Ok(blob) => blob,
        Err(error) => {
            counts.failures.push(format!("an activation: {error}"));
            return None;
        }
    };
    for found in &blob.properties {
        fn same<T: Ndr>(found: &Property) -> Result<bool, ObjRefError> {
            let again = Property::new(found.class, &found.value::<T>()?)?;
            let equal = alike(&again.octets, &found.octets);
            Ok(again.octets.len() == found.octets.len() && equal)
        }
        let (name, done) = match found.class {
            property::INSTANTIATION => ("InstantiationInfo", same::<InstantiationInfo>(found)),
            property::CONTEXT => ("ContextInfo", same::<ContextInfo>(found)),
            property::LOCATION => ("LocationInfo", same::<LocationInfo>(found)),
            property::SCM_REQUEST => ("ScmRequestInfo", same::<ScmRequestInfo>(found)),
            property::SCM_REPLY => ("ScmReplyInfo", same::<ScmReplyInfo>(found)),
            property::RESULTS => ("ActivationResults", same::<ActivationResults>(found)),
            other => {
                *counts.unknown.entry(format!("property {other}")).or_default() += 1;
                continue;
            }
        };
        let count = counts.stubs.entry(format!("property {name}")).or_default();
        count.0 += 1;
        match done {
            Ok(same) => count.2 += usize::from(same),
            Err(error) => counts.failures.push(format!("{name}: {error}")),
        }
    }
    Some(())
}

impl Counts {
    fn stub(&mut self, names: Names, request: bool, stub: &[u8], order: ByteOrder) {
        // IRemUnknown2 inherits the operations of IRemUnknown.
        let inherited = names.interface == remote::REM_UNKNOWN_2 && names.opnum < 6;
        let interface = if inherited { remote::REM_UNKNOWN } else { names.interface };
        let side = if request { "request" } else { "response" };
        if names.interface == remote::SCM_ACTIVATOR {
            properties(self, request, stub, order);
        }
        let Some((name, done)) = known(Names { interface, ..names }, request, stub, order) else {
            let name = format!("{} {} {side}", names.interface, names.opnum);
            *self.unknown.entry(name).or_default() += 1;
            return;
        };
        let counts = self.stubs.entry(format!("{name} {side}")).or_default();
        counts.0 += 1;
        match done {
            Ok((octets, read)) if octets[..] == stub[..read.min(stub.len())] => counts.1 += 1,
            Ok((octets, read)) if octets.len() == read => {
                counts.2 += usize::from(alike(&octets, &stub[..read]));
            }
            Ok(_) => self.failures.push(format!("{name} {side}: of another length")),
            Err(error) => self.failures.push(format!("{name} {side}: {error}")),
        }
    }
}

/// Whether all halves of words are equal, but for pointers and zeros among ours.
fn alike(own: &[u8], other: &[u8]) -> bool {
    own.chunks(4).zip(other.chunks(4)).all(|(own, other)| {
        let pointer = matches!(own, [_, 0, 2, 0]);
        let mut halves = own.chunks(2).zip(other.chunks(2));
        pointer || halves.all(|(own, other)| own == other || own == [0; 2])
    })
}

impl Stream {
    fn new() -> Self {
        Self {
            framers: [Framer::new(u16::MAX), Framer::new(u16::MAX)],
            contexts: BTreeMap::new(),
            calls: BTreeMap::new(),
            requests: Reassembly::new(Limits::default()),
            responses: Reassembly::new(Limits::default()),
        }
    }

    fn pdu(&mut self, counts: &mut Counts, octets: &[u8]) -> Option<()> {
        let pdu = Pdu::decode(octets).ok()?;
        match &pdu.body {
            Body::Bind(bind) | Body::AlterContext(bind) => {
                for offer in
                    bind.contexts.iter().filter(|offer| offer.transfer.contains(&SyntaxId::NDR))
                {
                    self.contexts.insert(offer.id, offer.interface);
                }
            }
            Body::Request(request) => {
                let interface = *self.contexts.get(&request.context)?;
                let names = Names { interface, opnum: request.opnum };
                self.calls.insert(pdu.call_id, names);
                let done =
                    self.requests.receive(pdu.call_id, pdu.flags, names, request.stub).ok()?;
                let (names, mut stub) = done?;
                if let Ok(Some((at, _))) = Verification::find(&stub) {
                    stub.truncate(at);
                }
                counts.stub(names, true, &stub, pdu.order);
            }
            Body::Response(response) => {
                let done =
                    self.responses.receive(pdu.call_id, pdu.flags, (), response.stub).ok()?;
                let ((), stub) = done?;
                let names = self.calls.remove(&pdu.call_id)?;
                counts.stub(names, false, &stub, pdu.order);
            }
            _ => {}
        }
        Some(())
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn main() {
    let mut streams: BTreeMap<String, Stream> = BTreeMap::new();
    let mut counts = Counts::default();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<_> = line.split_whitespace().collect();
        let [name, direction, octets] = words[..] else { continue };
        let stream = streams.entry(name.to_owned()).or_insert_with(Stream::new);
        let side = usize::from(direction == "<");
        stream.framers[side].receive(&hex(octets));
        while let Ok(Some((_, pdu))) = stream.framers[side].next_pdu() {
            // What is no call of DCOM is passed over.
            stream.pdu(&mut counts, &pdu);
        }
    }
    for (name, (all, same, alike)) in &counts.stubs {
        println!(
            "{name:40}{all:5} read, {same:4} the same again, {alike} but for pointers, padding"
        );
        if same + alike < *all {
            counts.failures.push(format!("{name}: differs"));
        }
    }
    for (name, count) in &counts.unknown {
        println!("not known: {name} {count}");
    }
    counts.failures.iter().for_each(|failure| println!("FAILED: {failure}"));
    std::process::exit(i32::from(!counts.failures.is_empty()));
}

//! What is sent: the calls of the experiments, by name, and how large they are on the wire.

use crate::BinStruct;
use armilla_cdr::{ByteOrder, CdrResult, Encoder};
use armilla_giop::{
    OutgoingRequest, ResponseFlags, TargetAddress, Version, begin_request, put_body,
};

/// A call that an experiment makes. `units` are elements of a sequence, characters of a string, or
/// strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Workload {
    /// No parameters.
    Void,
    /// A sequence of the struct that mixes sizes and alignments.
    Structs,
    /// A sequence of `short`.
    Shorts,
    /// A sequence of `char`.
    Chars,
    /// A sequence of `long`.
    Longs,
    /// A sequence of `octet`.
    Octets,
    /// A sequence of `double`.
    Doubles,
    /// Like `Void`, oneway; the last call is confirmed.
    OnewayVoid,
    /// Like `Octets`, oneway.
    OnewayOctets,
    /// Like `Structs`, oneway.
    OnewayStructs,
    /// A flood of `sequence<octet>`, confirmed at its end.
    FloodSequence,
    /// A flood of `string`.
    FloodString,
    /// A flood of requests without parameters.
    FloodVoid,
    /// Like `FloodSequence`, but the sender waits for every reply.
    TwowaySequence,
    /// Like `FloodString`, but the sender waits for every reply.
    TwowayString,
    /// As many calls as there are units, each of which returns a string of 80 characters.
    SingleStrings,
    /// One call that returns as many such strings.
    ManyStrings,
    /// A call without parameters of any operation of any object, within one process.
    Demux,
    /// Writing data into memory, within one process.
    Write(Data),
    /// Reading them from there.
    Read(Data),
}

/// What is marshalled where nothing is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Data {
    /// Like [`Workload::Structs`].
    Structs,
    /// Like [`Workload::Longs`].
    Longs,
    /// Like [`Workload::Octets`].
    Octets,
}

/// The length of the strings that [`Workload::SingleStrings`] asks for.
pub(crate) const STRING_LENGTH: usize = 80;

/// The octets of a reply without results, in GIOP 1.2.
const EMPTY_REPLY: u32 = 24;

impl Workload {
    /// Every workload, in the order of the table above.
    pub(crate) const ALL: [Self; 24] = [
        Self::Void,
        Self::Structs,
        Self::Shorts,
        Self::Chars,
        Self::Longs,
        Self::Octets,
        Self::Doubles,
        Self::OnewayVoid,
        Self::OnewayOctets,
        Self::OnewayStructs,
        Self::FloodSequence,
        Self::FloodString,
        Self::FloodVoid,
        Self::TwowaySequence,
        Self::TwowayString,
        Self::SingleStrings,
        Self::ManyStrings,
        Self::Demux,
        Self::Write(Data::Structs),
        Self::Write(Data::Longs),
        Self::Write(Data::Octets),
        Self::Read(Data::Structs),
        Self::Read(Data::Longs),
        Self::Read(Data::Octets),
    ];

    /// Its name in commands and results.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::Structs => "structs",
            Self::Shorts => "shorts",
            Self::Chars => "chars",
            Self::Longs => "longs",
            Self::Octets => "octets",
            Self::Doubles => "doubles",
            Self::OnewayVoid => "oneway-void",
            Self::OnewayOctets => "oneway-octets",
            Self::OnewayStructs => "oneway-structs",
            Self::FloodSequence => "flood-sequence",
            Self::FloodString => "flood-string",
            Self::FloodVoid => "flood-void",
            Self::TwowaySequence => "twoway-sequence",
            Self::TwowayString => "twoway-string",
            Self::SingleStrings => "single-strings",
            Self::ManyStrings => "many-strings",
            Self::Demux => "demux",
            Self::Write(Data::Structs) => "write-structs",
            Self::Write(Data::Longs) => "write-longs",
            Self::Write(Data::Octets) => "write-octets",
            Self::Read(Data::Structs) => "read-structs",
            Self::Read(Data::Longs) => "read-longs",
            Self::Read(Data::Octets) => "read-octets",
        }
    }

    /// The workload with this name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|workload| workload.name() == name)
    }

    /// Whether it is timed as a whole and counted at the receiver.
    pub(crate) const fn is_flood(self) -> bool {
        matches!(
            self,
            Self::FloodSequence
                | Self::FloodString
                | Self::FloodVoid
                | Self::OnewayVoid
                | Self::OnewayOctets
                | Self::OnewayStructs
        )
    }

    /// Whether it moves data in bulk, so that what counts is how much in which time.
    pub(crate) const fn is_bulk(self) -> bool {
        matches!(
            self,
            Self::FloodSequence | Self::FloodString | Self::TwowaySequence | Self::TwowayString
        )
    }

    /// Whether it moves strings in bulk, as another does sequences.
    pub(crate) const fn is_string(self) -> bool {
        matches!(self, Self::FloodString | Self::TwowayString)
    }

    /// Whether the time of the whole is what counts, and not that of single exchanges.
    pub(crate) const fn is_timed_whole(self) -> bool {
        let within = matches!(self, Self::Write(_) | Self::Read(_));
        self.is_flood() || self.is_bulk() || within
    }

    /// Who waits for a call of it.
    pub(crate) const fn invocation(self) -> &'static str {
        match self {
            Self::Write(_) | Self::Read(_) => "local",
            _ if self.is_flood() => "oneway",
            _ => "twoway",
        }
    }

    /// The octets of user data of one call.
    pub(crate) const fn user_octets(self, units: u32) -> u64 {
        let each = match self {
            Self::Void | Self::OnewayVoid | Self::FloodVoid | Self::Demux => 0,
            Self::Structs | Self::OnewayStructs => 24,
            Self::Write(Data::Structs) | Self::Read(Data::Structs) => 24,
            Self::Shorts => 2,
            Self::Longs | Self::Write(Data::Longs) | Self::Read(Data::Longs) => 4,
            Self::Doubles => 8,
            Self::Chars | Self::Octets | Self::OnewayOctets => 1,
            Self::Write(Data::Octets) | Self::Read(Data::Octets) => 1,
            Self::FloodSequence | Self::FloodString => 1,
            Self::TwowaySequence | Self::TwowayString => 1,
            Self::SingleStrings | Self::ManyStrings => STRING_LENGTH as u64,
        };
        each * units as u64
    }

    /// What a program without a protocol of its own does instead: the same octets.
    pub(crate) fn raw_command(self, units: u32, count: u32) -> String {
        match self {
            Self::FloodSequence | Self::FloodString => format!("flood {units} {count}"),
            _ if self.is_flood() => format!("flood {} {count}", self.request_octets(units)),
            // One exchange for each string, as a call each.
            Self::SingleStrings => {
                let (request, reply) = (self.request_octets(1), self.reply_octets(1));
                format!("exchange {request} {reply} {}", count * units)
            }
            _ => {
                let (request, reply) = (self.request_octets(units), self.reply_octets(units));
                format!("exchange {request} {reply} {count}")
            }
        }
    }

    /// The octets of a request in GIOP 1.2.
    pub(crate) fn request_octets(self, units: u32) -> u32 {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        let request = OutgoingRequest {
            request_id: 0,
            response: ResponseFlags::Target,
            target: TargetAddress::Key(&[0; 20]),
            operation: self.operation(),
            contexts: &[],
        };
        let encoded = begin_request(&mut out, Version::V1_2, &request)
            .and_then(|_| put_body(&mut out, Version::V1_2, |out| self.arguments(units, out)));
        debug_assert!(encoded.is_ok(), "sizes are within the limits of CDR");
        u32::try_from(out.len()).unwrap_or(u32::MAX)
    }

    fn reply_octets(self, units: u32) -> u32 {
        // A length, the characters and a NUL, aligned to 4.
        let string = (4 + STRING_LENGTH as u32 + 1).next_multiple_of(4);
        match self {
            Self::SingleStrings => EMPTY_REPLY + string,
            Self::ManyStrings => EMPTY_REPLY + 4 + string * units,
            _ => EMPTY_REPLY,
        }
    }

    fn operation(self) -> &'static str {
        match self {
            Self::Void | Self::Demux | Self::Write(_) | Self::Read(_) => "sendNoParams_2way",
            Self::OnewayVoid => "sendNoParams_1way",
            Self::Structs => "sendStructSeq_2way",
            Self::OnewayStructs => "sendStructSeq_1way",
            Self::Shorts => "sendShortSeq_2way",
            Self::Chars => "sendCharSeq_2way",
            Self::Longs => "sendLongSeq_2way",
            Self::Octets => "sendOctetSeq_2way",
            Self::OnewayOctets => "sendOctetSeq_1way",
            Self::Doubles => "sendDoubleSeq_2way",
            Self::FloodSequence => "send_sequence",
            Self::FloodString => "send_string",
            Self::FloodVoid => "send_nothing",
            Self::TwowaySequence => "put_sequence",
            Self::TwowayString => "put_string",
            Self::SingleStrings => "get_single_string",
            Self::ManyStrings => "get_multiple_strings",
        }
    }

    fn arguments(self, units: u32, out: &mut Encoder<'_>) -> CdrResult {
        let count = units as usize;
        match self {
            Self::Void | Self::OnewayVoid | Self::FloodVoid => {}
            Self::Demux | Self::Write(_) | Self::Read(_) => {}
            Self::Structs | Self::OnewayStructs => {
                let structs = bin_structs(count);
                out.put_length(count)?;
                // The encoder may borrow what it is given, and what it borrows ends here.
                structs.iter().try_for_each(|item| copy_struct(item, out))?;
            }
            Self::Shorts => {
                out.put_length(count)?;
                out.copy_i16s(&vec![0; count]);
            }
            Self::Longs => {
                out.put_length(count)?;
                out.copy_i32s(&vec![0; count]);
            }
            Self::Doubles => {
                out.put_length(count)?;
                out.copy_f64s(&vec![0.0; count]);
            }
            Self::Chars
            | Self::Octets
            | Self::OnewayOctets
            | Self::FloodSequence
            | Self::TwowaySequence => out.copy_octets(&vec![0; count])?,
            Self::FloodString | Self::TwowayString => out.put_string(&"x".repeat(count))?,
            Self::SingleStrings => out.put_u32(0),
            Self::ManyStrings => {
                out.put_u32(0);
                out.put_u32(units);
            }
        }
        Ok(())
    }
}

fn copy_struct(item: &BinStruct, out: &mut Encoder<'_>) -> CdrResult {
    out.put_i16(item.s);
    out.put_u8(item.c);
    out.put_i32(item.l);
    out.put_u8(item.o);
    out.put_f64(item.d);
    Ok(())
}

/// As many structs, all different.
pub(crate) fn bin_structs(count: usize) -> Vec<BinStruct> {
    (0..).take(count).map(|l| BinStruct { s: 7, c: b'x', l, o: 255, d: 0.5 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_workloads() {
        for workload in Workload::ALL {
            assert_eq!(Workload::parse(workload.name()), Some(workload));
        }
        assert_eq!(Workload::parse("nothing"), None);
    }

    #[test]
    fn sizes_are_those_of_messages() {
        let nothing = Workload::Void.request_octets(0);
        assert_eq!(Workload::Octets.request_octets(1000), nothing.next_multiple_of(8) + 4 + 1000);
        // After the length the first struct takes its own alignment, and later ones 24 octets each.
        let grown = Workload::Structs.request_octets(11) - Workload::Structs.request_octets(10);
        assert_eq!(grown, 24);
        assert_eq!(Workload::ManyStrings.raw_command(2, 5), {
            let request = Workload::ManyStrings.request_octets(2);
            format!("exchange {request} {} 5", 24 + 4 + 2 * 88)
        });
    }
}

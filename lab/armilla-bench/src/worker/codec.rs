//! Marshalling alone, within one process: several methods for the same octets.

use super::answer::Answer;
use super::{Commands, Outcome, Worker};
use crate::BinStruct;
use crate::workload::{Data, Workload, bin_structs};
use armilla::dynamic::DynAny;
use armilla::{Any, ByteOrder, CdrResult, CodeSet, Decode, Decoder, Encode, Encoder, Typed};
use std::hint::black_box;

/// A method of marshalling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    /// As generated code does it: in bulk, with borrowed data.
    Compiled,
    /// The same in the foreign byte order.
    Swapped,
    /// In bulk, but copied.
    Copied,
    /// Member by member.
    ElementWise,
    /// By a plan made from the TypeCode.
    Planned,
    /// By the TypeCode, as a tree of values.
    Interpreted,
}

/// The client.
pub(super) struct Client {
    method: Method,
    order: ByteOrder,
    /// The reused output buffer.
    buffer: Vec<u8>,
}

impl Client {
    pub(super) fn new(worker: &Worker) -> Outcome<Self> {
        let (method, order) = match worker.options.first().map(String::as_str) {
            None => (Method::Compiled, ByteOrder::NATIVE),
            Some("swapped") => (Method::Swapped, swapped()),
            Some("copied") => (Method::Copied, ByteOrder::NATIVE),
            Some("element-wise") => (Method::ElementWise, ByteOrder::NATIVE),
            Some("planned") => (Method::Planned, ByteOrder::NATIVE),
            Some("interpreted") => (Method::Interpreted, ByteOrder::NATIVE),
            Some(other) => return Err(format!("{other:?} is no marshalling method").into()),
        };
        Ok(Self { method, order, buffer: Vec::new() })
    }

    /// Writes `count` times with `write`.
    fn write<'p>(
        &mut self,
        count: u32,
        write: impl Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> Outcome<Option<Answer>> {
        Answer::of_all(|| {
            let memory = std::mem::take(&mut self.buffer);
            let mut out = Encoder::with_buffer(memory, self.order, CodeSet::Utf8);
            for _ in 0..count {
                out.truncate(0);
                write(black_box(&mut out))?;
            }
            self.buffer = out.into_buffer();
            Ok(())
        })
        .map(Some)
    }

    /// Reads `octets` `count` times with `read`.
    fn read<'a, T>(
        &self,
        count: u32,
        octets: &'a [u8],
        read: impl Fn(&mut Decoder<'a>) -> CdrResult<T>,
    ) -> Outcome<Option<Answer>> {
        Answer::of_all(|| {
            for _ in 0..count {
                drop(black_box(read(&mut Decoder::new(black_box(octets), self.order))?));
            }
            Ok(())
        })
        .map(Some)
    }

    fn write_data(&mut self, data: Data, units: usize, count: u32) -> Outcome<Option<Answer>> {
        let structs = bin_structs(units);
        let (longs, octets) = (vec![7_i32; units], vec![b'x'; units]);
        match (self.method, data) {
            (Method::Compiled | Method::Swapped, Data::Structs) => {
                self.write(count, |out| out.put_sequence(&structs))
            }
            (Method::Compiled | Method::Swapped, Data::Longs) => {
                self.write(count, |out| out.put_sequence(&longs))
            }
            (Method::Compiled | Method::Swapped, Data::Octets) => {
                self.write(count, |out| out.put_sequence(&octets))
            }
            (Method::ElementWise, Data::Structs) => self.write(count, |out| {
                out.put_length(structs.len())?;
                structs.iter().try_for_each(|item| item.encode(out))
            }),
            (Method::ElementWise, Data::Longs) => self.write(count, |out| {
                out.put_length(longs.len())?;
                longs.iter().try_for_each(|item| item.encode(out))
            }),
            (Method::Copied, Data::Longs) => self.write(count, |out| {
                out.put_length(longs.len())?;
                out.copy_i32s(&longs);
                Ok(())
            }),
            (Method::Copied, Data::Octets) => self.write(count, |out| out.copy_octets(&octets)),
            (Method::Planned, Data::Structs) => {
                let any = Any::new(&structs)?;
                self.write(count, |out| any.write(out))
            }
            (Method::Interpreted, Data::Structs) => {
                let tree = DynAny::from_any(&Any::new(&structs)?)?;
                self.write(count, |out| tree.encode(out))
            }
            _ => Ok(None),
        }
    }

    fn read_data(&self, data: Data, units: usize, count: u32) -> Outcome<Option<Answer>> {
        let mut out = Encoder::with_buffer(Vec::new(), self.order, CodeSet::Utf8);
        let structs = bin_structs(units);
        match data {
            Data::Structs => out.put_sequence(&structs)?,
            Data::Longs => {
                out.put_length(units)?;
                out.copy_i32s(&vec![7; units]);
            }
            Data::Octets => out.copy_octets(&vec![b'x'; units])?,
        }
        let octets = &out.to_vec()[..];
        match (self.method, data) {
            (Method::Compiled | Method::Swapped, Data::Structs) => {
                self.read(count, octets, Vec::<BinStruct>::decode)
            }
            (Method::Compiled | Method::Swapped, Data::Longs) => {
                self.read(count, octets, |input| input.borrowed_sequence::<i32>(None))
            }
            (Method::Compiled | Method::Swapped, Data::Octets) => {
                self.read(count, octets, |input| input.octets())
            }
            (Method::ElementWise, Data::Structs) => {
                self.read(count, octets, |input| input.sequence_with(BinStruct::decode))
            }
            (Method::ElementWise, Data::Longs) => {
                self.read(count, octets, |input| input.sequence_with(i32::decode))
            }
            (Method::Copied, Data::Longs) => self.read(count, octets, Vec::<i32>::decode),
            (Method::Copied, Data::Octets) => self.read(count, octets, Vec::<u8>::decode),
            (Method::Planned, Data::Structs) => {
                let code = Vec::<BinStruct>::type_code();
                self.read(count, octets, |input| Any::read(code.clone(), input))
            }
            (Method::Interpreted, Data::Structs) => {
                let code = Vec::<BinStruct>::type_code();
                self.read(count, octets, |input| DynAny::decode(&code, input))
            }
            _ => Ok(None),
        }
    }
}

fn swapped() -> ByteOrder {
    match ByteOrder::NATIVE {
        ByteOrder::Big => ByteOrder::Little,
        ByteOrder::Little => ByteOrder::Big,
    }
}

impl Commands for Client {
    fn carry_out(&mut self, words: &[&str]) -> Outcome<Option<Answer>> {
        let ["call", workload, units, count, _] = *words else { return Ok(None) };
        let (units, count) = (units.parse()?, count.parse()?);
        match Workload::parse(workload) {
            Some(Workload::Write(data)) => self.write_data(data, units, count),
            Some(Workload::Read(data)) => self.read_data(data, units, count),
            _ => Ok(None),
        }
    }
}

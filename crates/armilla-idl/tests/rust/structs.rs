// Structs: of fixed size, of any size, and recursive.

//= mod data > struct BinStruct
/// The struct of the benchmarks: repeats every 24 octets.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BinStruct {
    /// IDL `s`.
    pub s: i16,
    /// IDL `c`.
    pub c: u8,
    /// IDL `l`.
    pub l: i32,
    /// IDL `o`.
    pub o: u8,
    /// IDL `d`.
    pub d: f64,
}

//= mod data > impl codegen::Encode for BinStruct
impl codegen::Encode for BinStruct {
    fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
        out.put_i16(self.s);
        out.put_u8(self.c);
        out.put_i32(self.l);
        out.put_u8(self.o);
        out.put_f64(self.d);
        Ok(())
    }
    fn encode_slice<'p>(
        items: &'p [Self],
        out: &mut codegen::Encoder<'p>,
    ) -> codegen::CdrResult {
        out.put_fixed(items)
    }
}

//= mod data > impl codegen::Fixed for BinStruct
impl codegen::Fixed for BinStruct {
    const ALIGN: usize = 8;
    const PHASE: usize = 0;
    type Chunk = [u8; 24];
    #[inline(always)]
    fn write<O: codegen::Order>(&self, chunk: &mut [u8; 24]) {
        O::put_i16(chunk, 0..2, self.s);
        O::put_u8(chunk, 2..4, self.c);
        O::put_i32(chunk, 4..8, self.l);
        O::put_u8(chunk, 8..16, self.o);
        O::put_f64(chunk, 16..24, self.d);
    }
    #[inline(always)]
    fn read<O: codegen::Order>(chunk: &[u8; 24]) -> codegen::CdrResult<Self> {
        Ok(Self {
            s: O::i16(chunk, 0),
            c: O::u8(chunk, 2),
            l: O::i32(chunk, 4),
            o: O::u8(chunk, 8),
            d: O::f64(chunk, 16),
        })
    }
}

//= mod data > impl codegen::Encode for TooLong
impl codegen::Encode for TooLong {
    fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
        codegen::Encode::encode(&self.values, out)
    }
}

//= mod data > struct Person
/// IDL `Data::Person`.
#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    /// IDL `name`.
    pub name: String,
    /// IDL `code`.
    pub code: String,
    /// IDL `numbers`.
    pub numbers: Vec<i32>,
    /// IDL `key`.
    pub key: Vec<u8>,
    /// IDL `tags`.
    pub tags: Vec<String>,
    /// IDL `corners`.
    pub corners: [[String; 2]; 2],
    /// IDL `table`.
    pub table: Vec<Vec<f64>>,
    /// IDL `large`.
    pub large: [i64; 40],
    /// IDL `peer`.
    pub peer: codegen::Object,
}

//= mod data > impl codegen::Decode for Person
impl<'a> codegen::Decode<'a> for Person {
    fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
        Ok(Self {
            name: input.string().map(Into::into)?,
            code: input.bounded_string(8).map(Into::into)?,
            numbers: input.sequence()?,
            key: input.bounded_sequence(16)?,
            tags: input
                .bounded_sequence_with(
                    3,
                    |input| input.bounded_string(4).map(Into::into),
                )?,
            corners: input
                .array_with(|input| {
                    input.array_with(|input| input.bounded_string(2).map(Into::into))
                })?,
            table: input.sequence()?,
            large: codegen::Decode::decode(input)?,
            peer: codegen::Decode::decode(input)?,
        })
    }
}

//= mod data > struct Tree
/// Contains itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Tree {
    /// IDL `value`.
    pub value: i32,
    /// IDL `children`.
    pub children: Vec<Tree>,
}

//= mod data > struct Outer
/// IDL `Data::Outer`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Outer {
    /// IDL `part`.
    pub part: outer::Inner,
    /// IDL `others`.
    pub others: Vec<outer::Inner>,
}

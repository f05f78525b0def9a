//! `marshal [COUNT]` writes and reads 1,024 BinStruct as generated code does, by the plan of an
//! any, and by the interpreting marshaller, COUNT times each, and prints what one time took.

use armilla::dynamic::DynAny;
use armilla::{Any, CdrResult, CodeSet, Decode, Decoder, Encode, Encoder, Typed};
use armilla_bench::BinStruct;
use std::hint::black_box;
use std::time::Instant;

fn main() -> CdrResult {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    let one = |l| BinStruct { s: 7, c: b'x', l, o: 255, d: 0.5 };
    let structs: Vec<_> = (0..1024).map(one).collect();
    let any = Any::new(&structs)?;
    let code = Vec::<BinStruct>::type_code();
    let octets = written(|out| structs.encode(out))?;
    let tree = DynAny::decode(&code, &mut reader(&octets))?;
    let compare =
        |what: &str, write: &dyn Fn() -> CdrResult<usize>, read: &dyn Fn() -> CdrResult| {
            let (write, read) = (timed(count, || write().map(drop))?, timed(count, read)?);
            println!("{what:<12} write {write:8.2} µs   read {read:8.2} µs");
            Ok(())
        };
    compare(
        "compiled",
        &|| written(|out| structs.encode(out)).map(|octets| octets.len()),
        &|| Vec::<BinStruct>::decode(&mut reader(&octets)).map(|read| drop(black_box(read))),
    )?;
    compare("any", &|| written(|out| any.write(out)).map(|octets| octets.len()), &|| {
        Any::read(code.clone(), &mut reader(&octets)).map(|read| drop(black_box(read)))
    })?;
    compare("interpreted", &|| written(|out| tree.encode(out)).map(|octets| octets.len()), &|| {
        DynAny::decode(&code, &mut reader(&octets)).map(|read| drop(black_box(read)))
    })
}

fn reader(octets: &[u8]) -> Decoder<'_> {
    Decoder::new(octets, armilla::ByteOrder::NATIVE)
}

fn written<'p>(write: impl FnOnce(&mut Encoder<'p>) -> CdrResult) -> CdrResult<Vec<u8>> {
    let mut out = Encoder::with_buffer(Vec::new(), armilla::ByteOrder::NATIVE, CodeSet::Utf8);
    write(&mut out)?;
    Ok(out.into_buffer())
}

/// Microseconds for one time.
fn timed(count: u32, run: impl Fn() -> CdrResult) -> CdrResult<f64> {
    let started = Instant::now();
    (0..count).try_for_each(|_| run())?;
    Ok(started.elapsed().as_secs_f64() * 1e6 / f64::from(count))
}

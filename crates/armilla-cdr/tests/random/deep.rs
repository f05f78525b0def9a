//! Values that nest as deep as values may, one for each way in which they can, and deeper.

use armilla_cdr::{ByteOrder, CodeSet, Encoder, TypeCode};

/// Values that are known by these words, so many of which nest in each other: a type, the words of
/// a level (of which its length says how many are to come), and those of the innermost.
struct Way {
    code: TypeCode,
    level: &'static [u32],
    end: &'static [u32],
    /// How many steps of nesting a level is.
    steps: usize,
}

const ID: &str = "IDL:Deep:1.0";

/// The tag of a value without a repository id.
const TAG: u32 = 0x7fff_ff00;

fn ways() -> Vec<Way> {
    let again = || TypeCode::recursive(ID);
    let many = || TypeCode::sequence(again(), 0);
    let link = || TypeCode::alias("IDL:Link:1.0", "Link", many());
    let union = |part| TypeCode::union(ID, "", TypeCode::Long, None, [(1, "part", part)]);
    let value = |part| TypeCode::value(ID, "", 0, TypeCode::Null, [("part", part, true)]);
    let way = |code, level, end, steps| Way { code, level, end, steps };
    vec![
        way(TypeCode::structure(ID, "", [("part", many())]), &[1], &[0], 2),
        way(TypeCode::structure(ID, "", [("part", link())]), &[1], &[0], 3),
        way(union(many()), &[1, 1], &[0], 2),
        way(union(TypeCode::array(many(), 1)), &[1, 1], &[0], 3),
        // A value; null.
        way(value(again()), &[TAG], &[0], 1),
        way(value(TypeCode::sequence(again(), 1)), &[TAG, 1], &[TAG, 0], 2),
        way(TypeCode::value_box(ID, "", many()), &[TAG, 1], &[TAG, 0], 2),
        // The type of an any is an any, and in the end null.
        way(TypeCode::Any, &[11], &[0], 1),
    ]
}

/// Messages with an any each, whose value nests so many steps, or as nearly as there are whole
/// levels; and their types.
pub(crate) fn messages(steps: usize) -> Vec<(TypeCode, Vec<u8>)> {
    let message = |way: Way| {
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::NATIVE, CodeSet::Utf8);
        way.code.write(&mut out).unwrap();
        let levels = (0..steps / way.steps).flat_map(|_| way.level);
        for (index, word) in levels.chain(way.end).enumerate() {
            match (index, *word) {
                // The value that an any holds says of which type it is.
                (0, TAG) => {
                    out.put_u32(TAG + 2);
                    out.put_string(ID).unwrap();
                }
                (_, word) => out.put_u32(word),
            }
        }
        (way.code, out.to_vec())
    };
    ways().into_iter().map(message).collect()
}

/// Does it with so little of a stack that what wastes it is found out.
#[allow(dead_code)] // Not all who include this need it.
pub(crate) fn with_little_stack(work: impl FnOnce() + Send + 'static) {
    // Threads have 2 MiB each where nobody says anything, of which some belongs to others.
    let thread = std::thread::Builder::new().stack_size(3 << 19);
    thread.spawn(work).unwrap().join().unwrap();
}

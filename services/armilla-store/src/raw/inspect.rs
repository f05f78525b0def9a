//! Whether all that a file has is whole, before the engine opens it.

use super::header::Slot;
use super::image::{Image, Met, PAGE};
use crate::disk::DiskFile;
use std::io;

/// What a file is like.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The engine will take its current state.
    Whole,
    /// The process before has not closed it, and its last commit is not whole, as when the power
    /// failed while it was written; the state before it is. The text says what is not whole.
    OneCommitBack(String),
    /// It is damaged. The text says where.
    Damaged(String),
}

/// Looks at every page that the current state of a file has.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn inspect(file: &DiskFile) -> io::Result<Verdict> {
    let Some(image) = Image::of(file, false)? else {
        let length = file.length()?;
        let what = format!("it ends at octet {length}, where its header is not complete");
        return Ok(Verdict::Damaged(what));
    };
    if let Some((at, what)) = image.header.fault {
        return Ok(Verdict::Damaged(format!("at octet {at}: {what}")));
    }
    if !image.length.is_multiple_of(PAGE) {
        let length = image.length;
        let what = format!("it ends at octet {length}, in the middle of a page: it was cut off");
        return Ok(Verdict::Damaged(what));
    }
    let [current, other] = image.header.slots;
    let damage = damage(&image, &current)?;
    if let (Some(offset), false) = (image.header.broken, image.header.was_closed) {
        return Ok(damage.map_or(Verdict::OneCommitBack(broken(offset)), Verdict::Damaged));
    }
    let Some(damage) = image.header.broken.map(broken).or(damage) else {
        return Ok(Verdict::Whole);
    };
    // A state without tables is that of a file that is being made.
    let is_back = !image.header.was_closed
        && other.trees[0].is_some()
        && self::damage(&image, &other)?.is_none();
    Ok(if is_back { Verdict::OneCommitBack(damage) } else { Verdict::Damaged(damage) })
}

fn broken(offset: u64) -> String {
    let what = "what says where the current state is does not have its checksum";
    format!("at octet {offset}: {what}")
}

/// The first damage of a state.
fn damage(image: &Image, slot: &Slot) -> io::Result<Option<String>> {
    if !slot.is_whole {
        return Ok(Some(broken(slot.offset)));
    }
    let mut first = None;
    for root in slot.trees {
        let mut note = |at: u64, what: String| {
            first.get_or_insert_with(|| format!("at octet {at}: {what}, in the list of tables"));
        };
        for table in image.tables(root, &mut note)? {
            let Some(root) = table.root else { continue };
            let (mut rows, mut before, name) = (0_u64, Vec::new(), &table.name);
            image.walk(root, table.widths, &mut |met| match met {
                Met::Row(row) => {
                    rows += 1;
                    before.clear();
                    before.extend_from_slice(row.key);
                }
                Met::Damage(at, what) => {
                    first.get_or_insert_with(|| {
                        let behind = match rows {
                            0 => String::new(),
                            _ => format!(", behind \"{}\"", before.escape_ascii()),
                        };
                        let record = rows + 1;
                        format!("at octet {at}: {what}; it begins with record {record} of {name:?}{behind}")
                    });
                }
            })?;
            if first.is_none() && rows != table.rows {
                let what = format!("{name:?} has {rows} records and should have {}", table.rows);
                first = Some(what);
            }
        }
    }
    Ok(first)
}

//! The tables of all numbers of the page.

use super::chart::escape;
use super::scale::amount;
use crate::published;
use crate::record::{Cell, Record};
use std::fmt::Write;

/// The tables of ratios: one for each transport, placement and group, with a line for each cell and
/// a column for each program that has such cells.
pub(super) fn ratios(records: &[Record], out: &mut String) {
    let compared = |r: &&Record| r.program != "c" && r.ratio_to_c.is_some();
    let tables = records.chunk_by(|a, b| place(&a.cell) == place(&b.cell));
    let mut tables = tables.filter(|table| table.iter().any(|r| compared(&r))).peekable();
    // In the ladder every row has its own programs.
    if tables.peek().and_then(|table| table.first()).is_none_or(|r| r.cell.experiment == "ladder") {
        return;
    }
    out.push_str("<details><summary>Ratios to plain C sockets</summary>");
    for table in tables {
        let mut programs: Vec<&str> = Vec::new();
        for record in table.iter().filter(compared) {
            if !programs.contains(&record.program.as_str()) {
                programs.push(&record.program);
            }
        }
        let heading = table.first().map_or(String::new(), |record| place(&record.cell));
        let _ = write!(out, "<div class=scroll><table><thead><tr><th>{}", escape(&heading));
        for program in &programs {
            let _ = write!(out, "<th>{}", escape(program));
        }
        out.push_str("<tbody>\n");
        for line in table.chunk_by(|a, b| a.cell == b.cell) {
            let Some(first) = line.first() else { continue };
            let _ = write!(out, "<tr><td>{}", escape(&first.cell.label()));
            for program in &programs {
                let ratio = line.iter().find(|r| r.program == *program).and_then(|r| r.ratio_to_c);
                let _ = write!(out, "<td>{}", ratio.map_or(String::new(), |r| format!("{r:.3}")));
            }
            out.push('\n');
        }
        out.push_str("</table></div>\n");
    }
    out.push_str("</details>\n");
}

/// Where a cell was measured.
fn place(cell: &Cell) -> String {
    let mut place = format!("{} · {}", cell.transport, cell.placement);
    if !cell.group.is_empty() {
        let _ = write!(place, " · {}", cell.group);
    }
    if cell.queue > 0 {
        let _ = write!(place, " · queues {}", amount(cell.queue as f64));
    }
    place
}

/// The table of all numbers, with the published ones.
pub(super) fn everything(records: &[Record], out: &mut String) {
    out.push_str("<details><summary>All results</summary><div class=scroll><table><thead><tr>");
    out.push_str("<th>cell<th>program<th>unit<th>median<th>1 %<th>99 %<th>min<th>max");
    out.push_str("<th>repetitions<th>× c<th>published<tbody>\n");
    for record in records {
        let Record { program, unit, median, p1, p99, min, max, repetitions, cell, .. } = record;
        let label = format!("{} · {}", place(cell), cell.label());
        let _ = write!(out, "<tr><td>{}<td>{}<td>{unit}", escape(&label), escape(program));
        for value in [median, p1, p99, min, max] {
            let _ = write!(out, "<td>{value:.3}");
        }
        let ratio = record.ratio_to_c.map_or("–".into(), |ratio| format!("{ratio:.3}"));
        let published = published::bulk(program, cell.payload, cell.queue, cell.units);
        let published = published.map_or(String::new(), |found| found.to_string());
        let _ = writeln!(out, "<td>{repetitions}<td>{ratio}<td>{published}");
    }
    out.push_str("</table></div></details>\n");
}

//! The bars of the experiment.

use super::program::{C_READ, FLOW, ONEWAY, TWOWAY, Way};
use super::{Imaging, ImagingCell};
use serde::Serialize;

/// From this size on images count for the bars.
const LARGE: u64 = 10 << 20;

/// The largest image, whose servers' memory counts.
const LARGEST: u64 = 40 << 20;

/// One requirement, and what was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Bar {
    pub(super) demand: &'static str,
    /// The worst value of the cells that it covers.
    pub(super) measured: f64,
    /// The cell of the worst value.
    pub(super) worst: String,
    pub(super) met: bool,
}

impl Imaging {
    /// The bars that were measured.
    pub(super) fn bars(&self) -> Vec<Bar> {
        let ours = [FLOW, TWOWAY, ONEWAY];
        let ratio = |cell: &&ImagingCell| cell.ratio_to_c;
        let mebibytes = |cell: &&ImagingCell| {
            let counts = cell.viewers == 4 && cell.image_octets == LARGEST;
            counts.then_some(cell.server_peak as f64 / f64::from(1 << 20))
        };
        let bars = [
            self.at_least("a flow: 0.97 × plain sockets or more", 0.97, FLOW, &ratio),
            self.at_least("twoway calls: 0.9 × plain sockets or more", 0.9, TWOWAY, &ratio),
            self.at_least("oneway calls: 0.9 × plain sockets or more", 0.9, ONEWAY, &ratio),
            self.at_least("twoway calls: 0.9 × plain sockets that read", 0.9, TWOWAY, &|cell| {
                self.to_reading_sockets(cell)
            }),
            self.at_least("oneway calls: 0.9 × plain sockets that read", 0.9, ONEWAY, &|cell| {
                self.to_reading_sockets(cell)
            }),
            self.at_least("four viewers by flows: 0.9 × one or more", 0.9, FLOW, &|cell| {
                self.to_one_viewer(cell)
            }),
            self.worst("server's memory for 4 × 40 MiB: 64 MiB or less", &ours, &mebibytes, false)
                .map(|(demand, measured, worst)| {
                    let met = measured <= 64.0;
                    Bar { demand, measured, worst, met }
                }),
        ];
        bars.into_iter().flatten().collect()
    }

    fn at_least(
        &self,
        demand: &'static str,
        least: f64,
        way: Way,
        value: &dyn Fn(&&ImagingCell) -> Option<f64>,
    ) -> Option<Bar> {
        let (demand, measured, worst) = self.worst(demand, &[way], value, true)?;
        Some(Bar { demand, measured, worst, met: measured >= least })
    }

    /// The worst value among the large single images of some ways.
    fn worst(
        &self,
        demand: &'static str,
        ways: &[Way],
        value: &dyn Fn(&&ImagingCell) -> Option<f64>,
        less_is_worse: bool,
    ) -> Option<(&'static str, f64, String)> {
        let large = |cell: &&ImagingCell| {
            cell.image_octets >= LARGE && ways.iter().any(|way| way.name == cell.way)
        };
        let values = self.cells.iter().filter(large);
        let mut values: Vec<_> = values.filter_map(|cell| Some((value(&cell)?, cell))).collect();
        values.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (measured, cell) = *if less_is_worse { values.first() } else { values.last() }?;
        let ImagingCell { place, images, viewers, .. } = cell;
        let worst = format!("{}, {images}, {viewers} at once", place.describe());
        Some((demand, measured, worst))
    }

    /// The rate, as a part of that of plain sockets whose server reads the file into memory.
    fn to_reading_sockets(&self, cell: &ImagingCell) -> Option<f64> {
        let plain = self.cells.iter().find(|other| {
            (other.place, &other.images, other.viewers) == (cell.place, &cell.images, cell.viewers)
                && other.way == C_READ.name
        });
        Some(cell.rate / plain?.rate)
    }

    /// The rate of four viewers, as a part of that of one.
    fn to_one_viewer(&self, cell: &ImagingCell) -> Option<f64> {
        let alone = self.cells.iter().find(|other| {
            (other.place, &other.images, other.way) == (cell.place, &cell.images, cell.way)
                && other.viewers == 1
        });
        (cell.viewers == 4).then_some(cell.rate / alone?.rate)
    }
}

//! A group: the items that a client wants to know of, and when it is told (OPC DA 2.05a, 4.5).

use super::plant::STEP;
use super::quality::Quality;
use super::space::Space;
use super::value::{Sample, convert};
use crate::status::INVALID_HANDLE;
use armilla_dcerpc::Status;
use armilla_dcom::automation::Variant;
use std::collections::BTreeMap;
use std::time::Duration;

/// How many items a group has at most.
const MOST_ITEMS: usize = 20_000;

/// How a client wants a group to behave.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// What the client calls it.
    pub name: String,
    /// Whether it is updated.
    pub active: bool,
    /// How often it is updated, in milliseconds.
    pub rate: u32,
    /// Of values with a range: how many percent of the range a change is that counts.
    pub dead_band: f32,
    /// The minutes by which the client's time differs.
    pub bias: i32,
    /// The language of texts.
    pub locale: u32,
    /// How the client names it in what it is told.
    pub client_handle: u32,
}

/// An item in a group.
#[derive(Debug, Clone)]
pub struct GroupItem {
    /// How the client names it in what it is told.
    pub client_handle: u32,
    /// Which item it is, by its number.
    pub item: usize,
    /// The type that the client wants; 0 for the item's own.
    pub requested: u16,
    /// Whether it is updated.
    pub active: bool,
    /// What the client was told last.
    told: Option<Sample>,
}

/// A value that a client is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The item, as the client names it.
    pub client_handle: u32,
    /// The value, in the type that the client wants.
    pub sample: Sample,
    /// What is wrong with it.
    pub error: Status,
}

/// A group. It has no clock: what is due is asked for.
#[derive(Debug)]
pub struct Group {
    /// How it behaves.
    pub settings: Settings,
    /// Whether changes are told at all (`SetEnable`).
    pub enabled: bool,
    items: BTreeMap<u32, GroupItem>,
    last: u32,
    /// When it is updated next.
    due: Duration,
}

/// The rate that a client gets that asks for one: a whole number of steps.
fn revised(rate: u32) -> u32 {
    let step = STEP.as_millis() as u32;
    rate.div_ceil(step).max(1).saturating_mul(step)
}

impl Group {
    /// A group without items. `now` is any time that does not go back.
    pub fn new(mut settings: Settings, now: Duration) -> Self {
        settings.rate = revised(settings.rate);
        Self { settings, enabled: true, items: BTreeMap::new(), last: 0, due: now }
    }

    /// Sets how often it is updated; returns how often it really is.
    pub fn set_rate(&mut self, rate: u32, now: Duration) -> u32 {
        self.settings.rate = revised(rate);
        self.due = now;
        self.settings.rate
    }

    /// A group with the same items and settings, but for the name, that is not active.
    pub fn duplicate(&self, name: String) -> Self {
        let settings = Settings { name, active: false, ..self.settings.clone() };
        let items = self.items.iter().map(|(handle, item)| (*handle, item.untold())).collect();
        Self { settings, enabled: true, items, last: self.last, due: self.due }
    }

    /// Its items, by the server's handles.
    pub fn items(&self) -> &BTreeMap<u32, GroupItem> {
        &self.items
    }

    /// Adds an item; returns the server's handle.
    ///
    /// # Errors
    ///
    /// [`Status::OUT_OF_MEMORY`] if there are too many.
    pub fn add(
        &mut self,
        item: usize,
        (client_handle, requested, active): (u32, u16, bool),
    ) -> Result<u32, Status> {
        if self.items.len() >= MOST_ITEMS {
            return Err(Status::OUT_OF_MEMORY);
        }
        self.last = self.last.wrapping_add(1).max(1);
        while self.items.contains_key(&self.last) {
            self.last = self.last.wrapping_add(1).max(1);
        }
        let told = None;
        self.items.insert(self.last, GroupItem { client_handle, item, requested, active, told });
        Ok(self.last)
    }

    /// Removes an item.
    ///
    /// # Errors
    ///
    /// [`INVALID_HANDLE`]
    pub fn remove(&mut self, handle: u32) -> Result<(), Status> {
        self.items.remove(&handle).map(drop).ok_or(INVALID_HANDLE)
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// An item, to be changed. Its next update is told, whatever it is.
    ///
    /// # Errors
    ///
    /// [`INVALID_HANDLE`]
    pub fn item_mut(&mut self, handle: u32) -> Result<&mut GroupItem, Status> {
        let item = self.items.get_mut(&handle).ok_or(INVALID_HANDLE)?;
        item.told = None;
        Ok(item)
    }

    /// Whether an update is due; it counts as made then.
    pub fn is_due(&mut self, now: Duration) -> bool {
        let due = self.settings.active && now >= self.due;
        if due {
            let period = Duration::from_millis(self.settings.rate.into());
            // A group that was not active for long does not make up for it.
            let next = self.due + period;
            self.due = if next > now { next } else { now + period };
        }
        due
    }

    /// What has changed since the client was told last.
    pub fn changes(&mut self, space: &Space, samples: &[Sample]) -> Vec<Change> {
        let dead_band = f64::from(self.settings.dead_band) / 100.0;
        let mut changes = Vec::new();
        for item in self.items.values_mut().filter(|item| item.active) {
            let now = &samples[item.item];
            let range = space.items()[item.item].range;
            if item.told.as_ref().is_none_or(|told| differs(told, now, range, dead_band)) {
                item.told = Some(now.clone());
                changes.push(item.change(now));
            }
        }
        changes
    }

    /// The next update tells all values, as the first one does.
    pub fn tell_all(&mut self) {
        self.items.values_mut().for_each(|item| item.told = None);
    }

    /// The values of all active items (`Refresh`); none of a group that is not active.
    pub fn all(&self, samples: &[Sample]) -> Vec<Change> {
        let active = self.items.values().filter(|item| self.settings.active && item.active);
        active.map(|item| item.change(&samples[item.item])).collect()
    }

    /// The value of an item, from the copy of the server or from the device.
    ///
    /// # Errors
    ///
    /// [`INVALID_HANDLE`]
    pub fn read(
        &self,
        handle: u32,
        samples: &[Sample],
        from_device: bool,
    ) -> Result<Change, Status> {
        let item = self.items.get(&handle).ok_or(INVALID_HANDLE)?;
        let mut change = item.change(&samples[item.item]);
        // What is not active is not kept up to date.
        let current = self.settings.active && item.active;
        if !(from_device || current) {
            change.sample.quality = Quality::OUT_OF_SERVICE;
        }
        Ok(change)
    }
}

impl GroupItem {
    fn untold(&self) -> Self {
        Self { told: None, ..self.clone() }
    }

    fn change(&self, sample: &Sample) -> Change {
        let client_handle = self.client_handle;
        match convert(&sample.value, self.requested) {
            Ok(value) => {
                Change { client_handle, sample: Sample { value, ..*sample }, error: Status::OK }
            }
            Err(error) => {
                let sample = Sample { value: Variant::Empty, quality: Quality::BAD, ..*sample };
                Change { client_handle, sample, error }
            }
        }
    }
}

/// Whether a value differs from another one by more than the dead band.
fn differs(told: &Sample, now: &Sample, range: Option<(f64, f64)>, dead_band: f64) -> bool {
    if told.quality != now.quality {
        return true;
    }
    match (range, told.value.as_f64(), now.value.as_f64()) {
        (Some((low, high)), Some(old), Some(new)) if dead_band > 0.0 => {
            (new - old).abs() > dead_band * (high - low)
        }
        _ => told.value != now.value,
    }
}

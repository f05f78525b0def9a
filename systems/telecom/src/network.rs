//! The network: its elements and their alarms, without an ORB.

use crate::records::Records;
use crate::telecom::{Alarm, Severity};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The elements by name, and the alarms that are raised: at most one for each element.
#[derive(Debug)]
pub struct Network {
    names: Records,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    last_number: u64,
    /// By number.
    raised: BTreeMap<u64, Alarm>,
    /// The number of the alarm of each element, by its place; 0 if it has none.
    numbers: Vec<u64>,
}

impl Network {
    /// A network of `count` elements, named from `ne00000`.
    pub fn new(count: usize) -> Self {
        let names = Records::new((0..count).map(|number| format!("ne{number:05}")));
        let state = State { last_number: 0, raised: BTreeMap::new(), numbers: vec![0; count] };
        Self { names, state: Mutex::new(state) }
    }

    /// The names of the elements.
    pub fn names(&self) -> &Records {
        &self.names
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The alarm of an element, `CLEARED` if none is raised; `None` if there is no such element.
    pub fn alarm(&self, element: &str) -> Option<Alarm> {
        let place = self.names.place(element)?;
        let state = self.lock();
        let none = Alarm { element: element.to_owned(), ..Alarm::default() };
        Some(state.raised.get(&state.numbers[place]).cloned().unwrap_or(none))
    }

    /// Raises an alarm in place of the present one, or clears that. Returns what observers are to
    /// be told: nothing if nothing was to be cleared, or if there is no such element.
    pub fn report(&self, element: &str, severity: Severity, text: &str) -> Option<Alarm> {
        let place = self.names.place(element)?;
        let mut state = self.lock();
        let number = state.numbers[place];
        let before = state.raised.remove(&number);
        if severity == Severity::Cleared {
            state.numbers[place] = 0;
            return before.map(|alarm| Alarm { how_severe: severity, ..alarm });
        }
        state.last_number += 1;
        let alarm = Alarm {
            number: state.last_number,
            element: element.to_owned(),
            how_severe: severity,
            text: text.to_owned(),
            acknowledged_by: String::new(),
        };
        state.numbers[place] = alarm.number;
        state.raised.insert(alarm.number, alarm.clone());
        Some(alarm)
    }

    /// The most severe alarms that are raised, at most `how_many`; of equal ones the newest first.
    pub fn raised(&self, how_many: usize) -> Vec<Alarm> {
        let mut alarms: Vec<Alarm> = self.lock().raised.values().rev().cloned().collect();
        alarms.sort_by_key(|alarm| std::cmp::Reverse(alarm.how_severe));
        alarms.truncate(how_many);
        alarms
    }

    /// Notes who has seen the alarm. `None` if it is not raised.
    pub fn acknowledge(&self, number: u64, by: &str) -> Option<Alarm> {
        let mut state = self.lock();
        let alarm = state.raised.get_mut(&number)?;
        alarm.acknowledged_by = by.to_owned();
        Some(alarm.clone())
    }
}

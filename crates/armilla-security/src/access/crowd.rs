//! Whom a rule or a role has, who may be thousands.

use super::index::{AsItIs, hash_of_principal};
use crate::caller::Caller;
use crate::who::Who;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Deref;

/// So few are asked one after the other.
const FEW: usize = 4;

/// Some of whom a rule is about, so that to ask for one caller costs the same however many they are, as
/// far as they are one principal each.
#[derive(Debug, Clone, Default)]
pub(super) struct Crowd {
    all: Vec<Who>,
    /// Where those stand that are one principal alone, by its hash.
    alone: HashMap<u64, Vec<u32>, BuildHasherDefault<AsItIs>>,
    /// Where the others stand.
    others: Vec<u32>,
}

impl From<Vec<Who>> for Crowd {
    fn from(all: Vec<Who>) -> Self {
        let mut crowd = Self::default();
        for (at, who) in all.iter().enumerate() {
            let alone = if all.len() > FEW { who.only() } else { None };
            let list = match &alone {
                Some(principal) => crowd.alone.entry(hash_of_principal(principal)).or_default(),
                None => &mut crowd.others,
            };
            list.push(at as u32);
        }
        Self { all, ..crowd }
    }
}

impl Crowd {
    /// Whether one of them is this caller.
    pub(super) fn includes(&self, caller: &Caller) -> bool {
        let any = |list: &[u32]| list.iter().any(|at| self.all[*at as usize].includes(caller));
        let alone = || self.alone.get(&hash_of_principal(caller.principal()));
        any(&self.others) || !self.alone.is_empty() && alone().is_some_and(|list| any(list))
    }
}

impl Deref for Crowd {
    type Target = [Who];

    fn deref(&self) -> &[Who] {
        &self.all
    }
}

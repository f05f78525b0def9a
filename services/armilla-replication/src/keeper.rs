//! The thread of a member that keeps watch: the primary tells its backups that it lives, a backup
//! takes over from a primary that is silent, and a newcomer asks for the state.

use crate::model::Role;
use crate::shared::{Shared, now};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How many heartbeats in a row a backup may miss before it leaves the view.
const MISSES: u32 = 3;

/// How often a primary looks what the registry has, in heartbeats.
const LOOKS: u32 = 25;

pub(crate) struct Keeper {
    shared: Arc<Shared>,
    interval: Duration,
    misses: HashMap<String, u32>,
    beats: u32,
}

impl Keeper {
    /// Starts the thread. It ends with `ends` of what is shared.
    pub(crate) fn start(shared: Arc<Shared>, interval: Duration) -> io::Result<JoinHandle<()>> {
        let (misses, beats) = Default::default();
        let mut keeper = Self { shared, interval, misses, beats };
        thread::Builder::new().name("group".into()).spawn(move || {
            while !keeper.shared.ends.load(Ordering::Relaxed) {
                let pause = keeper.turn();
                thread::sleep(pause);
            }
        })
    }

    /// Does what is to be done now. Returns how long to wait for the next turn.
    fn turn(&mut self) -> Duration {
        let Some(role) = self.shared.member().map(|member| member.role()) else {
            return self.interval;
        };
        match role {
            Role::Primary => {
                self.beat();
                self.interval
            }
            Role::Backup => {
                self.watch();
                self.interval / 4
            }
            Role::Newcomer => {
                self.join();
                self.interval / 2
            }
        }
    }

    fn beat(&mut self) {
        let Some(view) = self.shared.member().map(|member| member.view().clone()) else { return };
        let (silent, is_deposed) = self.shared.world.beat(&view);
        self.misses.retain(|name, _| silent.contains(name));
        for name in silent {
            let misses = self.misses.entry(name.clone()).or_default();
            *misses += 1;
            if *misses >= MISSES {
                self.misses.remove(&name);
                if let Some(mut member) = self.shared.member() {
                    tracing::warn!(group = %self.shared.world.group, backup = name, "is silent");
                    member.dismiss(&self.shared.world, &name).ok();
                }
            }
        }
        self.beats = self.beats.wrapping_add(1);
        let Some(mut member) = self.shared.member() else { return };
        member.expire(now());
        if is_deposed || self.beats.is_multiple_of(LOOKS) {
            member.look(&self.shared.world).ok();
        }
    }

    fn watch(&self) {
        let Some(mut member) = self.shared.member() else { return };
        if member.known_view().is_none() {
            member.look(&self.shared.world).ok();
        }
        // The backup behind this one waits longer, so that one takes over and not all try.
        let place = member.view().place(&member.me().name).unwrap_or(1).clamp(1, 8) - 1;
        let patience = self.interval * 5 / 2 + self.interval * (place as u32);
        if self.shared.silence() < patience {
            return;
        }
        match member.take_over(&self.shared.world) {
            Ok(false) => self.shared.hear(),
            done => tracing::warn!(
                group = %self.shared.world.group, member = member.me().name, ?done, "takes over"
            ),
        }
    }

    fn join(&self) {
        let world = &self.shared.world;
        let (view, me) = {
            let Some(mut member) = self.shared.member() else { return };
            if member.look(world).is_err() {
                return;
            }
            (member.view().clone(), member.me().clone())
        };
        let Some(primary) = view.primary().filter(|primary| **primary != me) else {
            if let Some(mut member) = self.shared.member() {
                member.take_over(world).ok();
            }
            return;
        };
        let joined = world.join(primary, &me);
        match (joined, self.shared.member()) {
            (Ok(welcome), Some(mut member)) => {
                self.shared.hear();
                let taken = member.transfer(&welcome);
                tracing::info!(group = %world.group, member = me.name, ?taken, "joins");
            }
            (Err(why), _) => tracing::debug!(group = %world.group, why, "cannot join yet"),
            _ => {}
        }
    }
}

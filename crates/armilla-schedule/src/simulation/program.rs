//! What a job does, one after the other.

use crate::system::System;
use crate::task::CallKind;

/// One thing that a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Executes for this long.
    Execute(u64),
    /// Acquires a resource.
    Lock(usize),
    /// Releases it.
    Unlock(usize),
    /// From here to `Preemptible` nobody preempts it.
    NonPreemptive,
    /// The end of that.
    Preemptible,
    /// Calls a task, waits for the message there, for its end, and for the reply.
    Call { task: usize, delay: u64 },
    /// Releases a task that is called one-way; the message takes this long.
    Post { task: usize, delay: u64 },
}

/// The program of each task.
///
/// A task executes its critical sections in the order of their declaration, spread over its
/// execution, then what it calls, and posts its one-way calls at the end.
pub(crate) fn programs(system: &System, inline_processor: bool) -> Vec<Vec<Action>> {
    (0..system.tasks().len())
        .map(|task| {
            let mut program = Program { system, inline_processor, actions: Vec::new() };
            let mut posts = Vec::new();
            program.run(task, &mut posts);
            program.actions.extend(posts);
            program.actions
        })
        .collect()
}

/// Longer programs are cut: chains of calls can multiply without end.
const LONGEST: usize = 10_000;

struct Program<'a> {
    system: &'a System,
    inline_processor: bool,
    actions: Vec<Action>,
}

impl Program<'_> {
    fn run(&mut self, task: usize, posts: &mut Vec<Action>) {
        if self.actions.len() > LONGEST {
            return;
        }
        let declared = &self.system.tasks()[task];
        let links = &self.system.links[task];
        for _ in 0..declared.threads.min(LONGEST as u32) {
            self.body(task);
        }
        for call in &links.calls {
            let callee = &self.system.tasks()[call.callee];
            let same_processor = links.processor == self.system.links[call.callee].processor;
            let inline =
                same_processor && (declared.process == callee.process || self.inline_processor);
            match call.kind {
                CallKind::OneWay => {
                    posts.push(Action::Post { task: call.callee, delay: call.delay });
                }
                CallKind::TwoWay if inline => self.run(call.callee, posts),
                CallKind::TwoWay => {
                    self.actions.push(Action::Call { task: call.callee, delay: call.delay });
                }
            }
        }
    }

    /// The execution of one thread.
    fn body(&mut self, task: usize) {
        let declared = &self.system.tasks()[task];
        let sections = &self.system.links[task].sections;
        let held: u64 = sections.iter().map(|(_, length)| *length).sum();
        let mut free = declared.wcet.0.saturating_sub(held);
        let stretch = declared.non_preemptive.0.min(free);
        free -= stretch;
        let part = free / (sections.len() as u64 + 1);
        let execute = |length: u64| (length > 0).then_some(Action::Execute(length));
        for (resource, length) in sections {
            self.actions.extend(execute(part));
            self.actions.push(Action::Lock(*resource));
            self.actions.extend(execute(*length));
            self.actions.push(Action::Unlock(*resource));
            free -= part;
        }
        if stretch > 0 {
            self.actions.push(Action::NonPreemptive);
            self.actions.extend(execute(stretch));
            self.actions.push(Action::Preemptible);
        }
        self.actions.extend(execute(free));
    }
}

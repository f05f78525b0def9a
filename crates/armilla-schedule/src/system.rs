//! A set of tasks that has been checked: every name resolved, every time consistent.

use crate::fault::{Faults, InvalidTasks};
use crate::similar::closest;
use crate::task::{Call, CallKind, Protocol, Task, TaskSet};
use crate::time::Nanos;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The largest number of tasks in a system.
pub const MOST_TASKS: usize = 2_000;

/// A checked set of tasks, ready to be analysed or simulated.
///
/// ```
/// use armilla_schedule::{Nanos, System, Task, TaskSet};
///
/// let task = Task::periodic("Sensor::sample", Nanos::from_millis(1), Nanos::from_millis(2));
/// let set = TaskSet { tasks: vec![task], ..TaskSet::default() };
/// let error = System::new(set).unwrap_err();
/// assert!(error.to_string().contains("wcet 2 ms is longer than the deadline 1 ms"));
/// ```
#[derive(Debug, Clone)]
pub struct System {
    set: TaskSet,
    pub(crate) processors: Vec<String>,
    pub(crate) resources: Vec<String>,
    pub(crate) links: Vec<Resolved>,
}

/// What the names in a task stand for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resolved {
    pub(crate) processor: usize,
    pub(crate) calls: Vec<ResolvedCall>,
    /// Resources and how long they are held.
    pub(crate) sections: Vec<(usize, u64)>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ResolvedCall {
    pub(crate) callee: usize,
    pub(crate) kind: CallKind,
    pub(crate) delay: u64,
}

impl System {
    /// Checks the tasks. The error has everything that is wrong with them.
    pub fn new(set: TaskSet) -> Result<Self, InvalidTasks> {
        let mut faults = Faults::default();
        if set.tasks.is_empty() {
            faults.add("tasks", "there is none", "declare at least one task with a period");
        }
        if set.tasks.len() > MOST_TASKS {
            let problem = format!("there are {}, more than {MOST_TASKS}", set.tasks.len());
            faults.add("tasks", problem, "analyse the processors one by one");
            return Err(faults.all());
        }
        let names = check_names(&set.tasks, &mut faults);
        set.tasks.iter().for_each(|task| check_times(task, &mut faults));
        let resolved = resolve(&set, &names, &mut faults);
        let system = Self { set, ..resolved };
        if faults.is_empty() {
            check_cycles(&system, &mut faults);
            check_released(&system, &mut faults);
            check_resources(&system, &mut faults);
        }
        faults.none(system)
    }

    /// The tasks.
    pub fn tasks(&self) -> &[Task] {
        &self.set.tasks
    }

    /// The tasks as they were given, to be changed and checked again.
    pub fn task_set(&self) -> &TaskSet {
        &self.set
    }

    /// How critical sections are protected.
    pub fn protocol(&self) -> Protocol {
        self.set.protocol
    }

    /// The system with all execution times multiplied by this many thousandths, rounded up.
    pub(crate) fn scaled(&self, thousandths: u64) -> Option<Self> {
        let scale = |time: &mut u64| {
            let scaled = u128::from(*time) * u128::from(thousandths);
            *time = u64::try_from(scaled.div_ceil(1_000)).ok()?;
            Some(())
        };
        let mut scaled = self.clone();
        for task in &mut scaled.set.tasks {
            scale(&mut task.wcet.0)?;
            scale(&mut task.non_preemptive.0)?;
        }
        for links in &mut scaled.links {
            links.sections.iter_mut().try_for_each(|(_, length)| scale(length))?;
        }
        Some(scaled)
    }

    /// The names of the processors, in the order in which the tasks name them.
    pub fn processors(&self) -> &[String] {
        &self.processors
    }
}

fn check_names<'a>(tasks: &'a [Task], faults: &mut Faults) -> HashMap<&'a str, usize> {
    let mut names = HashMap::new();
    for (at, task) in tasks.iter().enumerate() {
        if task.name.trim().is_empty() {
            faults.add(format!("task {}", at + 1), "it has no name", "name the operation");
        } else if names.insert(task.name.as_str(), at).is_some() {
            faults.add(&task.name, "it is declared twice", "give each operation one entry");
        }
    }
    names
}

/// The deadline of a task that has a period or a deadline.
fn own_deadline(task: &Task) -> Option<Nanos> {
    task.deadline.or(task.period)
}

fn check_times(task: &Task, faults: &mut Faults) {
    let mut fault = |problem: String, remedy: &str| faults.add(&task.name, problem, remedy);
    if task.period == Some(Nanos::ZERO) {
        fault("the period is 0".into(), "give the shortest time between two releases");
    }
    if task.deadline == Some(Nanos::ZERO) {
        fault("the deadline is 0".into(), "give the time that the operation may take");
    }
    if task.wcet == Nanos::ZERO {
        fault("wcet is 0".into(), "measure the worst-case execution time, and round it up");
    }
    if task.threads == 0 {
        fault("it has 0 threads".into(), "give at least 1");
    }
    if task.jitter > Nanos::ZERO && task.period.is_none() {
        fault(
            format!("it has a jitter of {} but no period", task.jitter),
            "leave the jitter out: it follows from the callers",
        );
    }
    let deadline = own_deadline(task).filter(|deadline| *deadline > Nanos::ZERO);
    if let Some(deadline) = deadline.filter(|deadline| task.wcet > *deadline) {
        fault(
            format!("wcet {} is longer than the deadline {deadline}", task.wcet),
            "no schedule can meet that: shorten the operation, or give it more time",
        );
    }
    if let Some(deadline) = deadline.filter(|deadline| task.jitter >= *deadline) {
        fault(
            format!("the jitter {} is not below the deadline {deadline}", task.jitter),
            "the deadline counts from the nominal release: reduce the jitter",
        );
    }
    check_stretches(task, faults);
}

/// Checks what is part of the execution time.
fn check_stretches(task: &Task, faults: &mut Faults) {
    let mut fault = |problem: String, remedy: &str| faults.add(&task.name, problem, remedy);
    if task.non_preemptive > task.wcet {
        let problem = format!(
            "it cannot be preempted for {}, but its wcet is {}",
            task.non_preemptive, task.wcet
        );
        fault(problem, "the stretch is part of wcet");
    }
    let mut total = 0_u64;
    for section in &task.sections {
        if section.length == Nanos::ZERO {
            let problem = format!("the section on `{}` has the length 0", section.resource);
            fault(problem, "say how long the resource is held");
        }
        total = total.saturating_add(section.length.0);
    }
    if total > task.wcet.0 {
        let problem =
            format!("its critical sections take {}, but its wcet is {}", Nanos(total), task.wcet);
        fault(problem, "sections are part of wcet, and do not nest");
    }
}

/// A system without the tasks themselves, which `names` borrows.
fn resolve(set: &TaskSet, names: &HashMap<&str, usize>, faults: &mut Faults) -> System {
    let mut processors = Numbers::default();
    let mut resources = Numbers::default();
    let mut links = Vec::with_capacity(set.tasks.len());
    for task in &set.tasks {
        let calls = task.calls.iter().filter_map(|call| resolve_call(task, call, names, faults));
        links.push(Resolved {
            processor: processors.number(&task.processor),
            calls: calls.collect(),
            sections: (task.sections.iter())
                .map(|section| (resources.number(&section.resource), section.length.0))
                .collect(),
        });
    }
    let set = TaskSet::default();
    System { processors: processors.names, resources: resources.names, links, set }
}

/// Numbers names in the order of their first use.
#[derive(Default)]
struct Numbers {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Numbers {
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

fn resolve_call(
    task: &Task,
    call: &Call,
    names: &HashMap<&str, usize>,
    faults: &mut Faults,
) -> Option<ResolvedCall> {
    let Some(&callee) = names.get(call.operation.as_str()) else {
        let remedy = match closest(&call.operation, sorted(names)) {
            Some(name) => format!("meant `{name}`?"),
            None => "declare that operation too".to_owned(),
        };
        faults.add(&task.name, format!("it calls `{}`, which is unknown", call.operation), remedy);
        return None;
    };
    Some(ResolvedCall { callee, kind: call.kind, delay: call.delay.0 })
}

fn sorted<'a>(names: &HashMap<&'a str, usize>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.keys().copied().collect();
    names.sort_unstable();
    names
}

/// Reports each cycle of calls once, with all its operations.
fn check_cycles(system: &System, faults: &mut Faults) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; system.links.len()];
    for start in 0..system.links.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut path = vec![(start, 0)];
        while let Some((task, next)) = path.last_mut() {
            let (at, call) = (*task, system.links[*task].calls.get(*next));
            *next += 1;
            match call.map(|call| (call.callee, marks[call.callee])) {
                None => {
                    marks[at] = Mark::Done;
                    path.pop();
                }
                Some((callee, Mark::New)) => {
                    marks[callee] = Mark::Open;
                    path.push((callee, 0));
                }
                Some((callee, Mark::Open)) => {
                    let from = path.iter().position(|(task, _)| *task == callee).unwrap_or(0);
                    let names = path[from..].iter().map(|(task, _)| *task).chain([callee]);
                    let names: Vec<_> =
                        names.map(|task| system.tasks()[task].name.as_str()).collect();
                    let problem = format!("the calls form a cycle: {}", names.join(" → "));
                    faults.add(names[0], problem, "break it, for example by a task of its own");
                }
                Some((_, Mark::Done)) => {}
            }
        }
    }
}

/// Reports operations that nobody releases.
fn check_released(system: &System, faults: &mut Faults) {
    let called: BTreeSet<usize> =
        system.links.iter().flat_map(|links| &links.calls).map(|call| call.callee).collect();
    for (at, task) in system.tasks().iter().enumerate() {
        if task.period.is_none() && !called.contains(&at) {
            let remedy = "give it a period, or name it in the calls of another operation";
            faults.add(&task.name, "it has no period and nobody calls it", remedy);
        }
    }
}

/// Reports resources that tasks of several processors share.
fn check_resources(system: &System, faults: &mut Faults) {
    let mut users = BTreeMap::<usize, usize>::new();
    for (task, links) in system.links.iter().enumerate() {
        for (resource, _) in &links.sections {
            let first = *users.entry(*resource).or_insert(task);
            if system.links[first].processor != links.processor {
                let problem = format!(
                    "it shares `{}` with {}, which another processor executes",
                    system.resources[*resource],
                    system.tasks()[first].name
                );
                let remedy = "move both to one processor, or call an operation of the owner";
                faults.add(&system.tasks()[task].name, problem, remedy);
            }
        }
    }
}

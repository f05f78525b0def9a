//! Tables of tasks in TOML.
//!
//! ```toml
//! protocol = "ceiling"
//!
//! [[task]]
//! name = "Sensor::sample"
//! processor = "cpu1"
//! period = "10 ms"
//! wcet = "300 us"
//! criticality = "high"
//! calls = [{ operation = "Nav::update", oneway = true, delay = "50 us" }]
//! sections = [{ resource = "track", length = "20 us" }]
//! ```

use crate::fault::{Faults, InvalidTasks};
use crate::level::{Criticality, Importance};
use crate::similar::closest;
use crate::task::{Call, CallKind, DEFAULT_PROCESS, DEFAULT_PROCESSOR, Protocol, Section, Task};
use crate::time::Nanos;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The largest table in octets.
pub const MOST_TEXT: usize = 4 << 20;

/// What one or more sources say of tasks: tables, annotations, measurements. What one source leaves
/// out, another may add.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Description {
    /// The tasks, in the order in which they were first named.
    pub tasks: Vec<TaskDescription>,
    /// How critical sections are protected, if that was said.
    pub protocol: Option<Protocol>,
}

/// What is known of a task so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskDescription {
    /// The name of the operation.
    pub name: String,
    /// Where it was described, for messages: `nav.toml:3`.
    pub source: String,
    /// Whether it is `oneway`: whoever calls it does not wait.
    pub oneway: Option<bool>,
    /// The process that executes it.
    pub process: Option<String>,
    /// The processor that executes it.
    pub processor: Option<String>,
    /// As in [`Task`].
    pub period: Option<Nanos>,
    /// As in [`Task`].
    pub deadline: Option<Nanos>,
    /// As in [`Task`].
    pub wcet: Option<Nanos>,
    /// As in [`Task`].
    pub jitter: Option<Nanos>,
    /// As in [`Task`].
    pub non_preemptive: Option<Nanos>,
    /// As in [`Task`].
    pub criticality: Option<Criticality>,
    /// As in [`Task`].
    pub importance: Option<Importance>,
    /// As in [`Task`].
    pub threads: Option<u32>,
    /// As in [`Task`].
    pub sections: Option<Vec<Section>>,
    /// As in [`Task`]; without a kind that of the called operation decides.
    pub calls: Option<Vec<CallDescription>>,
}

/// A call of an operation that may be described elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDescription {
    /// The name of the called operation.
    pub operation: String,
    /// Whether the caller waits; if that was not said, it does unless the operation is `oneway`.
    pub kind: Option<CallKind>,
    /// The longest time that a message takes, in each direction.
    pub delay: Nanos,
}

impl Description {
    /// Reads a table in TOML. `name` is that of the file, for messages; `process` is the process of
    /// tasks that name none.
    ///
    /// ```
    /// use armilla_schedule::{Description, System};
    ///
    /// let text = r#"
    ///     [[task]]
    ///     name = "Sensor::sample"
    ///     period = "10 ms"
    ///     wcet = "300 us"
    /// "#;
    /// let description = Description::parse("nav.toml", None, text).unwrap();
    /// let system = System::new(description.finish().unwrap()).unwrap();
    /// assert_eq!(system.tasks()[0].name, "Sensor::sample");
    ///
    /// let wrong = text.replace("wcet", "wect");
    /// let error = Description::parse("nav.toml", None, &wrong).unwrap_err();
    /// assert!(error.to_string().contains("nav.toml:5: `wect` is no key of a task; meant `wcet`?"));
    /// ```
    pub fn parse(name: &str, process: Option<&str>, text: &str) -> Result<Self, InvalidTasks> {
        let mut reader = Reader { name, text, found: Vec::new() };
        let mut description = Self::default();
        if text.len() > MOST_TEXT {
            reader.fault(&(0..0), format!("it is larger than {MOST_TEXT} octets"), "split it");
            return Err(reader.faults().all());
        }
        match DeTable::parse(text) {
            Ok(root) => reader.root(root.get_ref(), process, &mut description),
            Err(error) => {
                let at = error.span().unwrap_or(0..0);
                reader.fault(&at, format!("it is no TOML: {}", error.message()), "");
            }
        }
        reader.faults().none(description)
    }

    /// Adds what another source says. The other source decides where both say something.
    pub fn merge(&mut self, other: Self) {
        self.protocol = other.protocol.or(self.protocol);
        for task in other.tasks {
            match self.tasks.iter_mut().find(|known| known.name == task.name) {
                Some(known) => known.merge(task),
                None => self.tasks.push(task),
            }
        }
    }

    /// The tasks. The error is that something necessary was said nowhere.
    pub fn finish(self) -> Result<crate::TaskSet, InvalidTasks> {
        let mut faults = Faults::default();
        let oneways: HashMap<&str, bool> = (self.tasks.iter())
            .map(|task| (task.name.as_str(), task.oneway.unwrap_or(false)))
            .collect();
        let mut tasks = Vec::with_capacity(self.tasks.len());
        for described in &self.tasks {
            let mut calls = Vec::new();
            for call in described.calls.iter().flatten() {
                let oneway = oneways.get(call.operation.as_str()).copied().unwrap_or(false);
                if oneway && call.kind == Some(CallKind::TwoWay) {
                    let problem = format!(
                        "{}: it calls `{}` two-way, which is oneway",
                        described.name, call.operation
                    );
                    faults.add(&described.source, problem, "leave `oneway = false` out");
                }
                let derived = if oneway { CallKind::OneWay } else { CallKind::TwoWay };
                let kind = call.kind.unwrap_or(derived);
                calls.push(Call { operation: call.operation.clone(), kind, delay: call.delay });
            }
            let Some(wcet) = described.wcet else {
                let problem =
                    format!("{}: its worst-case execution time is missing", described.name);
                let remedy = "add `wcet = \"…\"` to its table, or `@wcet(…)` to the IDL";
                faults.add(&described.source, problem, remedy);
                continue;
            };
            tasks.push(described.task(wcet, calls));
        }
        faults.none(crate::TaskSet { tasks, protocol: self.protocol.unwrap_or_default() })
    }
}

impl TaskDescription {
    /// A task of which nothing else is known.
    pub fn new(name: impl Into<String>, source: impl Into<String>) -> Self {
        Self { name: name.into(), source: source.into(), ..Self::default() }
    }

    fn merge(&mut self, other: Self) {
        fn set<T>(known: &mut Option<T>, other: Option<T>) {
            if other.is_some() {
                *known = other;
            }
        }
        self.source = other.source;
        set(&mut self.oneway, other.oneway);
        set(&mut self.process, other.process);
        set(&mut self.processor, other.processor);
        set(&mut self.period, other.period);
        set(&mut self.deadline, other.deadline);
        set(&mut self.wcet, other.wcet);
        set(&mut self.jitter, other.jitter);
        set(&mut self.non_preemptive, other.non_preemptive);
        set(&mut self.criticality, other.criticality);
        set(&mut self.importance, other.importance);
        set(&mut self.threads, other.threads);
        set(&mut self.sections, other.sections);
        set(&mut self.calls, other.calls);
    }

    fn task(&self, wcet: Nanos, calls: Vec<Call>) -> Task {
        Task {
            process: self.process.clone().unwrap_or_else(|| DEFAULT_PROCESS.to_owned()),
            processor: self.processor.clone().unwrap_or_else(|| DEFAULT_PROCESSOR.to_owned()),
            period: self.period,
            deadline: self.deadline,
            jitter: self.jitter.unwrap_or_default(),
            criticality: self.criticality.unwrap_or_default(),
            importance: self.importance.unwrap_or_default(),
            threads: self.threads.unwrap_or(1),
            non_preemptive: self.non_preemptive.unwrap_or_default(),
            sections: self.sections.clone().unwrap_or_default(),
            calls,
            ..Task::called(self.name.clone(), wcet)
        }
    }
}

type Value<'t> = Spanned<DeValue<'t>>;

/// Reads one table.
struct Reader<'t> {
    name: &'t str,
    text: &'t str,
    /// Where something is wrong, what, and the remedy.
    found: Vec<(usize, String, String)>,
}

const TASK_KEYS: [&str; 14] = [
    "name",
    "process",
    "processor",
    "period",
    "deadline",
    "wcet",
    "jitter",
    "non_preemptive",
    "criticality",
    "importance",
    "threads",
    "oneway",
    "sections",
    "calls",
];

impl Reader<'_> {
    fn place(&self, at: &Range<usize>) -> String {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        format!("{}:{}", self.name, before.matches('\n').count() + 1)
    }

    fn fault(&mut self, at: &Range<usize>, problem: impl Into<String>, remedy: &str) {
        self.found.push((at.start, problem.into(), remedy.to_owned()));
    }

    /// What is wrong, in the order of the text.
    fn faults(mut self) -> Faults {
        self.found.sort_by_key(|(start, ..)| *start);
        let mut faults = Faults::default();
        for (start, problem, remedy) in std::mem::take(&mut self.found) {
            faults.add(self.place(&(start..start)), problem, remedy);
        }
        faults
    }

    fn root(&mut self, root: &DeTable<'_>, process: Option<&str>, into: &mut Description) {
        let mut names = HashSet::new();
        for (key, value) in root.iter() {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("task", DeValue::Array(tasks)) => {
                    for value in tasks.iter() {
                        let Some(task) = self.task(value, process) else { continue };
                        if !names.insert(task.name.clone()) {
                            let problem = format!("{} is declared twice in this file", task.name);
                            self.fault(&value.span(), problem, "give each operation one entry");
                        }
                        into.tasks.push(task);
                    }
                }
                ("task", _) => {
                    self.fault(&value.span(), "`task` is no table", "begin each with `[[task]]`");
                }
                ("protocol", _) => into.protocol = self.protocol(value),
                (other, _) => self.unknown(&key.span(), other, "the file", &["task", "protocol"]),
            }
        }
    }

    fn unknown(&mut self, at: &Range<usize>, key: &str, of: &str, known: &[&str]) {
        let shown: String = key.chars().take(40).collect();
        let remedy = match closest(key, known.iter().copied()) {
            Some(meant) => format!("meant `{meant}`?"),
            None => format!("the keys are {}", known.join(", ")),
        };
        self.fault(at, format!("`{shown}` is no key of {of}"), &remedy);
    }

    fn protocol(&mut self, value: &Value<'_>) -> Option<Protocol> {
        match value.get_ref().as_str() {
            Some("inheritance") => Some(Protocol::Inheritance),
            Some("ceiling") => Some(Protocol::Ceiling),
            _ => {
                let remedy = "write \"inheritance\" or \"ceiling\"";
                self.fault(&value.span(), "this is no protocol for resources", remedy);
                None
            }
        }
    }

    fn task(&mut self, value: &Value<'_>, process: Option<&str>) -> Option<TaskDescription> {
        let at = value.span();
        let DeValue::Table(table) = value.get_ref() else {
            self.fault(&at, "a task is a table", "begin it with `[[task]]`");
            return None;
        };
        let mut task = TaskDescription::new("", self.place(&at));
        task.process = process.map(str::to_owned);
        for (key, value) in table.iter() {
            match key.get_ref().as_ref() {
                "name" => task.name = self.text(value).unwrap_or_default(),
                "process" => task.process = self.text(value),
                "processor" => task.processor = self.text(value),
                "period" => task.period = self.parsed(value, "10 ms"),
                "deadline" => task.deadline = self.parsed(value, "10 ms"),
                "wcet" => task.wcet = self.parsed(value, "300 us"),
                "jitter" => task.jitter = self.parsed(value, "50 us"),
                "non_preemptive" => task.non_preemptive = self.parsed(value, "50 us"),
                "criticality" => task.criticality = self.parsed(value, "high"),
                "importance" => task.importance = self.parsed(value, "high"),
                "threads" => task.threads = self.count(value),
                "oneway" => task.oneway = self.flag(value),
                "sections" => task.sections = Some(self.list(value, Self::section)),
                "calls" => task.calls = Some(self.list(value, Self::call)),
                other => self.unknown(&key.span(), other, "a task", &TASK_KEYS),
            }
        }
        if task.name.is_empty() {
            self.fault(&at, "this task has no name", "add `name = \"Interface::operation\"`");
            return None;
        }
        Some(task)
    }

    fn text(&mut self, value: &Value<'_>) -> Option<String> {
        let text = value.get_ref().as_str().map(str::trim).filter(|text| !text.is_empty());
        if text.is_none() {
            self.fault(&value.span(), "this is no name", "write a name in quotes");
        }
        text.map(str::to_owned)
    }

    /// A text that has a form of its own.
    fn parsed<T: FromStr<Err: Display>>(&mut self, value: &Value<'_>, example: &str) -> Option<T> {
        let Some(text) = value.get_ref().as_str() else {
            let problem = match value.get_ref() {
                DeValue::Integer(number) => format!("{number} has no unit or no quotes"),
                _ => "a text is needed here".to_owned(),
            };
            self.fault(&value.span(), problem, &format!("write it in quotes, as \"{example}\""));
            return None;
        };
        match text.parse() {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.fault(&value.span(), T::Err::to_string(&error), "");
                None
            }
        }
    }

    fn count(&mut self, value: &Value<'_>) -> Option<u32> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            _ => None,
        };
        if number.is_none() {
            self.fault(&value.span(), "this is no number of threads", "write a whole number");
        }
        number
    }

    fn flag(&mut self, value: &Value<'_>) -> Option<bool> {
        let flag = match value.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            _ => None,
        };
        if flag.is_none() {
            self.fault(&value.span(), "this is neither `true` nor `false`", "write one of them");
        }
        flag
    }

    fn list<T>(
        &mut self,
        value: &Value<'_>,
        item: impl Fn(&mut Self, &Value<'_>) -> Option<T>,
    ) -> Vec<T> {
        let DeValue::Array(items) = value.get_ref() else {
            self.fault(&value.span(), "a list is needed here", "write `[…]`");
            return Vec::new();
        };
        items.iter().filter_map(|value| item(self, value)).collect()
    }

    fn section(&mut self, value: &Value<'_>) -> Option<Section> {
        let DeValue::Table(table) = value.get_ref() else {
            let remedy = "write `{ resource = \"…\", length = \"20 us\" }`";
            self.fault(&value.span(), "this is no section", remedy);
            return None;
        };
        let (mut resource, mut length) = (None, None);
        for (key, value) in table.iter() {
            match key.get_ref().as_ref() {
                "resource" => resource = self.text(value),
                "length" => length = self.parsed(value, "20 us"),
                other => self.unknown(&key.span(), other, "a section", &["resource", "length"]),
            }
        }
        if resource.is_none() || length.is_none() {
            let remedy = "write `{ resource = \"…\", length = \"20 us\" }`";
            self.fault(&value.span(), "a section needs a resource and a length", remedy);
        }
        Some(Section { resource: resource?, length: length? })
    }

    /// A call: a name, or a table with more.
    fn call(&mut self, value: &Value<'_>) -> Option<CallDescription> {
        let mut call = CallDescription { operation: String::new(), kind: None, delay: Nanos::ZERO };
        if let DeValue::Table(table) = value.get_ref() {
            for (key, value) in table.iter() {
                match key.get_ref().as_ref() {
                    "operation" => call.operation = self.text(value)?,
                    "delay" => call.delay = self.parsed(value, "200 us")?,
                    "oneway" => {
                        let kinds = [CallKind::TwoWay, CallKind::OneWay];
                        call.kind = Some(kinds[usize::from(self.flag(value)?)]);
                    }
                    other => {
                        let known = ["operation", "delay", "oneway"];
                        self.unknown(&key.span(), other, "a call", &known);
                    }
                }
            }
        } else {
            call.operation = self.text(value)?;
        }
        if call.operation.is_empty() {
            let remedy = "write `{ operation = \"Interface::operation\" }`";
            self.fault(&value.span(), "a call needs an operation", remedy);
            return None;
        }
        Some(call)
    }
}

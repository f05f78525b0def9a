//! The command line.

use armilla_replication::{GroupName, Style};
use std::time::Duration;

/// How it is called.
pub(crate) const USAGE: &str = "\
lasting-bank [OPTION]... ETCD

  ETCD              the cluster with the views of the group, such as etcd://127.0.0.1:2379
  --calls COUNT     make so many transfers (2000)
  --tellers COUNT   by so many tellers at once (4)
  --kill MS         kill a member after so many milliseconds, again and again (800)
  --style STYLE     how members keep the state: cold, warm or active (warm)
  --number NUMBER   the number of the group, another one for each run (that of the process)
  --member NAME     be a member of the group instead, until standard input ends";

const STYLES: [(&str, Style); 3] =
    [("cold", Style::ColdPassive), ("warm", Style::WarmPassive), ("active", Style::Active)];

/// What the command line says.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) etcd: String,
    pub(crate) calls: u64,
    pub(crate) tellers: u64,
    pub(crate) kill: Duration,
    pub(crate) style: Style,
    pub(crate) number: u64,
    pub(crate) member: Option<String>,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            etcd: String::new(),
            calls: 2000,
            tellers: 4,
            kill: Duration::from_millis(800),
            style: Style::WarmPassive,
            number: u64::from(std::process::id()),
            member: None,
        };
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let value = arguments.next().and_then(|value| value.parse().ok());
                value.ok_or_else(|| format!("{argument} needs a number"))
            };
            match &*argument {
                "--calls" => options.calls = number()?,
                "--tellers" => options.tellers = number()?.max(1),
                "--kill" => options.kill = Duration::from_millis(number()?),
                "--style" => {
                    let name = arguments.next().unwrap_or_default();
                    let found = STYLES.into_iter().find(|(known, _)| *known == name);
                    let unknown = || format!("--style {name} is not understood");
                    options.style = found.ok_or_else(unknown)?.1;
                }
                "--number" => options.number = number()?,
                "--member" => options.member = arguments.next(),
                _ if argument.starts_with("etcd://") => options.etcd = argument,
                _ => return Err(format!("{argument} is not understood")),
            }
        }
        match options.etcd.is_empty() {
            true => Err("the address of an etcd cluster is missing".to_owned()),
            false => Ok(options),
        }
    }

    /// The name of the style.
    pub(crate) fn style_name(&self) -> &'static str {
        STYLES.into_iter().find(|(_, style)| *style == self.style).map_or("", |(name, _)| name)
    }

    /// The group of the bank.
    pub(crate) fn group(&self) -> GroupName {
        GroupName::new("lasting-bank", self.number)
    }
}

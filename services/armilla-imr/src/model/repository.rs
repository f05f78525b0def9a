//! All servers, and which one a key belongs to.

use super::{Definition, DefinitionError, Key, RunId, Server, Time};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;
use std::fmt;

/// How many servers a repository knows at most.
const MAX_SERVERS: usize = 10_000;

/// The servers of a repository, by their names.
#[derive(Debug)]
pub struct Repository {
    servers: BTreeMap<String, Server>,
    next_run: fn() -> RunId,
}

impl Repository {
    /// No servers. `next_run` gives each run a number that nobody can guess.
    pub fn new(next_run: fn() -> RunId) -> Self {
        Self { servers: BTreeMap::new(), next_run }
    }

    /// The server with this name.
    pub fn server(&mut self, name: &str) -> Option<&mut Server> {
        self.servers.get_mut(name)
    }

    /// All servers, in the order of their names.
    pub fn servers(&self) -> impl Iterator<Item = (&str, &Server)> {
        self.servers.iter().map(|(name, server)| (name.as_str(), server))
    }

    /// All servers, to change them.
    pub fn servers_mut(&mut self) -> impl Iterator<Item = (&str, &mut Server)> {
        self.servers.iter_mut().map(|(name, server)| (name.as_str(), server))
    }

    /// Adds a server, or with `replace` changes the definition of one that is known.
    ///
    /// # Errors
    /// The definition is not accepted, the name or a pattern is taken, there are too many servers.
    pub fn define(
        &mut self,
        definition: Definition,
        replace: bool,
    ) -> Result<&mut Server, RepositoryError> {
        definition.check()?;
        for (name, other) in &self.servers {
            let taken = definition.objects.iter().find(|pattern| {
                *name != definition.name && other.definition().objects.contains(pattern)
            });
            if let Some(pattern) = taken {
                let (pattern, owner) = (pattern.to_string(), name.clone());
                return Err(RepositoryError::PatternTaken { pattern, owner });
            }
        }
        let full = self.servers.len() >= MAX_SERVERS;
        match self.servers.entry(definition.name.clone()) {
            Entry::Occupied(_) if !replace => Err(RepositoryError::Exists(definition.name)),
            Entry::Occupied(known) => {
                let server = known.into_mut();
                server.set_definition(definition);
                Ok(server)
            }
            Entry::Vacant(_) if full => Err(RepositoryError::Full),
            Entry::Vacant(place) => Ok(place.insert(Server::new(definition, self.next_run))),
        }
    }

    /// Removes a server that does not run.
    ///
    /// # Errors
    /// There is no such server, or it runs.
    pub fn remove(&mut self, name: &str) -> Result<(), RepositoryError> {
        self.check_removal(name)?;
        self.servers.remove(name);
        Ok(())
    }

    /// Whether a server may be removed.
    ///
    /// # Errors
    /// There is no such server, or it runs.
    pub fn check_removal(&self, name: &str) -> Result<(), RepositoryError> {
        match self.servers.get(name) {
            None => Err(RepositoryError::Unknown(name.to_owned())),
            Some(server) if !server.status().runs.is_empty() => {
                Err(RepositoryError::Running(name.to_owned()))
            }
            Some(_) => Ok(()),
        }
    }

    /// The name of the server to which a key belongs.
    pub fn owner(&self, key: &Key<'_>) -> Option<&str> {
        let weights = self.servers.iter().filter_map(|(name, server)| {
            let patterns = server.definition().objects.iter();
            let weight = patterns.filter_map(|pattern| pattern.weight(key)).max()?;
            Some((weight, name.as_str()))
        });
        weights.max_by_key(|(weight, _)| *weight).map(|(_, name)| name)
    }

    /// The server that a process is: by its name, or by the POAs that it has.
    pub fn identify(&self, name: &str, adapters: &[Vec<String>]) -> Option<&str> {
        if !name.is_empty() {
            return self.servers.get_key_value(name).map(|(name, _)| name.as_str());
        }
        adapters.iter().find_map(|adapter| {
            let names: Vec<&str> = adapter.iter().map(String::as_str).collect();
            self.owner(&Key { octets: &[], adapter: Some(&names) })
        })
    }

    /// The name of the server whose run this is.
    pub fn server_of(&self, run: RunId) -> Option<&str> {
        let mut servers = self.servers.iter();
        let found = servers.find(|(_, server)| server.has_run(run));
        found.map(|(name, _)| name.as_str())
    }

    /// When [`Server::tick`] of one of them has something to do.
    pub fn next_tick(&self) -> Option<Time> {
        self.servers.values().filter_map(Server::next_tick).min()
    }
}

/// A change that is not made, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepositoryError {
    /// The definition is wrong in itself.
    Definition(DefinitionError),
    /// There is a server with this name.
    Exists(String),
    /// There is no server with this name.
    Unknown(String),
    /// The server runs.
    Running(String),
    /// Another server has the same pattern.
    PatternTaken {
        /// The pattern.
        pattern: String,
        /// The server that has it.
        owner: String,
    },
    /// There are too many servers.
    Full,
}

impl From<DefinitionError> for RepositoryError {
    fn from(error: DefinitionError) -> Self {
        Self::Definition(error)
    }
}

impl fmt::Display for RepositoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Definition(error) => error.fmt(f),
            Self::Exists(name) => write!(f, "there is a server {name:?} already"),
            Self::Unknown(name) => write!(f, "there is no server {name:?}"),
            Self::Running(name) => write!(f, "the server {name:?} runs; stop it first"),
            Self::PatternTaken { pattern, owner } => {
                write!(f, "the server {owner:?} has the pattern {pattern:?} already")
            }
            Self::Full => write!(f, "the repository knows {MAX_SERVERS} servers, its limit"),
        }
    }
}

impl Error for RepositoryError {}

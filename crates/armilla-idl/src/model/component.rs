//! What the interfaces of components and homes were declared as (CORBA 3.4 Part 3, 6).
//!
//! A component stands in the model as the interface that its equivalent IDL has, a home as three of
//! them. A back end that knows nothing of components sees interfaces.

use super::id::DeclId;
use super::types::Type;
use crate::source::Span;

/// What an interface was declared as.
#[derive(Debug, Clone, Default)]
pub enum Role {
    /// An interface.
    #[default]
    Plain,
    /// A component or a connector.
    Component(Component),
    /// A home.
    Home(Home),
}

/// What a component says beside its equivalent interface.
#[derive(Debug, Clone, Default)]
pub struct Component {
    /// Whether it was declared as a `connector`.
    pub connector: bool,
    /// The component that it inherits from.
    pub base: Option<DeclId>,
    /// The interfaces that it supports, in order.
    pub supports: Vec<DeclId>,
    /// Its own ports, in order; those of port types one by one.
    pub ports: Vec<Port>,
}

/// A port of a component.
#[derive(Debug, Clone)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: PortKind,
    /// Its interface, which may be `Object`, or its event type.
    pub ty: Type,
    /// Where its name stands.
    pub span: Span,
}

/// What a port is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PortKind {
    /// `provides`: a facet.
    Provides,
    /// `uses`: a receptacle for one object.
    Uses,
    /// `uses multiple`: a receptacle for many.
    UsesMultiple,
    /// `emits`: a source of events with one consumer.
    Emits,
    /// `publishes`: a source of events with many consumers.
    Publishes,
    /// `consumes`: a sink of events.
    Consumes,
}

impl PortKind {
    /// The words that IDL has for it.
    pub fn keyword(self) -> &'static str {
        match self {
            PortKind::Provides => "provides",
            PortKind::Uses => "uses",
            PortKind::UsesMultiple => "uses multiple",
            PortKind::Emits => "emits",
            PortKind::Publishes => "publishes",
            PortKind::Consumes => "consumes",
        }
    }
}

/// What a home says beside its equivalent interfaces.
#[derive(Debug, Clone, Default)]
pub struct Home {
    /// The home that it inherits from.
    pub base: Option<DeclId>,
    /// The interfaces that it supports, in order.
    pub supports: Vec<DeclId>,
    /// The component that it manages; nothing is known of it while the home is being declared.
    pub manages: Option<DeclId>,
    /// The valuetype of its primary key.
    pub primary_key: Option<DeclId>,
}

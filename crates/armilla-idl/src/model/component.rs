//! Components and homes (CORBA 3.4 Part 3, 6).
//!
//! In the model a component is the interface of its equivalent IDL, and a home is three interfaces.
//! So a back end needs no support for components.

use super::id::DeclId;
use super::types::Type;
use crate::source::Span;

/// The construct that declared an interface.
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

/// The parts of a component that its equivalent interface does not show.
#[derive(Debug, Clone, Default)]
pub struct Component {
    /// Whether it was declared as a `connector`.
    pub connector: bool,
    /// The component that it inherits from.
    pub base: Option<DeclId>,
    /// The interfaces that it supports, in order.
    pub supports: Vec<DeclId>,
    /// Its own ports, in order; those of port types expanded.
    pub ports: Vec<Port>,
}

/// A port of a component.
#[derive(Debug, Clone)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: PortKind,
    /// Its interface, which may be `Object`, or its event type.
    pub ty: Type,
    /// The span of its name.
    pub span: Span,
}

/// The kind of a port.
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
    /// The keywords of IDL for it.
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

/// The parts of a home that its equivalent interfaces do not show.
#[derive(Debug, Clone, Default)]
pub struct Home {
    /// The home that it inherits from.
    pub base: Option<DeclId>,
    /// The interfaces that it supports, in order.
    pub supports: Vec<DeclId>,
    /// The component that it manages; `None` while the home is being checked.
    pub manages: Option<DeclId>,
    /// The valuetype of its primary key.
    pub primary_key: Option<DeclId>,
}

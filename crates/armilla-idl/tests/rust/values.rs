// Valuetypes, boxes, abstract interfaces and event types.

//= mod drawing > type PrintableRef
/// An object or a value with the interface [`Printable`], or null.
pub type PrintableRef = Option<codegen::Abstract<dyn Printable>>;

//= mod drawing > impl codegen::Valuetype for dyn Printable
impl codegen::Valuetype for dyn Printable {
    const REPOSITORY_ID: &'static str = "IDL:Drawing/Printable:1.0";
    const FAMILY: &'static [codegen::Kind] = &[
        codegen::Kind::of::<Node>(),
        codegen::Kind::of::<Special>(),
    ];
}

//= mod drawing > enum Shape
/// Something with an area.
#[derive(Debug)]
pub enum Shape {}

//= mod drawing > trait ShapeOperations
/// What values of the type [`Shape`] do. A program that uses it implements it for `Value<Shape>`.
pub trait ShapeOperations {
    /// IDL operation `area`.
    fn area(&self) -> Result<f64, codegen::SystemException>;
}

//= mod drawing > struct Node
/// A shape that goes along with what it refers to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// What is written on it.
    pub label: String,
    /// IDL `next`.
    pub next: NodeRef,
    /// IDL `seal`.
    ///
    /// Private in IDL: for what implements the valuetype.
    pub seal: Vec<u8>,
}

//= mod drawing > trait NodeOperations
/// What values of the type [`Node`] do. A program that uses it implements it for `Value<Node>`.
pub trait NodeOperations: ShapeOperations {
    /// Puts another one behind it.
    fn append(
        &self,
        label: &str,
        room: &mut i32,
    ) -> Result<NodeRef, codegen::Error<node::AppendRaises>>;
    /// Reads the attribute `rank`.
    fn rank(&self) -> Result<i32, codegen::SystemException>;
    /// Sets the attribute [`rank`](Self::rank).
    fn set_rank(&self, value: i32) -> Result<(), codegen::SystemException>;
    /// IDL operation `update`.
    fn update_(&self) -> Result<(), codegen::SystemException>;
}

//= mod drawing > trait NodeFactory
/// How values of the type [`Node`] are made. A program that uses it implements it for [`Node`].
pub trait NodeFactory: Sized {
    /// IDL factory `make`.
    fn make(label: &str) -> codegen::Value<Self>;
}

//= mod drawing > struct Special
/// IDL valuetype `Drawing::Special`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Special {
    /// The state of the valuetype that this one inherits from.
    pub base_: Node,
    /// IDL `base`.
    pub base: NodeRef,
    /// IDL `weight`.
    pub weight: f64,
}

//= mod drawing > impl codegen::State for Special
impl codegen::State for Special {
    const IDS: &'static [&'static str] = &[
        "IDL:Drawing/Special:1.0",
        "IDL:Drawing/Node:1.0",
    ];
    fn is(other: ::std::any::TypeId) -> bool {
        [
            ::std::any::TypeId::of::<Self>(),
            ::std::any::TypeId::of::<Node>(),
            ::std::any::TypeId::of::<dyn Printable>(),
            ::std::any::TypeId::of::<Shape>(),
        ]
            .contains(&other)
    }
    fn base_part(&self, wanted: ::std::any::TypeId) -> Option<&dyn ::std::any::Any> {
        codegen::State::part(&self.base_, wanted)
    }
    fn base_part_mut(
        &mut self,
        wanted: ::std::any::TypeId,
    ) -> Option<&mut dyn ::std::any::Any> {
        codegen::State::part_mut(&mut self.base_, wanted)
    }
}

//= mod drawing > struct Name
/// IDL boxed value `Drawing::Name`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Name(pub String);

//= mod drawing > impl codegen::Encode for Sealed
impl codegen::Encode for Sealed {
    fn encode<'p>(&'p self, out: &mut codegen::Encoder<'p>) -> codegen::CdrResult {
        codegen::CustomMarshal::marshal(self, out)
    }
}

//= mod drawing > impl codegen::State for Sealed
impl codegen::State for Sealed {
    const IDS: &'static [&'static str] = &["IDL:Drawing/Sealed:1.0"];
    const CUSTOM: bool = true;
    fn is(other: ::std::any::TypeId) -> bool {
        [::std::any::TypeId::of::<Self>()].contains(&other)
    }
}

//= mod drawing > trait DrawnConsumer > fn push_drawn
/// IDL operation `push_Drawn`.
fn push_drawn(&self, the_drawn: &DrawnRef) -> Result<(), codegen::SystemException>;

//= mod drawing > struct Holder
/// IDL `Drawing::Holder`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Holder {
    /// IDL `title`.
    pub title: NameRef,
    /// IDL `after`.
    pub after: LaterRef,
    /// IDL `anything`.
    pub anything: codegen::ValueBaseRef,
    /// IDL `sheet`.
    pub sheet: PrintableRef,
}

//= mod drawing > trait Board > fn draw
/// IDL operation `draw`.
fn draw(
    &self,
    what: &NodeRef,
    named: &mut NameRef,
) -> Result<(ShapeRef, codegen::ValueBaseRef), codegen::SystemException>;

//= mod drawing > enum Later
/// IDL valuetype `Drawing::Later`.
#[derive(Debug)]
pub enum Later {}

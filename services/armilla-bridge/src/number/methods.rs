//! The methods of an interface that is called by number: those of the view of an interface of CORBA, in the
//! order that the chapter gives them (CORBA 2.3, 17.5), and those of an interface that the IDL of COM has.

use super::shape::{Shape, iid_of};
use super::value::{Elements, Value};
use crate::model::{Mismatch, View, iid};
use armilla::TypeCode;
use armilla::dynamic::ParameterMode;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Decoder, NdrError};
use armilla_idl::model::{
    ComBase, ComBound, ComBounds, ComInterface, ComMember, ComMethod, DeclId, DeclKind, Direction,
    Model as Idl,
};
use armilla_ifr::model::{DefId, Kind, Model, ModelError, Signature};
use std::collections::HashMap;
use std::sync::Arc;

/// The numbers that parameters hold, by their names.
type Numbers = HashMap<String, i64>;

/// The number of the first method behind those of `IUnknown`.
const FIRST: u16 = 3;

/// Where a result of COM is in CORBA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Parameter(usize),
    Result,
}

/// The user exceptions of an interface.
#[derive(Debug, PartialEq)]
pub(crate) struct Raises {
    /// The interface of the objects that stand for them.
    pub(crate) iid: Uuid,
    /// Each with its members; `None` if they do not travel.
    pub(crate) exceptions: Vec<(TypeCode, Option<Shape>)>,
}

/// A method.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Method {
    pub(crate) signature: Arc<Signature>,
    pub(crate) opnum: u16,
    /// What it is given: which parameters of the operation these are.
    pub(crate) given: Vec<(usize, Shape)>,
    /// What it gives.
    pub(crate) taken: Vec<(Place, Shape)>,
    /// The exceptions, for a view of an operation that raises some.
    pub(crate) raises: Option<Arc<Raises>>,
    /// Whether the result of the operation is the HRESULT: which success it was.
    pub(crate) success: bool,
    /// Whether all its values travel.
    pub(crate) travels: bool,
    /// The parameters of a method of COM, some of which are the sizes of others.
    parameters: Vec<Counted>,
}

/// A parameter of a method of COM.
#[derive(Debug, Clone, PartialEq)]
struct Counted {
    name: String,
    given: Option<usize>,
    taken: Option<usize>,
    /// What is said of its outermost array.
    bounds: ComBounds,
}

/// An interface that is called by number.
#[derive(Debug, PartialEq)]
pub(crate) struct Numbered {
    pub(crate) iid: Uuid,
    pub(crate) methods: Vec<Method>,
}

impl Method {
    /// Reads what it is given.
    pub(crate) fn read_given(&self, input: &mut Decoder<'_>) -> Result<Vec<Value>, NdrError> {
        self.given.iter().map(|(_, shape)| Value::read(shape, input)).collect()
    }

    /// Reads what it gives.
    pub(crate) fn read_taken(&self, input: &mut Decoder<'_>) -> Result<Vec<Value>, NdrError> {
        self.taken.iter().map(|(_, shape)| Value::read(shape, input)).collect()
    }

    /// The numbers among what it is given.
    pub(crate) fn numbers(&self, given: &[Value]) -> Numbers {
        let number = |it: &Counted| Some((it.name.clone(), given.get(it.given?)?.number()?));
        self.parameters.iter().filter_map(number).collect()
    }

    /// Compares the arrays that it is given with what says how many elements they have (`size_is`).
    pub(crate) fn check_given(&self, given: &[Value], numbers: &Numbers) -> Result<(), Mismatch> {
        self.check(given, numbers, |it| it.given)
    }

    /// The same for those that it gives.
    pub(crate) fn check_taken(&self, taken: &[Value], numbers: &Numbers) -> Result<(), Mismatch> {
        self.check(taken, &self.numbers_taken(taken, numbers), |it| it.taken)
    }

    /// The same for arrays that come from CORBA: those of which a part travels are told first where that
    /// begins, and how many elements there could be.
    pub(crate) fn place_given(
        &self,
        given: &mut [Value],
        numbers: &Numbers,
    ) -> Result<(), Mismatch> {
        self.place(given, numbers, |it| it.given);
        self.check_given(given, numbers)
    }

    /// The same for those that it gives.
    pub(crate) fn place_taken(
        &self,
        taken: &mut [Value],
        numbers: &Numbers,
    ) -> Result<(), Mismatch> {
        let numbers = self.numbers_taken(taken, numbers);
        self.place(taken, &numbers, |it| it.taken);
        self.check(taken, &numbers, |it| it.taken)
    }

    fn numbers_taken(&self, taken: &[Value], numbers: &Numbers) -> Numbers {
        let number = |it: &Counted| Some((it.name.clone(), taken.get(it.taken?)?.number()?));
        let mut numbers = numbers.clone();
        numbers.extend(self.parameters.iter().filter_map(number));
        numbers
    }

    fn place(
        &self,
        values: &mut [Value],
        numbers: &Numbers,
        place: impl Fn(&Counted) -> Option<usize>,
    ) {
        for it in &self.parameters {
            let array = place(it).and_then(|at| values.get_mut(at));
            let Some(array) = array.and_then(Value::as_elements_mut) else { continue };
            let says = |bound: &Option<ComBound>| {
                let says = bound.as_ref()?.count.value(&|name| numbers.get(name).copied());
                says.and_then(|says| u32::try_from(says).ok())
            };
            array.first = says(&it.bounds.first).unwrap_or_default();
            let count = u32::try_from(array.values.len()).unwrap_or(u32::MAX);
            let needed = array.first.saturating_add(count);
            array.room = says(&it.bounds.size).unwrap_or_default().max(needed);
        }
    }

    fn check(
        &self,
        values: &[Value],
        numbers: &Numbers,
        place: impl Fn(&Counted) -> Option<usize>,
    ) -> Result<(), Mismatch> {
        for it in &self.parameters {
            let array = place(it).and_then(|at| values.get(at)).and_then(Value::as_elements);
            let Some(Elements { varying, room, first, values, .. }) = array else { continue };
            let ComBounds { size, first: begins, length } = &it.bounds;
            let compare = |bound: &Option<ComBound>, is: i64, what: &dyn Fn(&str) -> String| {
                let Some(ComBound { text, count }) = bound else { return Ok(()) };
                let says = count.value(&|name| numbers.get(name).copied());
                if says == Some(is) {
                    return Ok(());
                }
                let says = says.map_or("no number".to_owned(), |says| says.to_string());
                let why = format!("it {}, and `{text}` says {says}", what(&is.to_string()));
                Err(Mismatch::range(why).within(&it.name))
            };
            let count = i64::try_from(values.len()).unwrap_or(i64::MAX);
            let elements = |is: &str| format!("has {is} elements");
            if !varying {
                compare(size, count, &elements)?;
                continue;
            }
            compare(size, (*room).into(), &|is| format!("has room for {is} elements"))?;
            let begin = |is: &str| format!("begins with element {is}");
            match (begins, length) {
                (None, Some(_)) if *first != 0 => {
                    let why = format!("it {}, and has no `first_is`", begin(&first.to_string()));
                    return Err(Mismatch::range(why).within(&it.name));
                }
                _ => compare(begins, (*first).into(), &begin)?,
            }
            compare(length, count, &elements)?;
        }
        Ok(())
    }

    fn of_corba(signature: Signature, opnum: u16, raises: &Arc<Raises>) -> Self {
        let mut method = Self {
            signature: Arc::default(),
            opnum,
            given: Vec::new(),
            taken: Vec::new(),
            raises: (!signature.exceptions.is_empty()).then(|| raises.clone()),
            success: false,
            travels: true,
            parameters: Vec::new(),
        };
        for (index, (_, mode, code)) in signature.parameters.iter().enumerate() {
            let Some(shape) = of_corba(code) else {
                method.travels = false;
                continue;
            };
            if *mode != ParameterMode::Out {
                method.given.push((index, shape.clone()));
            }
            if *mode != ParameterMode::In {
                method.taken.push((Place::Parameter(index), shape));
            }
        }
        if !matches!(signature.result, TypeCode::Void) {
            match of_corba(&signature.result) {
                Some(shape) => method.taken.push((Place::Result, shape)),
                None => method.travels = false,
            }
        }
        method.signature = Arc::new(signature);
        method
    }

    /// A method of COM that is an operation of CORBA: their parameters are the same in their order, but for
    /// the result, which is the `retval` or the last `out` of COM. If there is neither, and the method
    /// succeeds in several ways, the result is the HRESULT.
    fn of_com(model: &Idl, com: &ComMethod, signature: &Signature) -> Result<Self, String> {
        let name = com.full_name();
        let unlike = |what: &str| format!("`{name}` and `{}`: {what}", signature.operation);
        let mut expected = signature.parameters.iter().enumerate();
        let mut result = !matches!(signature.result, TypeCode::Void);
        let (mut given, mut taken) = (Vec::new(), Vec::new());
        let mut parameters: Vec<Counted> = Vec::new();
        let count = com.parameters.len();
        for (position, parameter) in com.parameters.iter().enumerate() {
            let Some(shape) = Shape::of_com(model, &parameter.ty, 0) else {
                let what = "has a type that only programs of COM have";
                return Err(unlike(&format!("`{}` {what}", parameter.name)));
            };
            let out = parameter.direction == Direction::Out;
            parameters.push(Counted {
                name: parameter.name.clone(),
                given: (!out).then_some(given.len()),
                taken: (parameter.direction != Direction::In).then_some(taken.len()),
                bounds: parameter.bounds.first().cloned().unwrap_or_default(),
            });
            let last = position + 1 == count && expected.len() == 0;
            if result && out && (parameter.retval || last) {
                result = false;
                taken.push((Place::Result, shape));
                continue;
            }
            let Some((index, (_, mode, _))) = expected.next() else {
                return Err(unlike(&format!("`{}` has no counterpart", parameter.name)));
            };
            let same = match parameter.direction {
                Direction::In => *mode == ParameterMode::In,
                Direction::Out => *mode == ParameterMode::Out,
                Direction::InOut => *mode == ParameterMode::InOut,
            };
            if !same {
                return Err(unlike(&format!("`{}` has another direction", parameter.name)));
            }
            if parameter.direction != Direction::Out {
                given.push((index, shape.clone()));
            }
            if parameter.direction != Direction::In {
                taken.push((Place::Parameter(index), shape));
            }
        }
        if let Some((_, (missing, ..))) = expected.next() {
            return Err(unlike(&format!("`{missing}` has no counterpart")));
        }
        let number = matches!(signature.result, TypeCode::Long | TypeCode::ULong);
        let success = result && com.success_codes && number;
        if result && !success {
            return Err(unlike("no `out` parameter is the result"));
        }
        let (signature, raises) = (Arc::new(signature.clone()), None);
        let opnum = com.opnum;
        Ok(Self { signature, opnum, given, taken, raises, success, travels: true, parameters })
    }
}

fn of_corba(code: &TypeCode) -> Option<Shape> {
    Shape::of_corba(code, &|id| iid(id, View::Com))
}

impl Numbered {
    /// The method with a number.
    pub(crate) fn method(&self, opnum: u16) -> Option<&Method> {
        self.methods.iter().find(|method| method.opnum == opnum)
    }

    /// The method that is an operation.
    pub(crate) fn of_operation(&self, operation: &str) -> Option<&Method> {
        self.methods.iter().find(|method| method.signature.operation == operation)
    }

    /// The view of an interface of CORBA. One with a single base inherits the view of that; one with
    /// several inherits none, and its objects have theirs, too.
    pub(crate) fn of_corba(model: &Model, interface: DefId) -> Result<Self, ModelError> {
        let own_id = model.definition(interface)?.id.clone();
        let mut methods = Vec::new();
        for interface in path(model, interface)? {
            let signatures = in_order(model.own_signatures(interface)?);
            let id = &model.definition(interface)?.id;
            let raises = Arc::new(Raises::of(id, &signatures));
            for signature in signatures {
                let opnum = FIRST + u16::try_from(methods.len()).unwrap_or(u16::MAX - FIRST);
                methods.push(Method::of_corba(signature, opnum, &raises));
            }
        }
        Ok(Self { iid: iid(&own_id, View::Com), methods })
    }

    /// An interface of COM, for the operations of one of CORBA.
    pub(crate) fn of_com(
        model: &Idl,
        id: DeclId,
        signatures: &[Signature],
    ) -> Result<Self, String> {
        let all = methods_of(model, id);
        let methods = signatures.iter().map(|signature| {
            let found = all.iter().find(|method| is_operation(method, &signature.operation));
            let missing = || format!("it has no method `{}`", signature.operation);
            Method::of_com(model, found.ok_or_else(missing)?, signature)
        });
        let methods = methods.collect::<Result<_, _>>()?;
        let iid = iid_of(model, id).ok_or("it has no IID")?;
        Ok(Self { iid, methods })
    }
}

/// The interfaces that a view inherits from, the first one first, and the interface itself.
fn path(model: &Model, interface: DefId) -> Result<Vec<DefId>, ModelError> {
    let mut path = vec![interface];
    while let Kind::Interface { bases, .. } = &model.definition(path[path.len() - 1])?.kind
        && let [base] = bases[..]
    {
        path.push(base);
    }
    path.reverse();
    Ok(path)
}

/// Operations by their names, then attributes by theirs, each read before it is written.
pub(super) fn in_order(mut signatures: Vec<Signature>) -> Vec<Signature> {
    let attribute = |operation: &str| {
        let name = operation.strip_prefix("_get_").or_else(|| operation.strip_prefix("_set_"));
        name.map(str::to_owned)
    };
    signatures.sort_by_cached_key(|signature| match attribute(&signature.operation) {
        Some(name) => (true, name, signature.operation.starts_with("_set_")),
        None => (false, signature.operation.clone(), false),
    });
    signatures
}

impl Raises {
    pub(super) fn of(repository_id: &str, signatures: &[Signature]) -> Self {
        let mut exceptions: Vec<(TypeCode, Option<Shape>)> = Vec::new();
        for code in signatures.iter().flat_map(|signature| &signature.exceptions) {
            if !exceptions.iter().any(|(known, _)| known.id() == code.id()) {
                exceptions.push((code.clone(), of_corba(code)));
            }
        }
        Self { iid: iid(&Self::repository_id(repository_id), View::Com), exceptions }
    }

    /// Of what the IID is the digest.
    fn repository_id(interface: &str) -> String {
        match interface.rsplit_once(':') {
            Some((name, version)) => format!("{name}UserExceptions:{version}"),
            None => format!("{interface}UserExceptions"),
        }
    }

    /// What a parameter for exceptions is: null, or what kind it is, its repository id, and its object.
    pub(crate) fn shape() -> Shape {
        let id = Shape::WideString.unique();
        Shape::Struct([Shape::U2, id, Shape::Interface].into()).unique()
    }
}

/// The methods of an interface of COM with those that it inherits.
fn methods_of(model: &Idl, id: DeclId) -> Vec<&ComMethod> {
    let mut all = Vec::new();
    let mut next = Some(id);
    while let Some(id) = next
        && let DeclKind::Com(ComInterface { base, methods, .. }) = &model.get(id).kind
    {
        all.extend(methods);
        next = match base {
            ComBase::Interface(base) => Some(*base),
            _ => None,
        };
    }
    all
}

/// Whether a method of COM is an operation: neither case nor underscores count.
fn is_operation(method: &ComMethod, operation: &str) -> bool {
    let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let (name, member) = match (operation.strip_prefix("_get_"), operation.strip_prefix("_set_")) {
        (Some(name), _) => (name, ComMember::Get),
        (_, Some(name)) => (name, ComMember::Put),
        _ => (operation, ComMember::Method),
    };
    let alike = plain(&method.name) == plain(name);
    // Without `propget` the names say what it is.
    let prefixed = |prefix: &str| plain(&method.name) == format!("{prefix}{}", plain(name));
    match member {
        ComMember::Method => alike && method.member == ComMember::Method,
        ComMember::Get => alike && method.member == ComMember::Get || prefixed("get"),
        ComMember::Put => {
            alike && method.member == ComMember::Put || prefixed("put") || prefixed("set")
        }
    }
}

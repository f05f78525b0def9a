//! Objects that are called by name, and collections (MS-OAUT 3.1.4, 3.3.4).

use super::object::{Object, ObjectCall};
use super::type_info::{class_info, type_info};
use crate::automation::dispatch::{
    CountIn, DISPATCH, ENUM_VARIANT, EnumClone, EnumNext, EnumNextOut, EnumReset, EnumSkip,
    ExceptionInfo, GetIdsOfNames, GetTypeInfo, GetTypeInfoCount, Invoke, InvokeIn, InvokeOut,
    NO_MEMBER, NamesIn, NamesOut, PointerOut, TypeInfoCount, TypeInfoIn, TypeInfoOut,
};
use crate::automation::type_info::TypeLibrary;
use crate::automation::type_info::wire::PROVIDE_CLASS_INFO;
use crate::automation::{Variant, VariantPointer};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{ConformantVarying, Operation, Unique};
use armilla_dcerpc::{Status, Uuid};
use std::sync::{Mutex, PoisonError};

/// How many names and arguments a call may have.
const MOST_ARGUMENTS: usize = 256;

/// An object that scripts call by name. Its methods are called by several threads at once.
pub trait Scriptable: Send + Sync + 'static {
    /// The number of a member. Scripts do not distinguish upper and lower case.
    fn member(&self, name: &str) -> Option<i32>;

    /// The number of a parameter of a member, for arguments with names.
    fn parameter(&self, _member: i32, _name: &str) -> Option<i32> {
        None
    }

    /// What the object has, for programs that ask; the first type is the interface of its members.
    /// With `None` it does not say.
    fn description(&self) -> Option<Arc<TypeLibrary>> {
        None
    }

    /// Invokes a member. It may change arguments that are references.
    ///
    /// # Errors
    ///
    /// What the script is told.
    fn invoke(&self, invocation: &mut Invocation<'_>) -> Result<Variant, Failure>;
}

/// A member is invoked.
#[derive(Debug)]
pub struct Invocation<'a> {
    /// The number of the member.
    pub member: i32,
    /// How: see [`flags`](crate::automation::dispatch::flags).
    pub flags: u32,
    /// The language of the script.
    pub locale: u32,
    /// The arguments without names, in the order of the parameters. The new value of a property is
    /// the last one.
    pub arguments: Vec<Variant>,
    /// The arguments with names, by the numbers of their parameters.
    pub named: Vec<(i32, Variant)>,
    /// The call.
    pub call: &'a ObjectCall<'a>,
}

/// Why a member failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// An HRESULT, such as [`Status::MEMBER_NOT_FOUND`].
    Status(Status),
    /// An argument is wrong: an HRESULT, and which one, in the order of the parameters from 0.
    Argument(Status, u32),
    /// The member itself failed.
    Exception {
        /// The program.
        source: String,
        /// What happened.
        description: String,
        /// The HRESULT that a script sees.
        status: Status,
    },
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Status(status)
    }
}

/// An object that is called by name, as one that has `IDispatch`.
#[derive(Debug)]
pub struct Dispatched<T>(pub T);

impl<T: Scriptable> Object for Dispatched<T> {
    fn supports(&self, iid: Uuid) -> bool {
        let class = || self.0.description().is_some_and(|it| it.class().is_some());
        iid == DISPATCH.uuid || (iid == PROVIDE_CLASS_INFO.uuid && class())
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        if call.iid == PROVIDE_CLASS_INFO.uuid {
            return class_info(call, self.0.description().ok_or(Status::NOT_IMPLEMENTED)?);
        }
        match call.opnum {
            GetTypeInfoCount::OPNUM => {
                call.answer(&TypeInfoCount { count: self.0.description().is_some().into() })
            }
            GetTypeInfo::OPNUM => {
                let TypeInfoIn { index, .. } = call.arguments()?;
                let library = self.0.description().ok_or(Status::NOT_IMPLEMENTED)?;
                let info = match index {
                    0 => type_info(call, &library, 0)?,
                    _ => return Err(Status::BAD_INDEX),
                };
                call.answer(&TypeInfoOut { info: Unique::new(info) })
            }
            GetIdsOfNames::OPNUM => names(&self.0, call),
            Invoke::OPNUM => invoke(&self.0, call),
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}

fn names(object: &impl Scriptable, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    let NamesIn { names, .. } = call.arguments()?;
    if names.0.is_empty() || names.0.len() > MOST_ARGUMENTS {
        return Err(Status::INVALID_ARGUMENT);
    }
    let texts =
        names.0.iter().map(|name| name.get().map(|name| name.to_text()).unwrap_or_default());
    let texts: Vec<String> = texts.collect();
    let member = object.member(&texts[0]);
    let parameter = |name: &String| member.and_then(|member| object.parameter(member, name));
    let rest = texts[1..].iter().map(parameter);
    let found: Vec<_> = core::iter::once(member).chain(rest).collect();
    let all = found.iter().all(Option::is_some);
    let ids: Vec<_> = found.into_iter().map(|id| id.unwrap_or(NO_MEMBER)).collect();
    let result = if all { Status::OK } else { Status::UNKNOWN_NAME };
    call.answer_with(&NamesOut { ids: ids.into() }, result)
}

fn invoke(object: &impl Scriptable, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
    let given: InvokeIn = call.arguments()?;
    let values = given.arguments.values.into_inner().map_or(Vec::new(), |values| values.0);
    let named = given.arguments.named.into_inner().map_or(Vec::new(), |named| named.0);
    if values.len() > MOST_ARGUMENTS || named.len() > values.len() {
        return Err(Status::BAD_PARAMETER_COUNT);
    }
    let mut values: Vec<_> = values.into_iter().map(VariantPointer::into_variant).collect();
    // References stand apart; their places among the arguments are empty.
    let indices: Vec<usize> = given.reference_indices.0.iter().map(|it| *it as usize).collect();
    for (place, value) in indices.iter().zip(given.references.0) {
        *values.get_mut(*place).ok_or(Status::BAD_PARAMETER_COUNT)? = value.into_variant();
    }
    let count = named.len();
    let mut unnamed = values.split_off(count);
    unnamed.reverse();
    let mut numbers: Vec<(i32, Variant)> = named.into_iter().zip(values).collect();
    // The new value of a property has a number in place of a name.
    if let [(crate::automation::dispatch::NEW_VALUE, _)] = numbers[..]
        && let Some((_, value)) = numbers.pop()
    {
        unnamed.push(value);
    }
    let total = unnamed.len() + numbers.len();
    // Arguments travel backwards, and those with names before the others.
    let named_numbers: Vec<i32> = numbers.iter().map(|(number, _)| *number).collect();
    let travels_at = |which: u32| {
        let back = total.checked_sub(which as usize + 1);
        let named = named_numbers.iter().position(|number| u32::try_from(*number) == Ok(which));
        named.or(back).map_or(which, |at| at as u32)
    };
    let new_value = numbers.len() != count;
    let mut invocation = Invocation {
        member: given.member,
        flags: given.flags,
        locale: given.locale,
        arguments: unnamed,
        named: numbers,
        call,
    };
    let done = object.invoke(&mut invocation);
    // Where an argument is now that came at a place from behind.
    let Invocation { arguments, named, .. } = &invocation;
    let now = |place: usize| match place.checked_sub(named.len()) {
        None => named.get(place).map(|(_, value)| value),
        Some(0) if new_value => arguments.last(),
        Some(back) => arguments.len().checked_sub(back + 1).and_then(|at| arguments.get(at)),
    };
    let changed = |place: &usize| {
        let value = now(*place).filter(|_| *place < total);
        VariantPointer::from(value.cloned().unwrap_or_default())
    };
    let references: Vec<_> = indices.iter().map(changed).collect();
    let mut out = InvokeOut {
        result: Variant::Empty.into(),
        exception: ExceptionInfo::none(),
        argument_error: 0,
        references: references.into(),
    };
    let result = match done {
        Ok(value) => {
            out.result = value.into();
            Status::OK
        }
        Err(Failure::Status(status)) => {
            // No argument has that number: it is not said which one is meant.
            out.argument_error = u32::MAX;
            status
        }
        Err(Failure::Argument(status, which)) => {
            out.argument_error = travels_at(which);
            status
        }
        Err(Failure::Exception { source, description, status }) => {
            out.exception = ExceptionInfo::new(&source, &description, status.0);
            Status::EXCEPTION
        }
    };
    call.answer_with(&out, result)
}

/// The elements of a collection, some at a time (`IEnumVARIANT`).
#[derive(Debug)]
pub struct Enumerator {
    elements: Arc<[Variant]>,
    at: Mutex<usize>,
}

/// How many elements a client gets at once.
const MOST_ELEMENTS: usize = 0x1_0000;

impl Enumerator {
    /// An enumerator of these elements.
    pub fn new(elements: impl Into<Arc<[Variant]>>) -> Self {
        Self { elements: elements.into(), at: Mutex::new(0) }
    }

    /// Goes on by `count`, or to the end; returns the elements passed. It stays where it is if these are
    /// more than `most`: fewer than were asked for would mean that there are no more.
    fn pass(&self, count: u32, most: usize) -> Result<&[Variant], Status> {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, end) = (*at, at.saturating_add(count as usize).min(self.elements.len()));
        if end - from > most {
            return Err(Status::OUT_OF_MEMORY);
        }
        *at = end;
        Ok(&self.elements[from..end])
    }
}

/// Whether there were as many as wanted.
fn whether(all: bool) -> Status {
    if all { Status::OK } else { Status::FALSE }
}

impl Object for Enumerator {
    fn supports(&self, iid: Uuid) -> bool {
        iid == ENUM_VARIANT.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.opnum {
            EnumNext::OPNUM => {
                let CountIn { count } = call.arguments()?;
                let passed = self.pass(count, MOST_ELEMENTS)?;
                let values: Vec<_> = passed.iter().cloned().map(VariantPointer::from).collect();
                let got = values.len() as u32;
                let elements = ConformantVarying { maximum: count, first: 0, values };
                call.answer_with(&EnumNextOut { elements, count: got }, whether(got == count))
            }
            EnumSkip::OPNUM => {
                let CountIn { count } = call.arguments()?;
                let passed = self.pass(count, usize::MAX)?.len();
                call.answer_with(&(), whether(passed == count as usize))
            }
            EnumReset::OPNUM => {
                *self.at.lock().unwrap_or_else(PoisonError::into_inner) = 0;
                call.answer(&())
            }
            EnumClone::OPNUM => {
                let at = *self.at.lock().unwrap_or_else(PoisonError::into_inner);
                let clone = Self { elements: self.elements.clone(), at: Mutex::new(at) };
                let pointer = call.exports.pointer(Arc::new(clone), ENUM_VARIANT.uuid)?;
                call.answer(&PointerOut { pointer: Unique::new(pointer) })
            }
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}

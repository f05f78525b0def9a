//! A struct, a union or an exception as an object of COM, whose properties its members are
//! (CORBA 2.3, 19.8.4 to 19.8.9).

use crate::ground::Ground;
use crate::model::{Mismatch, from_variant, to_variant};
use armilla::TypeCode;
use armilla::dynamic::DynAny;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::{DISPATCH, flags};
use armilla_dcom::server::{
    Dispatched, Failure, Invocation, Object as ComObject, ObjectCall, Scriptable,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The interface of all values with members.
const COMPLEX_TYPE: Uuid = Uuid::literal("a8b553c0-3b72-11cf-bbfc-444553540000");

/// The members that every such object has, with negative numbers.
const OF_ALL: [(&str, i32); 4] = [
    ("INSTANCE_repositoryId", -1001),
    ("INSTANCE_clone", -1002),
    ("UNION_d", -1003),
    ("EX_Id", -1001),
];

/// A value with members as an object.
pub(crate) struct Complex(Dispatched<Members>);

struct Members {
    bridge: Arc<dyn Ground>,
    names: Vec<String>,
    value: Mutex<DynAny>,
}

impl Complex {
    pub(crate) fn new(bridge: Arc<dyn Ground>, value: DynAny) -> Arc<Self> {
        let names = names(&value.type_code());
        let value = Mutex::new(value);
        Arc::new(Self(Dispatched(Members { bridge, names, value })))
    }

    /// The value as it is now.
    pub(crate) fn value(&self) -> MutexGuard<'_, DynAny> {
        self.0.0.value()
    }
}

/// The names of the members of a type.
fn names(code: &TypeCode) -> Vec<String> {
    match code.resolved() {
        TypeCode::Struct(code) | TypeCode::Exception(code) => {
            code.members.iter().map(|member| member.name.clone()).collect()
        }
        TypeCode::Union(code) => {
            let mut names: Vec<String> = Vec::new();
            for case in &code.cases {
                if !names.contains(&case.name) {
                    names.push(case.name.clone());
                }
            }
            names
        }
        _ => Vec::new(),
    }
}

impl ComObject for Complex {
    fn supports(&self, iid: Uuid) -> bool {
        iid == DISPATCH.uuid || iid == COMPLEX_TYPE
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        self.0.call(call)
    }
}

impl Scriptable for Members {
    fn member(&self, name: &str) -> Option<i32> {
        let own = self.names.iter().position(|known| known.eq_ignore_ascii_case(name));
        if let Some(own) = own {
            return i32::try_from(own + 1).ok();
        }
        let found = OF_ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, number)| *number)
    }

    fn invoke(&self, invocation: &mut Invocation<'_>) -> Result<Variant, Failure> {
        let puts = invocation.flags & (flags::PUT | flags::PUT_REFERENCE) != 0;
        let done = match (invocation.member, puts) {
            (-1001, false) => {
                let code = self.value().type_code();
                Ok(Variant::from(code.id().unwrap_or_default()))
            }
            (-1002, false) => self.cloned(),
            (-1003, false) => self.discriminator(),
            (number, puts) => {
                let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                let name = place.and_then(|place| self.names.get(place));
                let name = name.ok_or(Status::MEMBER_NOT_FOUND)?;
                match puts {
                    true => {
                        let given =
                            invocation.arguments.last().ok_or(Status::BAD_PARAMETER_COUNT)?;
                        self.put(name, given).map(|()| Variant::Empty)
                    }
                    false => self.get(name),
                }
            }
        };
        done.map_err(|Mismatch { status, what }| Failure::Exception {
            source: "CORBA".to_owned(),
            description: what,
            status,
        })
    }
}

impl Members {
    fn value(&self) -> MutexGuard<'_, DynAny> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of a member. Nothing crosses under the lock.
    fn copy_of(&self, name: &str) -> Result<DynAny, Mismatch> {
        let mut value = self.value();
        let code = value.type_code();
        let found = match code.resolved() {
            TypeCode::Union(_) => {
                let mut union = value.as_union()?;
                let selected = union.member_name().as_deref() == Some(name);
                union.member().filter(|_| selected).map(|member| member.copy()).transpose()?
            }
            _ => value.as_struct()?.member(name).map(|member| member.copy()).transpose()?,
        };
        found.ok_or_else(|| Mismatch::ty(format!("the union does not hold {name} now")))
    }

    fn get(&self, name: &str) -> Result<Variant, Mismatch> {
        to_variant(&mut self.copy_of(name)?, &*self.bridge)
    }

    fn put(&self, name: &str, given: &Variant) -> Result<(), Mismatch> {
        let code = self.value().type_code();
        let wanted = match code.resolved() {
            TypeCode::Union(code) => code.cases.iter().find(|it| it.name == name).map(|it| &it.ty),
            TypeCode::Struct(code) | TypeCode::Exception(code) => {
                code.members.iter().find(|it| it.name == name).map(|it| &it.ty)
            }
            _ => None,
        };
        let wanted = wanted.ok_or_else(|| Mismatch::ty(format!("there is no {name}")))?;
        let new = from_variant(given, wanted, &*self.bridge)?;
        let mut value = self.value();
        if let TypeCode::Union(_) = code.resolved() {
            let mut union = value.as_union()?;
            union.set_member_name(name)?;
            return Ok(union.member().map_or(Ok(()), |member| member.assign(&new))?);
        }
        Ok(value.as_struct()?.member(name).map_or(Ok(()), |member| member.assign(&new))?)
    }

    fn cloned(&self) -> Result<Variant, Mismatch> {
        let copy = self.value().copy()?;
        self.bridge.with_members(copy).map(|pointer| Variant::Dispatch(Some(pointer)))
    }

    fn discriminator(&self) -> Result<Variant, Mismatch> {
        let mut discriminator = self.value().as_union()?.discriminator()?;
        to_variant(&mut discriminator, &*self.bridge)
    }
}

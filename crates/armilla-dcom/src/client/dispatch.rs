//! Calls by name (MS-OAUT 3.1.4), and collections.

use super::error::{Cause, Error, Step};
use super::proxy::Proxy;
use crate::automation::dispatch::{
    Arguments, CountIn, EnumNext, GetIdsOfNames, Invoke, InvokeIn, NEW_VALUE, NamesIn, flags,
};
use crate::automation::{Variant, VariantPointer};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Unique, WideString};
use armilla_dcerpc::{Status, Uuid};

/// How many elements of a collection are fetched at once.
const PART: u32 = 64;

/// The language that neither side cares about.
const NEUTRAL: u32 = 0;

impl Proxy {
    /// The number of a member of an object that has `IDispatch`.
    ///
    /// # Errors
    ///
    /// See [`Error`]; [`Status::UNKNOWN_NAME`] if there is no such member.
    pub fn member(&self, name: &str) -> Result<i32, Error> {
        let names = vec![Unique::new(WideString::from(name))].into();
        let given = NamesIn { reserved: Uuid::NIL, names, count: 1, locale: NEUTRAL };
        let (found, status) = self.call_with_status::<GetIdsOfNames>(&given)?;
        let failed = |cause| self.error(format!("the member {name}"), cause);
        match found.ids.0.first() {
            _ if status.is_failure() => Err(failed(Cause::Status(status))),
            Some(member) => Ok(*member),
            None => Err(failed(Cause::Missing("numbers"))),
        }
    }

    /// Calls a method by its name, with arguments in the order of its parameters.
    ///
    /// # Errors
    ///
    /// See [`Error`]; [`Cause::Exception`] if the method itself failed.
    pub fn call_by_name(&self, name: &str, arguments: &[Variant]) -> Result<Variant, Error> {
        // Programs in Basic do not distinguish a function from a property with parameters.
        self.named(name, flags::METHOD | flags::GET, arguments)
    }

    /// Invokes a member by its name, which errors say.
    fn named(&self, name: &str, how: u32, arguments: &[Variant]) -> Result<Variant, Error> {
        let member = self.member(name)?;
        self.invoke_as(name, (member, how), &mut arguments.to_vec())
    }

    /// The value of a property.
    ///
    /// # Errors
    ///
    /// As for [`call_by_name`](Self::call_by_name).
    pub fn get(&self, name: &str) -> Result<Variant, Error> {
        self.named(name, flags::GET, &[])
    }

    /// Sets the value of a property.
    ///
    /// # Errors
    ///
    /// As for [`call_by_name`](Self::call_by_name).
    pub fn put(&self, name: &str, value: Variant) -> Result<(), Error> {
        self.named(name, flags::PUT, &[value]).map(|_| ())
    }

    /// Invokes a member by its number. For [`flags::PUT`] the last argument is the new value.
    ///
    /// # Errors
    ///
    /// As for [`call_by_name`](Self::call_by_name).
    pub fn invoke(&self, member: i32, how: u32, arguments: &[Variant]) -> Result<Variant, Error> {
        self.invoke_changing(member, how, &mut arguments.to_vec())
    }

    /// The same; arguments that are references become what the member leaves in them.
    ///
    /// # Errors
    ///
    /// As for [`call_by_name`](Self::call_by_name).
    pub fn invoke_changing(
        &self,
        member: i32,
        how: u32,
        arguments: &mut [Variant],
    ) -> Result<Variant, Error> {
        self.invoke_as(&member.to_string(), (member, how), arguments)
    }

    fn invoke_as(
        &self,
        name: &str,
        (member, how): (i32, u32),
        arguments: &mut [Variant],
    ) -> Result<Variant, Error> {
        let puts = how & (flags::PUT | flags::PUT_REFERENCE) != 0;
        let named = if puts { Unique::new(vec![NEW_VALUE].into()) } else { Unique::NULL };
        let backwards = || arguments.iter().rev();
        let values: Vec<_> = backwards()
            .map(|value| match value {
                // References travel apart.
                Variant::Reference(_) | Variant::VariantReference(_) => Variant::Empty.into(),
                value => VariantPointer::from(value.clone()),
            })
            .collect();
        let references = backwards().enumerate().filter(|(_, value)| {
            matches!(value, Variant::Reference(_) | Variant::VariantReference(_))
        });
        let (indices, references): (Vec<u32>, Vec<_>) = references
            .map(|(place, value)| (place as u32, VariantPointer::from(value.clone())))
            .unzip();
        let count = values.len() as u32;
        let places = indices.clone();
        let given = InvokeIn {
            member,
            reserved: Uuid::NIL,
            locale: NEUTRAL,
            flags: how,
            arguments: Arguments {
                values: if values.is_empty() { Unique::NULL } else { Unique::new(values.into()) },
                named,
                count,
                named_count: puts.into(),
            },
            reference_count: references.len() as u32,
            reference_indices: indices.into(),
            references: references.into(),
        };
        let (out, status) = self.call_with_status::<Invoke>(&given)?;
        let failed = |cause| Err(self.error(format!("the member {name}"), cause));
        match status {
            Status::EXCEPTION => failed(Cause::Exception {
                source: out.exception.source.to_text(),
                description: out.exception.description.to_text(),
                status: Status(out.exception.status),
            }),
            Status::TYPE_MISMATCH | Status::PARAMETER_NOT_FOUND | Status::OVERFLOW => {
                // Arguments are counted backwards.
                let which = arguments.len().checked_sub(out.argument_error as usize);
                let argument = which.filter(|which| *which > 0);
                let argument = argument.map_or(String::new(), |it| format!("argument {it} of "));
                Err(self.error(format!("{argument}the member {name}"), Cause::Status(status)))
            }
            status if status.is_failure() => failed(Cause::Status(status)),
            _ => {
                for (place, changed) in places.iter().zip(out.references.0) {
                    let at = arguments.len().checked_sub(*place as usize + 1);
                    if let Some(argument) = at.and_then(|at| arguments.get_mut(at)) {
                        *argument = changed.into_variant();
                    }
                }
                Ok(out.result.into_variant())
            }
        }
    }

    /// The elements that an enumerator (`IEnumVARIANT`) still has, `most` of them at most.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn elements(&self, most: usize) -> Result<Vec<Variant>, Error> {
        let mut elements = Vec::new();
        while elements.len() < most {
            let count = PART.min(u32::try_from(most - elements.len()).unwrap_or(PART));
            let (part, status) = self.call_with_status::<EnumNext>(&CountIn { count })?;
            if status.is_failure() {
                return Err(self.error("IEnumVARIANT", Cause::Status(status)));
            }
            let got = part.elements.values.len();
            elements.extend(part.elements.values.into_iter().map(VariantPointer::into_variant));
            if got == 0 || status == Status::FALSE {
                break;
            }
        }
        Ok(elements)
    }

    fn error(&self, what: impl Into<alloc::string::String>, cause: Cause) -> Error {
        Error::new(Step::Call, what, self.level(), cause)
    }
}

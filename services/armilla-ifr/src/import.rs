//! Loading compiled IDL into the repository.
//!
//! The importer first gives every declaration a number, then fills in the definitions, because
//! declarations refer to each other in any order. It relies on the checks of the compiler.

use crate::corba::PrimitiveKind;
use crate::model::{
    DefId, Definition, Field, Flavour, Initializer, Kind, Model, ModelError, Parameter, ROOT,
    Result, UnionField, Value,
};
use armilla::Any;
use armilla::dynamic::{DynAny, ParameterMode};
use armilla_idl::model::{self as idl, ConstValue, DeclId, DeclKind, Export, Primitive, Type};
use std::collections::{HashMap, HashSet};

impl Model {
    /// Adds every declaration of `idl` whose repository id is new, and adds missing contents to
    /// existing modules and interfaces. Existing definitions stay as they are;
    /// [`differences`](Self::differences) lists those that differ from the IDL.
    ///
    /// # Errors
    /// A name belongs to another definition, a repository id belongs to another kind of definition,
    /// or the repository cannot describe a declaration. On error the model is unchanged.
    ///
    /// # Examples
    /// ```
    /// use armilla_ifr::model::{Model, ROOT};
    ///
    /// # fn compiled(idl: &str) -> armilla_idl::Compilation {
    /// #     armilla_idl::parse_str("bank.idl", idl, &armilla_idl::Options::new()).unwrap()
    /// # }
    /// let mut model = Model::new();
    /// model.add_idl(&compiled("module Bank { interface Account {}; };").model)?;
    /// model.add_idl(&compiled("module Bank { interface Branch {}; };").model)?;
    /// assert!(model.lookup(ROOT, "Bank::Account").is_some());
    /// assert!(model.lookup(ROOT, "Bank::Branch").is_some());
    /// # Ok::<(), armilla_ifr::model::ModelError>(())
    /// ```
    pub fn add_idl(&mut self, idl: &armilla_idl::Model) -> Result {
        self.import(idl, &mut HashSet::new())
    }

    /// The same. `undefined` holds the definitions that are only forward-declared so far; those
    /// that `idl` declares but does not define are added to it.
    pub(crate) fn import(
        &mut self,
        idl: &armilla_idl::Model,
        undefined: &mut HashSet<DefId>,
    ) -> Result {
        self.transaction(|model| {
            let (places, made, open, order) = Default::default();
            let mut importer = Importer { idl, model, places, made, undefined, open, order };
            idl.roots().iter().try_for_each(|root| importer.place(*root, ROOT))?;
            for id in std::mem::take(&mut importer.order) {
                importer.fill(id)?;
                importer.add_exports(id)?;
            }
            Ok(())
        })
    }
}

struct Importer<'f> {
    idl: &'f armilla_idl::Model,
    model: &'f mut Model,
    /// The number of each declaration in the repository.
    places: HashMap<DeclId, DefId>,
    /// The new definitions.
    made: HashSet<DefId>,
    /// The forward-declared definitions without a body.
    undefined: &'f mut HashSet<DefId>,
    /// The declarations whose definitions are still to be filled in.
    open: HashSet<DeclId>,
    /// All declarations, in the order of the IDL.
    order: Vec<DeclId>,
}

impl Importer<'_> {
    /// Gives a declaration and all within it a number.
    fn place(&mut self, id: DeclId, container: DefId) -> Result {
        let declaration = self.idl.get(id);
        if let DeclKind::Com(_) | DeclKind::ComType(_) = declaration.kind {
            // The repository describes what travels by GIOP.
            return Ok(());
        }
        let repository_id = &declaration.repository_id;
        let place = match self.model.lookup_id(repository_id) {
            Some(known) => {
                let kind = &self.model.definition(known)?.kind;
                // A file that several others include is declared several times.
                if !self.made.contains(&known) && !is_of_kind(kind, &declaration.kind) {
                    let is = kind.definition_kind();
                    let what =
                        format!("the repository has {repository_id} as {is:?}, unlike the IDL");
                    return Err(ModelError::Invalid(what));
                }
                if is_defined(&declaration.kind) && self.undefined.remove(&known) {
                    self.open.insert(id);
                }
                known
            }
            None => {
                self.open.insert(id);
                let kind = match &declaration.kind {
                    DeclKind::Module(_) => Kind::Module,
                    // A placeholder: `fill` replaces it.
                    _ => Kind::Native,
                };
                let made = self.put(container, &declaration.name, repository_id, kind)?;
                self.made.insert(made);
                if !is_defined(&declaration.kind) {
                    self.undefined.insert(made);
                }
                made
            }
        };
        self.places.insert(id, place);
        self.order.push(id);
        nested(&declaration.kind).iter().try_for_each(|inner| self.place(*inner, place))
    }

    fn put(&mut self, container: DefId, name: &str, id: &str, kind: Kind) -> Result<DefId> {
        if self.model.named(container, name).is_some() {
            return Err(ModelError::NameTaken(name.to_owned()));
        }
        let mut definition = Definition::new(kind);
        (definition.id, definition.name) = (id.to_owned(), name.to_owned());
        // `IDL:Bank/Account:1.0`: the version follows the last colon.
        definition.version = id.rsplit(':').next().unwrap_or_default().to_owned();
        self.model.add(Some(container), definition)
    }

    /// Fills in a definition, unless it is complete.
    fn fill(&mut self, id: DeclId) -> Result {
        if !self.open.remove(&id) {
            return Ok(());
        }
        let place = self.named(id)?;
        let declaration = self.idl.get(id);
        let kind = match &declaration.kind {
            DeclKind::Module(_) | DeclKind::Com(_) | DeclKind::ComType(_) => return Ok(()),
            DeclKind::Interface(data) => self.interface(data)?,
            DeclKind::Struct(data) => Kind::Struct(self.members(data)?),
            DeclKind::Exception(data) => Kind::Exception(self.members(data)?),
            DeclKind::Union(data) => self.union(data)?,
            DeclKind::Enum(data) => {
                Kind::Enum(data.enumerators.iter().map(|e| e.name.clone()).collect())
            }
            DeclKind::Typedef(ty) => Kind::Alias(self.ty(ty)?),
            DeclKind::Const(data) => self.constant(data)?,
            DeclKind::Value(data) => self.value(place, data)?,
            DeclKind::ValueBox(ty) => Kind::ValueBox(self.ty(ty)?),
            DeclKind::Native => Kind::Native,
            // TypeCode has no kind for the types of IDL 4: describe the integer on the wire.
            DeclKind::Bitmask(data) => Kind::Alias(self.bits(data.bound)),
            DeclKind::Bitset(data) => Kind::Alias(self.bits(self.bitset_bits(data))),
        };
        self.model.update(place, |definition| definition.kind = kind)
    }

    fn named(&self, id: DeclId) -> Result<DefId> {
        let unknown = || ModelError::Invalid(format!("unknown {}", self.idl.scoped_name(id)));
        self.places.get(&id).copied().ok_or_else(unknown)
    }

    fn all(&self, ids: &[DeclId]) -> Result<Vec<DefId>> {
        ids.iter().map(|id| self.named(*id)).collect()
    }

    fn members(&mut self, data: &idl::Struct) -> Result<Vec<Field>> {
        let mut members = Vec::new();
        // The members of a base come first.
        if let Some(DeclKind::Struct(base)) = data.base.map(|base| &self.idl.get(base).kind) {
            members = self.members(base)?;
        }
        for member in &data.members {
            members.push(Field { name: member.name.clone(), ty: self.ty(&member.ty)? });
        }
        Ok(members)
    }

    fn union(&mut self, data: &idl::Union) -> Result<Kind> {
        let discriminator = self.ty(&data.discriminator)?;
        let is_int8 = *self.idl.resolve(&data.discriminator) == Type::Primitive(Primitive::Int8);
        let mut members = Vec::new();
        for case in &data.cases {
            let (name, ty) = (&case.member.name, self.ty(&case.member.ty)?);
            let labels = case.labels.iter().map(|label| Some(label_number(label, is_int8)));
            for label in labels.chain(case.default.then_some(None)) {
                members.push(UnionField { name: name.clone(), label, ty });
            }
        }
        Ok(Kind::Union { discriminator, members })
    }

    fn interface(&mut self, data: &idl::Interface) -> Result<Kind> {
        let flavour = match data.flavour {
            idl::Flavour::Unconstrained => Flavour::Plain,
            idl::Flavour::Abstract => Flavour::Abstract,
            idl::Flavour::Local => Flavour::Local,
        };
        Ok(Kind::Interface { flavour, bases: self.all(&data.bases)? })
    }

    /// Adds the missing operations and attributes of a declaration.
    fn add_exports(&mut self, id: DeclId) -> Result {
        let exports = match &self.idl.get(id).kind {
            DeclKind::Interface(data) => &data.exports,
            DeclKind::Value(data) => &data.exports,
            _ => return Ok(()),
        };
        let place = self.named(id)?;
        for export in exports {
            let (Export::Operation(idl::Operation { repository_id, .. })
            | Export::Attribute(idl::Attribute { repository_id, .. })) = export;
            if self.model.lookup_id(repository_id).is_some() {
                continue;
            }
            let (name, id, kind) = match export {
                Export::Operation(operation) => {
                    (&operation.name, &operation.repository_id, self.operation(operation)?)
                }
                Export::Attribute(attribute) => {
                    let kind = Kind::Attribute {
                        ty: self.ty(&attribute.ty)?,
                        readonly: attribute.readonly,
                        get_exceptions: self.all(&attribute.get_raises)?,
                        set_exceptions: self.all(&attribute.set_raises)?,
                    };
                    (&attribute.name, &attribute.repository_id, kind)
                }
            };
            self.put(place, name, id, kind)?;
        }
        Ok(())
    }

    fn operation(&mut self, operation: &idl::Operation) -> Result<Kind> {
        let result = match &operation.result {
            Some(ty) => self.ty(ty)?,
            None => self.model.primitive(PrimitiveKind::PkVoid),
        };
        let mut parameters = Vec::new();
        for parameter in &operation.parameters {
            let mode = match parameter.direction {
                idl::Direction::In => ParameterMode::In,
                idl::Direction::Out => ParameterMode::Out,
                idl::Direction::InOut => ParameterMode::InOut,
            };
            let ty = self.ty(&parameter.ty)?;
            parameters.push(Parameter { name: parameter.name.clone(), mode, ty });
        }
        Ok(Kind::Operation {
            result,
            oneway: operation.oneway,
            parameters,
            exceptions: self.all(&operation.raises)?,
            contexts: operation.context.clone(),
        })
    }

    fn value(&mut self, place: DefId, data: &idl::Value) -> Result<Kind> {
        for state in &data.state {
            let ty = self.ty(&state.member.ty)?;
            let scope = self.model.definition(place)?.id.clone();
            let id = member_id(&scope, &state.member.name);
            let kind = Kind::ValueMember { ty, public: state.public };
            self.put(place, &state.member.name, &id, kind)?;
        }
        let is_abstract = |id: &DeclId| match &self.idl.get(*id).kind {
            DeclKind::Value(base) => base.modifier == idl::ValueModifier::Abstract,
            _ => false,
        };
        let (abstract_bases, concrete): (Vec<_>, Vec<_>) =
            data.bases.iter().copied().partition(is_abstract);
        let mut initializers = Vec::new();
        for initializer in &data.initializers {
            let mut members = Vec::new();
            for parameter in &initializer.parameters {
                members.push(Field { name: parameter.name.clone(), ty: self.ty(&parameter.ty)? });
            }
            let exceptions = self.all(&initializer.raises)?;
            initializers.push(Initializer { name: initializer.name.clone(), members, exceptions });
        }
        Ok(Kind::Value(Value {
            is_event: data.event,
            is_abstract: data.modifier == idl::ValueModifier::Abstract,
            is_custom: data.modifier == idl::ValueModifier::Custom,
            is_truncatable: data.truncatable,
            base: self.all(&concrete)?.first().copied(),
            abstract_bases: self.all(&abstract_bases)?,
            supported: self.all(&data.supports)?,
            initializers,
        }))
    }

    /// The definition of a type where it is used; creates anonymous types.
    fn ty(&mut self, ty: &Type) -> Result<DefId> {
        Ok(match ty {
            Type::Primitive(kind) => self.model.primitive(primitive(*kind)),
            Type::String(None) => self.model.primitive(PrimitiveKind::PkString),
            Type::WString(None) => self.model.primitive(PrimitiveKind::PkWstring),
            Type::String(Some(bound)) => self.anonymous(Kind::String(*bound))?,
            Type::WString(Some(bound)) => self.anonymous(Kind::Wstring(*bound))?,
            Type::Object => self.model.primitive(PrimitiveKind::PkObjref),
            Type::Any => self.model.primitive(PrimitiveKind::PkAny),
            Type::TypeCode => self.model.primitive(PrimitiveKind::PkTypeCode),
            Type::Principal => self.model.primitive(PrimitiveKind::PkPrincipal),
            Type::ValueBase => self.model.primitive(PrimitiveKind::PkValueBase),
            Type::Fixed(digits, scale) => {
                let scale = i16::try_from(*scale).unwrap_or(i16::MAX);
                self.anonymous(Kind::Fixed { digits: *digits, scale })?
            }
            Type::Sequence(element, bound) => {
                let element = self.ty(element)?;
                self.sequence(element, *bound)?
            }
            Type::SharedOctets(bound) => {
                let element = self.model.primitive(PrimitiveKind::PkOctet);
                self.sequence(element, *bound)?
            }
            Type::SharedStrings => {
                let element = self.model.primitive(PrimitiveKind::PkString);
                self.sequence(element, None)?
            }
            Type::Array(element, dimensions) => {
                let mut ty = self.ty(element)?;
                for length in dimensions.iter().rev() {
                    ty = self.anonymous(Kind::Array { element: ty, length: *length })?;
                }
                ty
            }
            Type::Map(key, value, bound) => {
                // TypeCode has no kind for maps: describe the sequence of pairs on the wire.
                let member = |name: &str, ty| Field { name: name.to_owned(), ty };
                let pair = [member("key", self.ty(key)?), member("value", self.ty(value)?)];
                let pair = self.anonymous(Kind::Struct(pair.into()))?;
                self.sequence(pair, *bound)?
            }
            Type::Named(id) => self.named(*id)?,
        })
    }

    fn anonymous(&mut self, kind: Kind) -> Result<DefId> {
        self.model.add(None, Definition::new(kind))
    }

    fn sequence(&mut self, element: DefId, bound: Option<u32>) -> Result<DefId> {
        self.anonymous(Kind::Sequence { element, bound: bound.unwrap_or(0) })
    }

    /// The smallest unsigned integer with so many bits.
    fn bits(&mut self, count: u32) -> DefId {
        self.model.primitive(match count {
            0..=8 => PrimitiveKind::PkOctet,
            9..=16 => PrimitiveKind::PkUshort,
            17..=32 => PrimitiveKind::PkUlong,
            _ => PrimitiveKind::PkUlonglong,
        })
    }

    fn bitset_bits(&self, data: &idl::Bitset) -> u32 {
        let base = match data.base.map(|base| &self.idl.get(base).kind) {
            Some(DeclKind::Bitset(base)) => self.bitset_bits(base),
            _ => 0,
        };
        data.fields.iter().fold(base, |bits, field| bits + field.bits)
    }

    fn constant(&mut self, data: &idl::Const) -> Result<Kind> {
        // What the value is of may not be filled yet, where it stands in a module that comes later.
        let mut ty = &data.ty;
        while let Type::Named(id) = ty {
            self.fill(*id)?;
            let DeclKind::Typedef(original) = &self.idl.get(*id).kind else { break };
            ty = original;
        }
        let ty = self.ty(&data.ty)?;
        let code = self.model.type_code(ty)?;
        let value = constant(&code, &data.value);
        Ok(Kind::Constant { ty, value: value.map_err(|e| ModelError::Invalid(e.to_string()))? })
    }
}

/// Whether it is more than a name that was declared forward.
pub(crate) const fn is_defined(declared: &DeclKind) -> bool {
    match declared {
        DeclKind::Interface(data) => data.defined,
        DeclKind::Value(data) => data.defined,
        _ => true,
    }
}

/// Whether a declaration is of the kind that the repository has.
const fn is_of_kind(kind: &Kind, declared: &DeclKind) -> bool {
    matches!(
        (kind, declared),
        (Kind::Module, DeclKind::Module(_))
            | (Kind::Interface { .. }, DeclKind::Interface(_))
            | (Kind::Struct(_), DeclKind::Struct(_))
            | (Kind::Exception(_), DeclKind::Exception(_))
            | (Kind::Union { .. }, DeclKind::Union(_))
            | (Kind::Enum(_), DeclKind::Enum(_))
            | (Kind::Alias(_), DeclKind::Typedef(_) | DeclKind::Bitmask(_) | DeclKind::Bitset(_))
            | (Kind::Constant { .. }, DeclKind::Const(_))
            | (Kind::Value(_), DeclKind::Value(_))
            | (Kind::ValueBox(_), DeclKind::ValueBox(_))
            | (Kind::Native, DeclKind::Native)
    )
}

/// The declarations that stand within one.
fn nested(kind: &DeclKind) -> &[DeclId] {
    match kind {
        DeclKind::Module(members) => members,
        DeclKind::Interface(data) => &data.nested,
        DeclKind::Value(data) => &data.nested,
        DeclKind::Struct(data) | DeclKind::Exception(data) => &data.nested,
        DeclKind::Union(data) => &data.nested,
        _ => &[],
    }
}

/// The repository id of a state member, whose scope has this one.
fn member_id(scope: &str, name: &str) -> String {
    match scope.rsplit_once(':') {
        Some((path, version)) => format!("{path}/{name}:{version}"),
        None => format!("{scope}/{name}"),
    }
}

/// A label as the number by which a TypeCode knows it: that of an `int8` is an octet.
fn label_number(label: &ConstValue, is_int8: bool) -> i64 {
    match label {
        ConstValue::Integer(value) if is_int8 => i64::from(*value as u8),
        ConstValue::Integer(value) => *value as i64,
        ConstValue::Boolean(value) => i64::from(*value),
        ConstValue::Char(value) => i64::from(*value),
        ConstValue::WChar(value) => i64::from(*value),
        ConstValue::Enumerator(_, index) => i64::from(*index),
        // No discriminator is of another type.
        _ => 0,
    }
}

/// The value of a constant as one of its type.
fn constant(
    code: &armilla::TypeCode,
    value: &ConstValue,
) -> Result<Any, armilla::dynamic::DynAnyError> {
    use serde_json::Value as Json;
    let json = match value {
        ConstValue::Integer(value) => match i64::try_from(*value) {
            Ok(value) => Json::from(value),
            // At most that of an `unsigned long long`.
            Err(_) => Json::from(*value as u64),
        },
        ConstValue::Float(value) if value.is_finite() => Json::from(*value),
        ConstValue::Float(value) => Json::from(if *value > 0.0 { "Infinity" } else { "-Infinity" }),
        ConstValue::LongDouble(value) => Json::from(format!("{:#034x}", value.to_bits())),
        ConstValue::Boolean(value) => Json::from(*value),
        ConstValue::Char(value) => Json::from(char::from(*value).to_string()),
        ConstValue::String(value) => Json::from(value.as_str()),
        ConstValue::WChar(value) => Json::from(String::from_utf16_lossy(&[*value])),
        ConstValue::WString(value) => Json::from(String::from_utf16_lossy(value)),
        ConstValue::Fixed(value) => Json::from(value.to_string()),
        ConstValue::Enumerator(_, index) => Json::from(*index),
    };
    DynAny::from_json(code, &json)?.to_any()
}

const fn primitive(kind: Primitive) -> PrimitiveKind {
    match kind {
        Primitive::Short => PrimitiveKind::PkShort,
        Primitive::UShort => PrimitiveKind::PkUshort,
        Primitive::Long => PrimitiveKind::PkLong,
        Primitive::ULong => PrimitiveKind::PkUlong,
        Primitive::LongLong => PrimitiveKind::PkLonglong,
        Primitive::ULongLong => PrimitiveKind::PkUlonglong,
        Primitive::Float => PrimitiveKind::PkFloat,
        Primitive::Double => PrimitiveKind::PkDouble,
        Primitive::LongDouble => PrimitiveKind::PkLongdouble,
        Primitive::Char => PrimitiveKind::PkChar,
        Primitive::WChar => PrimitiveKind::PkWchar,
        Primitive::Boolean => PrimitiveKind::PkBoolean,
        // There is no kind for signed integers of eight bits.
        Primitive::Octet | Primitive::Int8 | Primitive::UInt8 => PrimitiveKind::PkOctet,
    }
}

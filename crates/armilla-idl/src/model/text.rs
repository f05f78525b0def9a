//! Types and values in IDL syntax.

use super::{ConstValue, DeclId, DeclKind, Model, Primitive, Type};

impl Model {
    /// `ty` in IDL syntax, with scoped names: `sequence<Bank::Account, 10>`. Dimensions follow the
    /// element type: `long[2][3]`.
    ///
    /// ```
    /// use armilla_idl::model::DeclKind;
    /// use armilla_idl::{Options, parse_str};
    ///
    /// let idl = "typedef sequence<string<8>, 3> Names;";
    /// let model = parse_str("t.idl", idl, &Options::new()).unwrap().model;
    /// let DeclKind::Typedef(ty) = &model.get(model.roots()[0]).kind else { panic!() };
    /// assert_eq!(model.type_text(ty), "sequence<string<8>, 3>");
    /// ```
    pub fn type_text(&self, ty: &Type) -> String {
        let bounded = |name: &str, bound: &Option<u32>| match bound {
            None => name.to_owned(),
            Some(bound) => format!("{name}<{bound}>"),
        };
        let last = |bound: &Option<u32>| bound.map_or(String::new(), |bound| format!(", {bound}"));
        match ty {
            Type::Primitive(primitive) => primitive.as_str().to_owned(),
            Type::String(bound) => bounded("string", bound),
            Type::WString(bound) => bounded("wstring", bound),
            Type::Sequence(element, bound) => {
                format!("sequence<{}{}>", self.type_text(element), last(bound))
            }
            Type::SharedOctets(bound) => format!("sequence<octet{}>", last(bound)),
            Type::SharedStrings => "sequence<string>".to_owned(),
            Type::Map(key, value, bound) => {
                let (key, value) = (self.type_text(key), self.type_text(value));
                format!("map<{key}, {value}{}>", last(bound))
            }
            Type::Array(element, dimensions) => {
                let dimensions: String = dimensions.iter().map(|d| format!("[{d}]")).collect();
                format!("{}{dimensions}", self.type_text(element))
            }
            Type::Fixed(digits, scale) => format!("fixed<{digits}, {scale}>"),
            Type::Object => "Object".to_owned(),
            Type::Any => "any".to_owned(),
            Type::TypeCode => "CORBA::TypeCode".to_owned(),
            Type::Principal => "CORBA::Principal".to_owned(),
            Type::ValueBase => "ValueBase".to_owned(),
            Type::Named(id) => self.scoped_name(*id),
        }
    }

    /// The scoped name of the enumerator with this index: it is in the scope of its enum.
    pub fn enumerator_name(&self, id: DeclId, index: u32) -> String {
        let declaration = self.get(id);
        let DeclKind::Enum(body) = &declaration.kind else { return self.scoped_name(id) };
        let name = body.enumerators.get(index as usize).map_or("", |e| e.name.as_str());
        match declaration.scope {
            Some(scope) => format!("{}::{name}", self.scoped_name(scope)),
            None => name.to_owned(),
        }
    }
}

impl ConstValue {
    /// The text of a string or a character; `None` for other values. Invalid UTF-16 is replaced.
    pub fn text(&self) -> Option<String> {
        match self {
            ConstValue::Char(octet) => Some(char::from(*octet).to_string()),
            ConstValue::String(text) => Some(text.clone()),
            ConstValue::WChar(unit) => Some(String::from_utf16_lossy(&[*unit])),
            ConstValue::WString(units) => Some(String::from_utf16_lossy(units)),
            _ => None,
        }
    }
}

impl Primitive {
    /// The type in IDL syntax.
    pub fn as_str(self) -> &'static str {
        match self {
            Primitive::Short => "short",
            Primitive::UShort => "unsigned short",
            Primitive::Long => "long",
            Primitive::ULong => "unsigned long",
            Primitive::LongLong => "long long",
            Primitive::ULongLong => "unsigned long long",
            Primitive::Float => "float",
            Primitive::Double => "double",
            Primitive::Char => "char",
            Primitive::Boolean => "boolean",
            Primitive::Octet => "octet",
            Primitive::WChar => "wchar",
            Primitive::LongDouble => "long double",
            Primitive::Int8 => "int8",
            Primitive::UInt8 => "uint8",
        }
    }
}

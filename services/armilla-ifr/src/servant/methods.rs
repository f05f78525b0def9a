//! Methods that several interfaces of the repository declare alike, each written once. A macro
//! stands within the `impl` of a generated trait and expands to some of its methods.

/// Assigns a field of this definition's kind.
macro_rules! change_field {
    ($self:ident, $kind:ident.$field:ident = $value:expr) => {
        $self.change(|kind| {
            if let $crate::model::Kind::$kind { $field, .. } = kind {
                *$field = $value;
            }
        })
    };
}

/// The attribute for the content type, as a definition.
macro_rules! content_def {
    ($get:ident, $set:ident) => {
        fn $get(&self) -> $crate::servant::Result<IdlTypeRef> {
            self.content_def()
        }

        fn $set(&self, value: &IdlTypeRef) -> $crate::servant::Result {
            self.set_content(value)
        }
    };
}

/// The attributes for the content type, as a TypeCode and as a definition.
macro_rules! content {
    ($code:ident, $get:ident, $set:ident) => {
        fn $code(&self) -> $crate::servant::Result<armilla::TypeCode> {
            self.content_type()
        }

        $crate::servant::methods::content_def!($get, $set);
    };
}

/// The attribute for the bound of a string or sequence, or the length of an array.
macro_rules! bound {
    ($get:ident, $set:ident) => {
        fn $get(&self) -> $crate::servant::Result<u32> {
            self.bound_of()
        }

        fn $set(&self, value: u32) -> $crate::servant::Result {
            self.change_bound(value)
        }
    };
}

/// The operation that creates an interface of a flavour.
macro_rules! create_interface {
    ($create:ident, $base:ty, $flavour:ident, $created:ty) => {
        fn $create(
            &self,
            id: &str,
            name: &str,
            version: &str,
            bases: &[$base],
        ) -> $crate::servant::Result<$created> {
            let (flavour, bases) = ($crate::model::Flavour::$flavour, self.ids_of(bases)?);
            let kind = $crate::model::Kind::Interface { flavour, bases };
            self.create(id, name, version, kind)
        }
    };
}

/// The operation that creates a valuetype with one kind of initializers.
macro_rules! create_value {
    ($create:ident, $initializer:ty, $convert:ident, $created:ty) => {
        fn $create(
            &self,
            id: &str,
            name: &str,
            version: &str,
            is_custom: bool,
            is_abstract: bool,
            base_value: &ValueDefRef,
            is_truncatable: bool,
            abstract_base_values: &[ValueDefRef],
            supported_interfaces: &[InterfaceDefRef],
            initializers: &[$initializer],
        ) -> $crate::servant::Result<$created> {
            let value = $crate::model::Value {
                is_event: false,
                is_abstract,
                is_custom,
                is_truncatable,
                base: self.base_of(base_value)?,
                abstract_bases: self.ids_of(abstract_base_values)?,
                supported: self.ids_of(supported_interfaces)?,
                initializers: self.$convert(initializers)?,
            };
            self.create(id, name, version, $crate::model::Kind::Value(value))
        }
    };
}

/// The operations that create attributes and operations, in an interface or a valuetype.
macro_rules! create_attribute_and_operation {
    () => {
        fn create_attribute(
            &self,
            id: &str,
            name: &str,
            version: &str,
            r#type: &IdlTypeRef,
            mode: AttributeMode,
        ) -> $crate::servant::Result<AttributeDefRef> {
            self.new_attribute(id, name, version, r#type, mode, &[], &[])
        }

        fn create_operation(
            &self,
            id: &str,
            name: &str,
            version: &str,
            result: &IdlTypeRef,
            mode: OperationMode,
            params: &[ParameterDescription],
            exceptions: &[ExceptionDefRef],
            contexts: &[ContextIdentifier],
        ) -> $crate::servant::Result<OperationDefRef> {
            let kind = $crate::model::Kind::Operation {
                result: self.id_of(result)?,
                oneway: mode == OperationMode::OpOneway,
                parameters: self.parameters_of(params)?,
                exceptions: self.ids_of(exceptions)?,
                contexts: contexts.to_vec(),
            };
            self.create(id, name, version, kind)
        }
    };
}

/// The operation that creates an attribute with exceptions, in an interface or a valuetype.
macro_rules! create_ext_attribute {
    () => {
        fn create_ext_attribute(
            &self,
            id: &str,
            name: &str,
            version: &str,
            r#type: &IdlTypeRef,
            mode: AttributeMode,
            get_exceptions: &[ExceptionDefRef],
            set_exceptions: &[ExceptionDefRef],
        ) -> $crate::servant::Result<ExtAttributeDefRef> {
            self.new_attribute(id, name, version, r#type, mode, get_exceptions, set_exceptions)
        }
    };
}

pub(super) use {
    bound, change_field, content, content_def, create_attribute_and_operation,
    create_ext_attribute, create_interface, create_value,
};

//! The table of all errors and warnings. The meaning of a code never changes; a new code goes to
//! the end of its group.

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+) => {
        /// The number of a rule: `E` for an error, `W` for a warning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// The code as it is displayed: `E0401`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $code,)+
                }
            }

            /// The meaning of the code, in one line.
            pub fn summary(self) -> &'static str {
                match self {
                    $(Code::$name => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

codes! {
    /// A file cannot be read.
    CannotRead = "E0101",
    /// An included file is not found.
    IncludeNotFound = "E0102",
    /// Files include one another too deeply.
    IncludeDepth = "E0103",
    /// A preprocessor directive is not well formed.
    BadDirective = "E0104",
    /// `#if`, `#else` and `#endif` do not match.
    UnbalancedConditional = "E0105",
    /// The expression of an `#if` is not well formed.
    BadCondition = "E0106",
    /// The source has an `#error`.
    ErrorDirective = "E0107",
    /// Macros expand too deeply, or to too many tokens.
    MacroLimit = "E0108",
    /// A `#pragma` that names a declaration is wrong.
    BadPragma = "E0109",
    /// The source is too large.
    TooLarge = "E0110",
    /// A generated file cannot be written.
    CannotWrite = "E0111",
    /// The arguments of a macro do not fit.
    BadMacroUse = "E0112",

    /// A character is not part of IDL.
    BadCharacter = "E0201",
    /// A comment, string or character literal does not end.
    Unterminated = "E0202",
    /// A number is not well formed or too large.
    BadNumber = "E0203",
    /// A string or character literal is not well formed.
    BadLiteral = "E0204",

    /// Something else was expected here.
    Syntax = "E0301",
    /// An identifier collides with a keyword.
    KeywordCollision = "E0302",
    /// Declarations or types are nested too deeply.
    NestingDepth = "E0303",
    /// A type must have a name here.
    AnonymousType = "E0304",
    /// A module, union or enum is empty.
    Empty = "E0305",

    /// A name is not declared.
    NotDeclared = "E0401",
    /// The case of a name differs from its declaration.
    WrongCase = "E0402",
    /// A name is declared twice in one scope.
    Redeclared = "E0403",
    /// A name is declared after it was used with another meaning in the same scope.
    RedeclaredAfterUse = "E0404",
    /// A name is that of the scope that encloses it.
    ScopeName = "E0405",
    /// A name is ambiguous: base interfaces declare it differently.
    Ambiguous = "E0406",
    /// A name denotes another kind of declaration than is needed here.
    WrongKind = "E0407",

    /// An operation or attribute hides or collides with an inherited one.
    InheritedCollision = "E0501",
    /// A base is not allowed here.
    BadBase = "E0502",
    /// A forward declaration is never completed.
    NeverDefined = "E0503",
    /// A type is used before it is complete, or contains itself.
    Incomplete = "E0504",
    /// A `oneway` operation returns something.
    Oneway = "E0505",
    /// A type cannot be used here.
    BadType = "E0506",
    /// Two labels of a union are equal.
    DuplicateLabel = "E0507",
    /// A union has a `default` that no value selects, or two of them.
    UselessDefault = "E0508",
    /// A repository id is set twice or changed between forward declaration and definition.
    RepositoryId = "E0509",

    /// The name of a context is not well formed.
    BadContext = "E0510",
    /// A valuetype breaks a rule of valuetypes.
    BadValue = "E0511",
    /// A local type is used where it would be marshalled.
    LocalType = "E0512",
    /// A forward declaration and the definition differ in kind.
    ForwardMismatch = "E0513",
    /// A bitmask or bitset has too many bits, or two flags on one bit.
    BadBits = "E0514",
    /// A port, a component or a home refers to the wrong kind of declaration.
    BadPort = "E0515",
    /// The module `Components` is not declared.
    NoComponents = "E0516",
    /// The arguments of a template module do not fit.
    BadTemplate = "E0517",
    /// An annotation of the timing of an operation is wrong.
    BadTiming = "E0518",
    /// An annotation of roles names none.
    BadRoles = "E0519",
    /// An interface of COM is wrong.
    BadCom = "E0520",

    /// A constant does not have the type that is needed here.
    ConstantType = "E0601",
    /// A constant is out of the range of its type.
    ConstantRange = "E0602",
    /// A constant expression cannot be evaluated.
    ConstantEvaluation = "E0603",
    /// A bound or an array dimension is not a positive 32-bit number.
    BadBound = "E0604",
    /// A fixed-point type or number has too many digits.
    BadFixed = "E0605",

    /// Two IDL names become the same Rust name.
    RustCollision = "E0701",

    /// An option of the back end names nothing.
    BadOption = "E0702",

    /// This version does not support the construct, or has no Rust mapping for it.
    Unsupported = "E0901",

    /// An identifier is a keyword in CORBA 3.
    Corba3Keyword = "W0001",
    /// The source has a `#warning`.
    WarningDirective = "W0002",
    /// A macro is defined again with another meaning.
    MacroRedefined = "W0003",
    /// A literal has an escape sequence that IDL does not define.
    UndefinedEscape = "W0004",
    /// An annotation has no effect.
    AnnotationIgnored = "W0005",
    /// An interface or a valuetype is declared forward, used and never defined.
    ForwardOnly = "W0006",
    /// A fixed-point constant loses digits.
    FixedTruncated = "W0007",
    /// A repository id has a form that CORBA does not define.
    OddRepositoryId = "W0008",
    /// Something is named twice in one list.
    NamedTwice = "W0009",
    /// `import` has no effect.
    ImportIgnored = "W0010",
    /// A struct is empty, which only IDL 4 allows.
    EmptyStruct = "W0011",
    /// A declaration has no Rust mapping and is omitted.
    LeftOut = "W0012",
    /// A second `typeprefix` gives a scope another prefix.
    TwoPrefixes = "W0013",
    /// A `typeprefix` stands before its module, or has no `;`.
    LooseTypePrefix = "W0014",
}

//! The macro that declares the settings: each with its default and its option, once.

/// Makes the struct of the settings, its `Default`, and the list of the options.
///
/// Each field has a doc comment, `#[option("-ORBName", "VALUE", KIND)]` and a default. `VALUE` is
/// the unit or form of the option's value, `KIND` says how it is read (`kinds`). In the option,
/// `shown "TEXT"` is the default as people should see it, if the value does not say it, and
/// `limit "WHAT"` makes it a row of SECURITY.md's table of limits. The first paragraph of the doc
/// comment is the help text of the option.
macro_rules! settings {
    (
        $(#[doc = $about:literal])+
        pub struct $Settings:ident {
            $($group:literal {
                $(
                    $(#[doc = $doc:literal])+
                    #[option(
                        $name:literal, $value:literal, $kind:expr
                        $(, shown $shown:literal)? $(, limit $limit:literal)?
                    )]
                    pub $field:ident: $type:ty = $default:expr,
                )+
            })+
            without option {
                $(
                    $(#[doc = $own_doc:literal])+
                    pub $own:ident: $own_type:ty = $own_default:expr,
                )+
            }
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub struct $Settings {
            $($(
                $(#[doc = $doc])+
                #[doc = ""]
                #[doc = concat!("Default: `", stringify!($default), "`. Option: `", $name, " ",
                    $value, "`.")]
                pub $field: $type,
            )+)+
            $(
                $(#[doc = $own_doc])+
                #[doc = concat!("\nDefault: `", stringify!($own_default), "`.")]
                pub $own: $own_type,
            )+
        }

        impl Default for $Settings {
            fn default() -> Self {
                Self { $($($field: $default,)+)+ $($own: $own_default,)+ }
            }
        }

        impl $Settings {
            /// The options of the settings, each once.
            #[doc(hidden)]
            pub const OPTIONS: &'static [SettingOption<Self>] = &[$($(
                SettingOption {
                    name: $name,
                    value: $value,
                    group: $group,
                    setting: stringify!($field),
                    doc: concat!($($doc, "\n"),+),
                    shown: concat!($($shown)?),
                    limit: concat!($($limit)?),
                    set: |settings, text| ($kind.set)(&mut settings.$field, text),
                    show: |settings| ($kind.show)(&settings.$field),
                },
            )+)+];
        }
    };
}

pub(super) use settings;

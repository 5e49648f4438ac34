//! Words with a meaning, and room for a word that has none: lint refuses it, a run may carry it.

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(from = "String", into = "String")]
        pub enum $name {
            $($(#[$of])* $variant,)+
            /// A word without a meaning, as it was written.
            Other(String),
        }

        impl $name {
            /// The words that mean something.
            pub const KNOWN: &'static [&'static str] = &[$($text),+];

            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> Self {
                match word.to_ascii_lowercase().as_str() {
                    $($text => Self::$variant,)+
                    _ => Self::Other(word),
                }
            }
        }

        impl From<$name> for String {
            fn from(word: $name) -> Self {
                word.as_str().to_owned()
            }
        }
    };
}

pub(super) use words;

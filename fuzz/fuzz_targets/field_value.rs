//! Any JSON given as the value of a field of any kind is stored or refused by the name of the field.
//! What is stored is a value of that field: checked again it stays as it is.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use windlass_domain::chunk::value::checked;
use windlass_domain::chunk::{Field, FieldKind};

fuzz_target!(|data: &[u8]| {
    let Ok(given) = serde_json::from_slice::<Value>(data) else { return };
    for kind in FieldKind::ALL {
        let mut field = Field::new("it", *kind);
        if *kind == FieldKind::Enum {
            field = Field::one_of("it", &["high", "low"]);
        }
        for required in [false, true] {
            field.required = required;
            match checked(&field, &given) {
                Ok(stored) => {
                    assert!(!(required && stored.is_null()), "{kind}: {given}");
                    assert_eq!(checked(&field, &stored), Ok(stored), "{kind}: {given}");
                }
                Err(refusal) => assert_eq!(refusal.details["field"], "it", "{refusal:?}"),
            }
        }
    }
});

//! Any text in a settings file is understood or refused with the place, never a crash.
#![no_main]

use libfuzzer_sys::fuzz_target;
use windlass_domain::Code;
use windlass_ops::settings::Layers;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut layers = Layers::default();
    if let Err(refusal) = layers.user_file("config.toml", text) {
        assert_eq!(refusal.code, Code::SettingsInvalid);
        assert!(refusal.message.starts_with("config.toml, line "), "{}", refusal.message);
        return;
    }
    if let Err(refusal) = layers.repository_file("repository.toml", text) {
        panic!("the same text was understood before: {refusal}");
    }
    if let Err(refusal) = layers.resolve() {
        assert_eq!(refusal.code, Code::SettingsInvalid);
    }
});

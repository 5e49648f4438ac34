//! How the program is linked.

#![expect(clippy::disallowed_methods, reason = "cargo tells a build script in its environment")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        // At a fixed address: the tens of thousands of pointers in its tables are right as they lie
        // in the file, and a command need not write a megabyte before its first instruction
        // (docs/decisions/0028).
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

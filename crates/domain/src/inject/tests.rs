//! What sessions are given, each as a sentence.

mod audiences;
mod budgets;
mod lifecycles;
mod properties;
mod scene;

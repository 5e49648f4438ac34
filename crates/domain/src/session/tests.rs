//! What happens in sessions, each as a sentence.

mod consolidation;
pub(crate) mod scene;
mod sitting;
mod stored;

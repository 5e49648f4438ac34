//! What happens in sessions, each as a sentence.

mod consolidation;
mod scene;
mod sitting;
mod stored;

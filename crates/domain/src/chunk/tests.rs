//! The decisions about chunks, each as a sentence.

mod access;
mod keep;
mod links;
mod promote;
mod properties;
mod reviews;
pub(crate) mod scene;
mod tie;
mod update;
mod write;

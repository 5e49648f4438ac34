//! The measured claims of Windlass.

//! The doors over the network.

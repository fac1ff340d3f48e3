//! What a client is made from: the [options], and what the environment and a profile add to them ([settings]).

mod chain;
mod connect;
pub mod endpoint;
mod options;
pub mod proxy;
pub mod region;
mod settings;
pub mod tls;

pub use connect::{Connected, connect};
pub use options::Config;

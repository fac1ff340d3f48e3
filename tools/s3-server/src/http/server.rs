//! The listening socket and its connections.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::RwLock;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

use super::service;
use super::state::State;
use crate::auth::credentials::KnownCredentials;
use crate::hostile::Hostile;
use crate::load::faults::{self, Script};
use crate::options::{Options, milliseconds};
use crate::store::Store;

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: Arc<State>,
}

impl Server {
    /// Listens on the loopback address.
    ///
    /// # Errors
    /// When the port is taken, the file of faults can't be read or makes no sense, or a setting makes no sense.
    pub async fn start(options: Options) -> io::Result<Self> {
        let invalid = |message: String| io::Error::new(io::ErrorKind::InvalidInput, message);
        options.settings.check().map_err(invalid)?;
        let script = Script::default();
        if let Some(file) = &options.faults {
            let named = |error: String| invalid(format!("{}: {error}", file.display()));
            let json = std::fs::read(file).map_err(|error| named(error.to_string()))?;
            script.replace(faults::parse(&json).map_err(named)?);
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let address = listener.local_addr()?;
        let state = State {
            region: options.region,
            credentials: KnownCredentials::new(options.access_key, options.secret_key),
            store: Store::default(),
            stats: Arc::default(),
            throttle: Arc::default(),
            faults: script,
            hostile: Hostile::default(),
            settings: RwLock::new(Arc::new(options.settings.clone())),
            initial_settings: options.settings,
            next_request: AtomicU64::new(1),
        };
        Ok(Self { listener, address, state: Arc::new(state) })
    }

    /// The port that is listened on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The URL that clients take as their endpoint.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves until the future is dropped.
    pub async fn run(self) {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(serve(stream, self.state.clone()))),
                // Out of file descriptors, most likely: those in use come back in a moment.
                Err(_) => sleep(Duration::from_millis(10)).await,
            }
        }
    }
}

async fn serve(stream: TcpStream, state: Arc<State>) {
    // A failure only means that small answers may wait for each other.
    let _ = stream.set_nodelay(true);
    let _open = state.stats.connection();
    let idle = Idle::default();
    let service = service_fn(|request| {
        let busy = idle.busy();
        let state = &state;
        async move {
            let response = service::answer(state, request).await;
            drop(busy);
            response
        }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // It ends with an error when the client resets the connection or a fault closes it: both are as they should be.
        _ = connection => {}
        () = idle.expired(&state) => {}
    }
}

/// Whether the connection has a request under way.
struct Idle(watch::Sender<u32>);

impl Default for Idle {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

/// Marks the connection as busy while it lives.
struct Busy<'a>(&'a Idle);

impl Idle {
    fn busy(&self) -> Busy<'_> {
        self.0.send_modify(|requests| *requests += 1);
        Busy(self)
    }

    /// Comes back when the connection has been idle for as long as the settings allow, and never without such a setting.
    async fn expired(&self, state: &State) {
        let mut requests = self.0.subscribe();
        loop {
            let is_idle = *requests.borrow_and_update() == 0;
            let timeout = state.settings().idle_timeout.filter(|_| is_idle);
            let elapsed = async {
                match timeout {
                    Some(ms) => sleep(milliseconds(ms)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = requests.changed() => changed.expect("the sender is in self"),
                () = elapsed => return,
            }
        }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|requests| *requests -= 1);
    }
}

//! Starts the server and tells, in one line of JSON on standard output, where it listens.

use std::io::{Read, Write};

use clap::Parser;
use s3_server::Server;
use s3_server::options::Options;

fn main() {
    let options = Options::parse();
    let exit_with_stdin = options.exit_with_stdin;
    // Two workers: the client under test needs the rest of the machine.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("the runtime starts");
    runtime.block_on(async {
        let server = match Server::start(options).await {
            Ok(server) => server,
            Err(error) => {
                eprintln!("s3-server: {error}");
                std::process::exit(1);
            }
        };
        let line = serde_json::json!({ "port": server.port(), "endpoint": server.endpoint() });
        println!("{line}");
        // A parent that has closed the pipe no longer wants the line; that is no reason to fail.
        let _ = std::io::stdout().flush();
        if exit_with_stdin {
            std::thread::spawn(exit_when_stdin_ends);
        }
        server.run().await;
    });
}

/// Ends the process as soon as the parent closes our standard input or dies, so that no server is left behind.
fn exit_when_stdin_ends() {
    let mut buffer = [0; 1024];
    while matches!(std::io::stdin().read(&mut buffer), Ok(n) if n > 0) {}
    std::process::exit(0);
}

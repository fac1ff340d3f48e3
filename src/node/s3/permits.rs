//! Permits of prefixes that synchronizers in JavaScript keep.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::chunk::Chunk;
use super::questions::Questions;
use crate::core::batch::prefix::to_utf16;
use crate::exec::s3::delete::{Gate, Permit};
use crate::exec::s3::fault::Fault;
use crate::node::outlet::Outlet;

/// Asks JavaScript for permits, by the chunks of a job.
pub struct Permits {
    pub outlet: Arc<Outlet<Chunk>>,
    pub questions: Arc<Questions<std::result::Result<(), String>>>,
}

/// Tells JavaScript when it is dropped.
struct Held {
    outlet: Arc<Outlet<Chunk>>,
    number: u32,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.outlet.put_now(Chunk::Release(self.number));
    }
}

impl Gate for Permits {
    fn acquire(
        &self,
        prefix: &[u8],
    ) -> Pin<Box<dyn Future<Output = std::result::Result<Permit, Fault>> + Send>> {
        let (number, answer) = self.questions.ask();
        let outlet = Arc::clone(&self.outlet);
        outlet.put_now(Chunk::Ask(number, to_utf16(prefix)));
        Box::pin(async move {
            let answer = answer.await.unwrap_or_else(|_| Err("The job was given up".to_owned()));
            let permit = Held { outlet, number };
            answer.map_err(|message| Fault::fatal("NoPermit", message))?;
            Ok(Box::new(permit) as Permit)
        })
    }
}

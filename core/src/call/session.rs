//! What the calls of one client share: settings, connections, gate and sums, each process its own.
//! Knows no call and no way of consuming.

use std::any::Any;
use std::sync::{Arc, Mutex};

use tokio::sync::OnceCell as AsyncOnceCell;

use crate::call::gate::Gate;
use crate::config::{Settings, SharedSettings};
use crate::driver::offload::offload;
use crate::error::{Error, Result};
use crate::http::transport::Transport;
use crate::process::PerProcess;
use crate::protocol::usage::Usage;
use crate::sync::lock;
use crate::usage_sums::{UsageSum, UsageSums};

pub(crate) struct Session {
    pub(crate) settings: SharedSettings,
    transport: PerProcess<AsyncOnceCell<Arc<Transport>>>,
    gate: PerProcess<Arc<Gate>>,
    usage: Arc<PerProcess<Mutex<UsageSums>>>,
    companion: PerProcess<Box<dyn Any + Send + Sync>>,
}

impl Session {
    pub(crate) fn new(settings: Settings) -> Session {
        Session::counting_in(settings, Arc::new(PerProcess::new()))
    }

    /// One whose calls are counted in the sums of this one.
    pub(crate) fn beside(&self, settings: Settings) -> Session {
        Session::counting_in(settings, self.usage.clone())
    }

    fn counting_in(settings: Settings, usage: Arc<PerProcess<Mutex<UsageSums>>>) -> Session {
        Session {
            settings: Arc::new(settings),
            transport: PerProcess::new(),
            gate: PerProcess::new(),
            usage,
            companion: PerProcess::new(),
        }
    }

    fn transport_cell(&self) -> Result<&AsyncOnceCell<Arc<Transport>>> {
        self.transport.get_or_try_init(|| Ok(AsyncOnceCell::new()))
    }

    /// The connections of this process, where they are made already or cost nothing to make.
    pub(crate) fn transport_if_cheap(&self) -> Option<Result<Arc<Transport>>> {
        let found = || {
            let cell = self.transport_cell()?;
            if cell.get().is_none() && !self.settings.needs_tls() {
                // Two threads may both make one: the first is kept.
                let _ = cell.set(Arc::new(Transport::new(&self.settings)?));
            }
            Ok(cell.get().cloned())
        };
        found().transpose()
    }

    /// The same. Where TLS is spoken the first call makes them on a helper thread: reading the
    /// system's certificates takes milliseconds. Others wait for that and keep no thread.
    pub(crate) async fn transport(&self) -> Result<Arc<Transport>> {
        let settings = self.settings.clone();
        let make = || offload(usize::MAX, move || Transport::new(&settings).map(Arc::new));
        self.transport_cell()?.get_or_try_init(make).await.cloned()
    }

    /// The gate of this process, for the calls whose policy is adaptive.
    pub(crate) fn gate(&self) -> Result<&Arc<Gate>> {
        self.gate.get_or_try_init(|| Ok(Arc::new(Gate::new())))
    }

    /// Something of a floor above that lives as long as the session, in each process its own; made if
    /// need be.
    pub(crate) fn companion<T: Any + Send + Sync>(
        &self,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<&T> {
        let found = self.companion.get_or_try_init(|| Ok(Box::new(make()?)))?;
        found.downcast_ref().ok_or_else(|| Error::internal("a session has one companion"))
    }

    /// The base URL, its query masked.
    pub(crate) fn base_url(&self) -> String {
        let mut url = self.settings.base_url.clone();
        if url.query().is_some() {
            url.set_query(Some("[query]"));
        }
        url.to_string()
    }

    /// What the answered calls used so far, in this process.
    pub(crate) fn usage(&self) -> UsageSums {
        self.usage.get().map(|sums| lock(sums).clone()).unwrap_or_default()
    }

    pub(crate) fn count(&self, model: &str, usage: Option<Usage>) {
        let Ok(sums) = self.usage.get_or_try_init(|| Ok(Mutex::default())) else { return };
        let mut sums = lock(sums);
        let used = UsageSum {
            calls: 1,
            calls_without_usage: u64::from(usage.is_none()),
            tokens: usage.unwrap_or_default(),
        };
        match sums.get_mut(model) {
            Some(sum) => sum.add(&used),
            None => drop(sums.insert(model.to_owned(), used)),
        }
    }
}

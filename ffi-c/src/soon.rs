use modelwire_core::*;
use std::ops::ControlFlow;
use std::time::Duration;
pub(crate) trait Soon3 {
    fn follow_log(&self, _: Option<modelwire_core::log::Level>, _: u64) -> Result<()> {
        Ok(())
    }
    fn check_process(&self) -> Result<()> {
        Ok(())
    }
}
impl Soon3 for CompletionQueue {}
pub(crate) fn forward_end_within(_: Option<Duration>) -> Result<bool> {
    log::forward_end()?;
    Ok(true)
}
pub(crate) fn forward_within(
    _: Option<Duration>,
    level: log::Level,
    mut sink: impl FnMut(&log::Record) -> ControlFlow<()> + Send + 'static,
) -> Result<bool> {
    log::forward(level, move |records| {
        for r in records {
            let _ = sink(r);
        }
    })?;
    Ok(true)
}

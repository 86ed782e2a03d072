//! A bounded queue of rows from the reader thread to the sender thread that does not wake for each row.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Maximum items in the queue.
const ITEMS_MAX: usize = 2_048;

/// Maximum bytes of their bodies; a single larger item waits alone.
const BYTES_MAX: usize = 8 << 20;

/// The sending end. Dropping it ends the queue.
pub(super) struct Sender<T>(Arc<Shared<T>>);

/// The receiving end. Dropping it closes the queue.
pub(super) struct Receiver<T>(Arc<Shared<T>>);

struct Shared<T> {
    waiting: Mutex<Waiting<T>>,
    /// Signalled if there is space, or if the queue was closed.
    room: Condvar,
    /// Wakes the receiver, if it found the queue empty.
    wake: Box<dyn Fn() + Send + Sync>,
}

struct Waiting<T> {
    items: VecDeque<(T, usize)>,
    bytes: usize,
    has_ended: bool,
    is_closed: bool,
    /// The receiver found the queue empty and waits for `wake`.
    is_hungry: bool,
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, Waiting<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Waiting<T> {
    fn is_full(&self) -> bool {
        self.items.len() >= ITEMS_MAX || self.bytes >= BYTES_MAX
    }

    /// A blocked sender resumes only with much free space.
    fn has_much_room(&self) -> bool {
        self.items.len() <= ITEMS_MAX / 2 && self.bytes <= BYTES_MAX / 2
    }
}

/// Creates the two ends. `wake` is called on the sender's thread.
pub(super) fn feed<T>(wake: impl Fn() + Send + Sync + 'static) -> (Sender<T>, Receiver<T>) {
    let waiting = Waiting {
        items: VecDeque::new(),
        bytes: 0,
        has_ended: false,
        is_closed: false,
        is_hungry: false,
    };
    let shared =
        Shared { waiting: Mutex::new(waiting), room: Condvar::new(), wake: Box::new(wake) };
    let shared = Arc::new(shared);
    (Sender(shared.clone()), Receiver(shared))
}

impl<T> Sender<T> {
    /// Adds an item of this many bytes; blocks while the queue is full. False once the queue is closed.
    pub(super) fn put(&self, item: T, bytes: usize) -> bool {
        let mut waiting = self.0.lock();
        if waiting.is_full() {
            while !waiting.has_much_room() && !waiting.is_closed {
                waiting = self.0.room.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
        }
        if waiting.is_closed {
            return false;
        }
        waiting.items.push_back((item, bytes));
        waiting.bytes += bytes;
        self.wake(waiting);
        true
    }

    fn wake(&self, mut waiting: MutexGuard<'_, Waiting<T>>) {
        let is_hungry = std::mem::take(&mut waiting.is_hungry);
        drop(waiting);
        if is_hungry {
            (self.0.wake)();
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.has_ended = true;
        self.wake(waiting);
    }
}

impl<T> Receiver<T> {
    /// Takes at most `most` items. False once there will be no more. If the queue was empty, the next item
    /// calls `wake`.
    pub(super) fn take(&self, most: usize, taken: &mut VecDeque<T>) -> bool {
        let mut waiting = self.0.lock();
        let was_full = !waiting.has_much_room();
        for _ in 0..most {
            let Some((item, bytes)) = waiting.items.pop_front() else { break };
            waiting.bytes -= bytes;
            taken.push_back(item);
        }
        waiting.is_hungry = taken.is_empty();
        let goes_on = !(waiting.has_ended && waiting.items.is_empty());
        let has_room = was_full && waiting.has_much_room();
        drop(waiting);
        if has_room {
            self.0.room.notify_one();
        }
        goes_on
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.room.notify_one();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn all_come_out_in_order_and_few_wakes_are_paid() {
        let (wakes, woken) = mpsc::channel();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let (inlet, outlet) = feed(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            let _ = wakes.send(());
        });
        let reader = std::thread::spawn(move || {
            for number in 0..100_000_usize {
                assert!(inlet.put(number, 1));
            }
        });
        let (mut taken, mut next) = (VecDeque::new(), 0);
        loop {
            let goes_on = outlet.take(300, &mut taken);
            assert!(taken.len() <= 300);
            if taken.is_empty() && goes_on {
                woken.recv_timeout(Duration::from_secs(30)).unwrap();
            }
            for number in taken.drain(..) {
                assert_eq!(number, next);
                next += 1;
            }
            if !goes_on {
                break;
            }
        }
        reader.join().unwrap();
        assert_eq!(next, 100_000);
    }

    #[test]
    fn it_is_bounded_by_items_and_by_bytes() {
        for (bytes, most) in [(1, ITEMS_MAX), (BYTES_MAX / 4, 4), (BYTES_MAX * 2, 1)] {
            let (inlet, outlet) = feed(|| ());
            let put = Arc::new(AtomicUsize::new(0));
            let counted = put.clone();
            let reader = std::thread::spawn(move || {
                while inlet.put((), bytes) {
                    counted.fetch_add(1, Ordering::SeqCst);
                }
            });
            while put.load(Ordering::SeqCst) < most {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(20));
            assert_eq!(put.load(Ordering::SeqCst), most);
            drop(outlet);
            reader.join().unwrap();
        }
    }
}

//! The soak's server: plays an answer or a fault for each request, counts what it gets, and judges what the
//! programs say of their calls.
//!
//! It prints the address of the service and that of the judge, where each program first says `program NUMBER NAME`
//! and then a line for each end; `release` lets all paced streams go on, `finish` asks for the table.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test that fails should stop with its reason"
)]

mod judge;
mod plays;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use judge::Judge;
use plays::{After, Asked, Dice, Script};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Notify, watch};

/// The last program numbers are those of paced streams.
const PACED_FROM: u64 = 100;
const TICK: Duration = Duration::from_secs(5);
/// Of more pieces each follows at once.
const SLOW_PIECES: usize = 10;
const REQUEST_MAX: usize = 1 << 20;

struct World {
    judge: RefCell<Judge>,
    connections: RefCell<u64>,
    changed: Notify,
    /// Programs that have not opened all of their paced streams.
    gate: watch::Sender<usize>,
    seed: u64,
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime.expect("a runtime"), serve());
}

async fn serve() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, patience, breaks] = arguments.as_slice() else {
        panic!("usage: SEED PATIENCE_SECONDS BREAK");
    };
    let (service, control) = (listen().await, listen().await);
    let seed = seed.parse().expect("a seed");
    let world = Rc::new(World {
        judge: RefCell::new(Judge::new(seed, breaks)),
        connections: RefCell::new(0),
        changed: Notify::new(),
        gate: watch::Sender::new(0),
        seed,
    });
    tokio::task::spawn_local(watch_for_hangs(
        world.clone(),
        Duration::from_secs(patience.parse().expect("seconds")),
    ));
    let judged = world.clone();
    tokio::task::spawn_local(async move {
        while let Ok((socket, _)) = control.accept().await {
            *judged.connections.borrow_mut() += 1;
            let judged = judged.clone();
            tokio::task::spawn_local(async move {
                listen_to(socket, judged.clone()).await;
                *judged.connections.borrow_mut() -= 1;
                judged.changed.notify_one();
            });
        }
    });
    let mut dice = Dice(seed);
    loop {
        let Ok((socket, _)) = service.accept().await else { continue };
        if dice.roll(200) == 0 && *world.gate.borrow() == 0 {
            world.judge.borrow_mut().closed_unread += 1;
            continue;
        }
        let _ = socket.set_nodelay(true);
        *world.connections.borrow_mut() += 1;
        let world = world.clone();
        tokio::task::spawn_local(async move {
            let _ = connection(socket, &world).await;
            *world.connections.borrow_mut() -= 1;
            world.changed.notify_one();
        });
    }
}

async fn listen() -> TcpListener {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    // As long as the system allows: clients of a full queue retransmit, seconds later.
    let listener = socket.listen(u32::from(u16::MAX)).expect("a listener");
    println!("{}", listener.local_addr().expect("the port"));
    listener
}

/// Asks for the end of the run if a call hangs or nothing new is to be seen.
async fn watch_for_hangs(world: Rc<World>, patience: Duration) {
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await; // clock: between two looks
        let mut judge = world.judge.borrow_mut();
        if judge.hangs(patience) || judge.is_enough() {
            println!("GIVES UP");
            return;
        }
    }
}

/// Reads what a program says.
async fn listen_to(socket: TcpStream, world: Rc<World>) {
    let (read, mut write) = socket.into_split();
    let mut lines = BufReader::new(read).lines();
    let mut program = 0;
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some((number, name)) =
            line.strip_prefix("program ").and_then(|rest| rest.split_once(' '))
        {
            program = number.parse().expect("a number");
            world.gate.send_modify(|waited_for| *waited_for += usize::from(program >= PACED_FROM));
            name.clone_into(
                &mut world.judge.borrow_mut().programs.entry(program).or_default().name,
            );
        } else if line == "release" {
            world.gate.send_modify(|waited_for| *waited_for -= 1);
        } else if line == "finish" {
            // All but this one: what the programs have said is read to its end.
            while *world.connections.borrow() > 1 {
                world.changed.notified().await;
            }
            let table = world.judge.borrow_mut().finish();
            let _ = write.write_all(table.as_bytes()).await;
            let _ = write.shutdown().await;
            std::process::exit(i32::from(world.judge.borrow().violations > 0));
        } else {
            world.judge.borrow_mut().line(program, &line);
        }
    }
}

/// Requests of one connection, until one of both sides closes it.
async fn connection(mut socket: TcpStream, world: &World) -> Option<()> {
    let mut seen = Vec::new();
    loop {
        let asked = next_request(&mut socket, &mut seen).await?;
        let attempt = world.judge.borrow_mut().request(&asked);
        let is_paced = asked.id >> 40 >= PACED_FROM;
        let script = match is_paced {
            true => Script {
                play: 0,
                wire: Vec::new(),
                pieces: Vec::new(),
                after: After::Keep,
                texts: asked.chunks,
            },
            false => world.judge.borrow().plays.script(&asked, attempt),
        };
        world.judge.borrow_mut().answers(asked.id, &script);
        opened(world, i64::from(asked.is_stream));
        let written = match is_paced {
            true => paced(&mut socket, &asked, world).await,
            false => write(&mut socket, &script).await,
        };
        opened(world, -i64::from(asked.is_stream));
        written?;
        match script.after {
            After::Keep => {}
            After::Close => return socket.shutdown().await.ok(),
            After::Reset => return socket.set_zero_linger().ok(),
            After::Hold => {
                while socket.read(&mut [0; 256]).await.ok()? > 0 {}
                return None;
            }
        }
        // Some connections are closed while the next request may be under way.
        if Dice(world.seed ^ asked.id).roll(100) == 0 {
            world.judge.borrow_mut().closed_unread += 1;
            return None;
        }
    }
}

fn opened(world: &World, change: i64) {
    let mut judge = world.judge.borrow_mut();
    judge.open_streams = judge.open_streams.saturating_add_signed(change);
    judge.most_open = judge.most_open.max(judge.open_streams);
}

async fn write(socket: &mut TcpStream, script: &Script) -> Option<()> {
    let mut from = 0;
    for &to in &script.pieces {
        socket.write_all(&script.wire[from..to]).await.ok()?;
        from = to;
        if script.pieces.len() > SLOW_PIECES {
            tokio::task::yield_now().await; // many: however busy the machine is, they come in time
            continue;
        }
        // clock: the slowness itself
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    socket.write_all(&script.wire[from..]).await.ok()
}

/// A chunk now and then, until all streams that there shall be are open.
async fn paced(socket: &mut TcpStream, asked: &Asked, world: &World) -> Option<()> {
    let mut gate = world.gate.subscribe();
    let head =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    socket.write_all(head).await.ok()?;
    for chunk in 0..asked.chunks {
        let wire = world.judge.borrow().plays.paced(asked, chunk);
        socket.write_all(&wire).await.ok()?;
        let _ = tokio::time::timeout(TICK, gate.wait_for(|waited_for| *waited_for == 0)).await;
    }
    Some(())
}

/// What the next request asks for.
async fn next_request(socket: &mut TcpStream, seen: &mut Vec<u8>) -> Option<Asked> {
    loop {
        if let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = std::str::from_utf8(&seen[..end]).ok()?;
            let is_responses = head.split(' ').nth(1)?.ends_with("/responses");
            let mut fields = head.lines().filter_map(|line| line.split_once(':'));
            let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"))?;
            let whole = end + 4 + length.1.trim().parse::<usize>().ok()?;
            while seen.len() < whole {
                read_more(socket, seen).await?;
            }
            let asked = asked(std::str::from_utf8(&seen[end + 4..whole]).ok()?, is_responses);
            seen.drain(..whole);
            return asked;
        }
        read_more(socket, seen).await?;
    }
}

async fn read_more(socket: &mut TcpStream, seen: &mut Vec<u8>) -> Option<()> {
    (seen.len() < REQUEST_MAX && socket.read_buf(seen).await.ok()? > 0).then_some(())
}

/// Of a body with the name `PROGRAM.NUMBER.CHUNKS`.
fn asked(body: &str, is_responses: bool) -> Option<Asked> {
    let before = if is_responses { "\"input\":\"" } else { "\"content\":\"" };
    let name = body.split_once(before)?.1.split('"').next()?;
    let mut parts = name.split('.');
    let (program, number): (u64, u64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(Asked {
        id: program << 40 | number,
        chunks: parts.next()?.parse().ok().filter(|chunks| (1..4000).contains(chunks))?,
        is_stream: body.contains("\"stream\":true"),
        is_responses,
        is_bulk: name.ends_with(".b"),
        is_stream_only: name.ends_with(".o"),
    })
}

//! What the soak's server knows of each call, what the programs say of it, and whether both agree.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write;
use std::time::{Duration, Instant};

use super::plays::{Asked, PLAYS, Plays, RETRY_AFTER_MS, Script, Told, name, usage};

/// A call is judged when this number of others has ended after it, and not before this time, so that late
/// requests are counted. The system may retransmit the request of a call after the call was cancelled.
const JUDGED_AFTER: usize = 20_000;
const JUDGED_AFTER_TIME: Duration = Duration::from_secs(20); // clock: bounds retransmission
/// The number of a call in its id; its program is above.
const NUMBERS: u64 = (1 << 40) - 1;
const VIOLATIONS_MAX: usize = 20;
/// Retries of every client of the soak.
const ATTEMPTS_MAX: u32 = 4;

/// What the server knows of a call.
struct Seen {
    asked: Asked,
    requests: u32,
    play: usize,
    texts: u32,
    not_before: Option<Instant>,
}

/// What a program says of a call.
#[derive(Clone)]
struct End {
    kind: String,
    metered: String,
    attempts: Option<u32>,
    chunks: u32,
    checksum: u32,
    is_cancelled: bool,
}

/// One client program.
#[derive(Default)]
pub struct Program {
    pub name: String,
    /// A bit for each call that has ended.
    ended: Vec<u64>,
    lowest: u64,
    lowest_since: Option<Instant>,
    requests_before: u64,
    ends: u64,
    kinds: BTreeMap<String, u64>,
    chunks: u64,
    resends: u64,
    violations: u64,
    /// At least and at most, of all calls.
    attempts: (u64, u64),
    requests: u64,
    unseen: u64,
    /// At least and at most: calls with usage, calls without, tokens in, tokens out.
    used: [(u64, u64); 4],
    said: HashMap<String, u64>,
    is_over: bool,
    first: Option<Instant>,
    last: Option<Instant>,
}

pub struct Judge {
    pub plays: Plays,
    breaks: String,
    seen: HashMap<u64, Seen>,
    ended: VecDeque<(u64, Instant, End)>,
    pub programs: BTreeMap<u64, Program>,
    pub violations: usize,
    /// Connections that were closed while no request was read from them.
    pub closed_unread: u64,
    pub open_streams: u64,
    pub most_open: u64,
}

impl Judge {
    pub fn new(seed: u64, breaks: &str) -> Judge {
        let mut plays = Plays::new(seed);
        plays.drops_chunks = breaks == "chunk";
        Judge {
            plays,
            breaks: breaks.to_owned(),
            seen: HashMap::new(),
            ended: VecDeque::new(),
            programs: BTreeMap::new(),
            violations: 0,
            closed_unread: 0,
            open_streams: 0,
            most_open: 0,
        }
    }

    /// Whether this is broken on purpose, for some calls.
    fn breaks(&self, what: &str, id: u64) -> bool {
        self.breaks == what && id % 50 == 7
    }

    fn violation(&mut self, program: u64, what: &str) {
        self.violations += 1;
        let program = self.programs.entry(program).or_default();
        program.violations += 1;
        if self.violations <= VIOLATIONS_MAX {
            println!("VIOLATION {}: {what}", program.name);
        }
    }

    /// Whether there are enough violations: more show nothing new.
    pub fn is_enough(&self) -> bool {
        self.violations > VIOLATIONS_MAX
    }

    /// A request has arrived whole: the number of this attempt.
    pub fn request(&mut self, asked: &Asked) -> u32 {
        let (id, is_generous) = (asked.id, asked.id % 4 == 3 && !asked.is_bulk);
        let is_double = self.breaks("count", id);
        self.programs.entry(id >> 40).or_default().requests += 1;
        let seen = self.seen.entry(id).or_insert(Seen {
            asked: *asked,
            requests: 0,
            play: 0,
            texts: 0,
            not_before: None,
        });
        if seen.requests > 0 {
            let is_told = match PLAYS[seen.play].told {
                Told::Never => false,
                Told::Always => self.breaks != "resend",
                Told::IfGenerous | Told::PerhapsIfGenerous => is_generous,
            };
            let is_early = seen.not_before.is_some_and(|moment| Instant::now() < moment);
            let (requests, play) = (seen.requests, PLAYS[seen.play].name);
            seen.requests += 1;
            self.programs.entry(id >> 40).or_default().resends += 1;
            let name = name(id, asked.chunks);
            if !is_told {
                self.violation(
                    id >> 40,
                    &format!("{name} sent again untold, after {requests} and \"{play}\""),
                );
            }
            if is_early {
                self.violation(id >> 40, &format!("{name} sent again before its Retry-After"));
            }
            return requests;
        }
        seen.requests = 1 + u32::from(is_double);
        0
    }

    /// What is about to be written.
    pub fn answers(&mut self, id: u64, script: &Script) {
        let Some(seen) = self.seen.get_mut(&id) else { return };
        (seen.play, seen.texts) = (script.play, script.texts);
        let asks = PLAYS[script.play].name == "429 with Retry-After";
        seen.not_before = asks.then(|| Instant::now() + Duration::from_millis(RETRY_AFTER_MS));
    }

    fn is_ended(&self, id: u64) -> bool {
        self.programs.get(&(id >> 40)).is_some_and(|program| program.is_ended(id & NUMBERS))
    }

    /// A line of a program: the end of a call, `NUMBER KIND METERED ATTEMPTS CHUNKS CHECKSUM CANCELLED`, or
    /// `said NAME=VALUE ...`.
    pub fn line(&mut self, program: u64, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let parsed = match *words.as_slice() {
            ["said", ref pairs @ ..] => {
                let pairs = pairs.iter().filter_map(|pair| pair.split_once('='));
                let pairs =
                    pairs.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
                let said: Vec<_> = pairs.collect();
                let program = self.programs.entry(program).or_default();
                program.is_over = true;
                program.said.extend(said);
                return;
            }
            [number, kind, metered, attempts, chunks, checksum, cancelled] => (|| {
                let end = End {
                    kind: kind.to_owned(),
                    metered: metered.to_owned(),
                    attempts: attempts.parse().ok(),
                    chunks: chunks.parse().ok()?,
                    checksum: checksum.parse().ok()?,
                    is_cancelled: cancelled == "1",
                };
                Some((number.parse::<u64>().ok()?, end))
            })(),
            _ => None,
        };
        let Some((number, end)) = parsed else {
            return self.violation(program, &format!("a line that is none: {line}"));
        };
        let id = program << 40 | number;
        if self.breaks("lost", id) || (self.breaks == "hang" && number > 500) {
            return;
        }
        if self.breaks("twice", id) {
            self.end(id, end.clone());
        }
        self.end(id, end);
    }

    fn end(&mut self, id: u64, mut end: End) {
        if self.is_ended(id) {
            return self.violation(id >> 40, &format!("{} ended twice: {}", name(id, 0), end.kind));
        }
        if self.breaks("metered", id) && end.kind != "ok" {
            "not_sent".clone_into(&mut end.metered);
        }
        let number = id & NUMBERS;
        let program = self.programs.entry(id >> 40).or_default();
        let word = number as usize / 64;
        if program.ended.len() <= word {
            program.ended.resize(word + 1, 0);
        }
        program.ended[word] |= 1 << (number % 64);
        program.ends += 1;
        program.last = Some(Instant::now());
        program.first = program.first.or(program.last);
        program.chunks += u64::from(end.chunks);
        *program.kinds.entry(end.kind.clone()).or_default() += 1;
        self.ended.push_back((id, Instant::now(), end));
        while self.ended.len() > JUDGED_AFTER
            && self.ended.front().is_some_and(|(_, at, _)| at.elapsed() > JUDGED_AFTER_TIME)
        {
            self.judge_one();
        }
    }

    fn judge_one(&mut self) {
        let Some((id, _, end)) = self.ended.pop_front() else { return };
        let seen = self.seen.remove(&id);
        let is_played_otherwise = self.breaks("kind", id);
        if let Err(what) = self.judge(id, seen.as_ref(), &end, is_played_otherwise) {
            let End { kind, metered, attempts, chunks, .. } = &end;
            let (of, served) = seen.as_ref().map_or((0, "no request".to_owned()), |seen| {
                let form = if seen.asked.is_stream { "stream" } else { "plain" };
                let play = PLAYS[seen.play].name;
                (
                    seen.asked.chunks,
                    format!("{} requests, {form}, last play \"{play}\"", seen.requests),
                )
            });
            let attempts = attempts.map_or("?".to_owned(), |attempts| attempts.to_string());
            let name = name(id, of);
            let what = format!(
                "{name} {what}: {kind}, metered {metered}, {attempts} attempts, {chunks} chunks; {served}"
            );
            self.violation(id >> 40, &what);
        }
    }

    /// Whether the end of a call is one that it may have.
    fn judge(
        &mut self,
        id: u64,
        seen: Option<&Seen>,
        end: &End,
        breaks: bool,
    ) -> Result<(), &'static str> {
        let kind = end.kind.as_str();
        let (is_ok, is_left) = (kind == "ok", kind == "left");
        let requests = seen.map_or(0, |seen| seen.requests);
        let attempts = end.attempts.unwrap_or(requests);
        let is_bulk = seen.is_some_and(|seen| seen.asked.is_bulk);
        let is_generous = id % 4 == 3 && !is_bulk;
        let program = self.programs.entry(id >> 40).or_default();
        program.attempts.0 += u64::from(attempts);
        program.attempts.1 +=
            u64::from(if end.attempts.is_none() { ATTEMPTS_MAX } else { attempts });
        if attempts < requests {
            return Err("has fewer attempts than the server saw requests");
        }
        // Its last attempt may have been before its connection.
        let is_stopped =
            end.is_cancelled && matches!(kind, "cancelled" | "timeout" | "left" | "closed");
        if !is_stopped {
            program.unseen += u64::from(attempts - requests);
        }
        if attempts > ATTEMPTS_MAX && !is_bulk {
            return Err("has too many attempts");
        }
        if !is_generous && attempts - requests > u32::from(!is_ok && !is_left) {
            return Err("has more attempts than the server saw requests");
        }
        let is_error = !is_ok && !is_left;
        if is_error && requests > 0 && matches!(end.metered.as_str(), "not_sent" | "normally_not") {
            return Err("says a metered that is too low");
        }
        if is_error && end.chunks > 0 && end.metered != "entered" {
            return Err("got chunks and says another metered");
        }
        let is_unseen = attempts > requests || end.attempts.is_none();
        let may_be = is_stopped || (is_unseen && matches!(kind, "disconnected" | "connect"));
        let Some(seen) = seen else {
            return (may_be && end.chunks == 0).then_some(()).ok_or("ended so without a request");
        };
        let play = &PLAYS[if breaks { 12 } else { seen.play }];
        if !(may_be || play.ends.contains(&kind) || (is_left && seen.texts > 0)) {
            return Err("ended otherwise than was played");
        }
        let is_told = play.told == Told::Always || (play.told == Told::IfGenerous && is_generous);
        if is_told
            && is_error
            && play.ends.contains(&kind)
            && !is_bulk
            && !end.is_cancelled
            && attempts < ATTEMPTS_MAX
        {
            return Err("was not sent again");
        }
        let of = seen.asked.chunks;
        let whole = if is_ok { of } else { end.chunks };
        if end.checksum != self.plays.checksum(id, of, whole) {
            return Err("has another content");
        }
        let arrived = end.chunks;
        let may_lack = !is_ok && (end.is_cancelled || is_left || play.name == "reset body");
        let is_stream = seen.asked.is_stream && !seen.asked.is_stream_only;
        if is_stream && (arrived > seen.texts || (arrived < seen.texts && !may_lack)) {
            return Err("has not the chunks that were sent");
        }
        if is_ok || (is_left && play.ends == ["ok"]) {
            let used = usage(id, of);
            let (input, output) = used.unwrap_or((0, 0));
            let counted = [u64::from(used.is_some()), u64::from(used.is_none()), input, output];
            let program = self.programs.entry(id >> 40).or_default();
            for ((least, most), count) in program.used.iter_mut().zip(counted) {
                *least += if is_ok { count } else { 0 };
                *most += count;
            }
        }
        Ok(())
    }

    /// A call that has not ended for so long, or a program that says nothing.
    pub fn hangs(&mut self, patience: Duration) -> bool {
        let mut found = None;
        for (&number, program) in &mut self.programs {
            let lowest = program.find_lowest();
            let waited = program.lowest_since.map_or(Duration::ZERO, |since| since.elapsed());
            if waited > patience && !program.is_over {
                found = Some((number, lowest));
            }
        }
        let Some((number, lowest)) = found else { return false };
        let id = number << 40 | lowest;
        let seen = self.seen.get(&id);
        let what = match seen {
            Some(seen) => {
                format!("{} requests, last play {}", seen.requests, PLAYS[seen.play].name)
            }
            None => "no request".to_owned(),
        };
        let what =
            format!("{} does not end: {what}", name(id, seen.map_or(0, |seen| seen.asked.chunks)));
        self.violation(number, &what);
        true
    }

    /// All that is left, and the sums; the table.
    pub fn finish(&mut self) -> String {
        while !self.ended.is_empty() {
            self.judge_one();
        }
        let left: Vec<_> = self.seen.drain().collect();
        for (id, seen) in left {
            let what =
                if self.is_ended(id) { "was sent after it was judged" } else { "has no end" };
            self.violation(
                id >> 40,
                &format!("{} {what}, {} requests", name(id, seen.asked.chunks), seen.requests),
            );
        }
        let numbers: Vec<u64> = self.programs.keys().copied().collect();
        let mut unseen = 0;
        for number in numbers {
            let program = self.programs.entry(number).or_default();
            program.find_lowest();
            unseen += program.unseen;
            for what in self.sums(number) {
                self.violation(number, &what);
            }
        }
        if unseen > self.closed_unread {
            let what = format!(
                "{unseen} attempts never arrived, and only {} connections were closed before",
                self.closed_unread
            );
            self.violation(0, &what);
        }
        let mut table = String::new();
        for program in self.programs.values().filter(|program| !program.name.is_empty()) {
            let Program { name, ends, chunks, resends, violations, kinds, .. } = program;
            let errors = kinds.iter().filter(|(kind, _)| *kind != "ok");
            let errors: Vec<_> = errors.map(|(kind, count)| format!("{kind} {count}")).collect();
            let took = program
                .last
                .zip(program.first)
                .map_or(0.0, |(last, first)| (last - first).as_secs_f64());
            let rate =
                if took > 1.0 { format!("{:.0}", *ends as f64 / took) } else { "-".to_owned() };
            let _ = writeln!(
                table,
                "{name}\t{ends}\t{chunks}\t{resends}\t{}\t{violations}\t{rate}",
                errors.join(", ")
            );
        }
        let _ = writeln!(table, "most open\t{}", self.most_open);
        table
    }

    /// What a program's own sums say otherwise.
    fn sums(&self, number: u64) -> Vec<String> {
        let Some(program) = self.programs.get(&number) else { return Vec::new() };
        let Program { said, ends, attempts, requests, used, lowest, .. } = program;
        let given = |name: &str| said.get(name).copied();
        let dropped = given("dropped").unwrap_or(0);
        let mut bounds = vec![("calls", *ends, *ends), ("records", ends - dropped, ends - dropped)];
        if dropped == 0 {
            bounds.push(("attempts", attempts.0, attempts.1));
        }
        bounds.push(("sent", *requests, requests + self.closed_unread));
        bounds.push(("after", 0, given("before").unwrap_or(0)));
        let names = ["used", "unused", "input", "output"];
        bounds.extend(names.iter().zip(used).map(|(name, (least, most))| (*name, *least, *most)));
        let mut wrong = Vec::new();
        for (name, least, most) in bounds {
            let broken = u64::from(self.breaks == name) * (1 + most);
            if let Some(value) = given(name)
                .map(|value| value + broken)
                .filter(|value| !(least..=most).contains(value))
            {
                wrong.push(format!("says {value} {name}, and the server knows {least} to {most}"));
            }
        }
        if lowest != ends {
            wrong.push(format!("the call {} has no end", name(number << 40 | lowest, 0)));
        }
        wrong
    }
}

impl Program {
    fn is_ended(&self, number: u64) -> bool {
        let word = self.ended.get(number as usize / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The first call that has not ended.
    fn find_lowest(&mut self) -> u64 {
        let mut lowest = self.lowest;
        while self.is_ended(lowest) {
            lowest += 1;
        }
        // A bulk job says its ends when it is over.
        let is_moving = self.name == "bulk" && self.requests != self.requests_before;
        if lowest != self.lowest || is_moving || self.lowest_since.is_none() {
            self.lowest_since = Some(Instant::now());
        }
        self.requests_before = self.requests;
        self.lowest = lowest;
        lowest
    }
}

//! Numbers for people: counts, rates, shares and times.

use std::time::Duration;

/// A count with thousands separators: `48,213`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate or an amount in at most five characters: `0.52`, `7.3`, `348`, `9,973`, `48.1k`, `1.23M`.
pub fn short(number: f64) -> String {
    if !number.is_finite() || number <= 0.0 {
        return "0".to_owned();
    }
    for (from, unit, sign) in [(999.95e6, 1e9, "G"), (999.95e3, 1e6, "M"), (9_999.5, 1e3, "k")] {
        if number >= from {
            let digits = match number / unit {
                few if few < 9.995 => 2,
                some if some < 99.95 => 1,
                _ => 0,
            };
            return format!("{:.digits$}{sign}", number / unit);
        }
    }
    match number {
        small if small < 0.995 => format!("{small:.2}"),
        some if some < 99.95 => format!("{some:.1}"),
        many => grouped(many.round() as u64),
    }
}

/// A percentage: `0 %`, `0.4 %`, `12 %`. A positive share is never shown as 0 %.
pub fn percent(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".to_owned();
    }
    let share = part as f64 * 100.0 / whole as f64;
    match share {
        tiny if tiny < 0.05 => "< 0.1 %".to_owned(),
        small if small < 9.95 => format!("{small:.1} %"),
        _ => format!("{share:.0} %"),
    }
}

/// A measured time: `0.4 s`, `41.5 s`, `3 min 07 s`, `2 h 10 min`, `3 d 4 h`.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round().min(u64::MAX as f64) as u64;
    let (minutes, hours, days) = (whole / 60, whole / 3_600, whole / 86_400);
    match whole {
        0..3_600 => format!("{minutes} min {:02} s", whole % 60),
        3_600..86_400 => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// A countdown: `0:42`, `2:10:05`, `3d 04h`.
pub fn clock(time: Duration) -> String {
    let whole = time.as_secs_f64().ceil().min(u64::MAX as f64) as u64;
    let (minutes, hours, days) = (whole / 60, whole / 3_600, whole / 86_400);
    match whole {
        0..3_600 => format!("{minutes}:{:02}", whole % 60),
        3_600..86_400 => format!("{hours}:{:02}:{:02}", minutes % 60, whole % 60),
        _ => format!("{days}d {:02}h", hours % 24),
    }
}

/// A count with its noun in singular or plural: `1 row`, `2 rows`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    let what = if count == 1 { one } else { many };
    format!("{} {what}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (count, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (48_213, "48,213"), (1_000_000, "1,000,000")]
        {
            assert_eq!(grouped(count), text);
        }
        for (number, text) in [
            (0.0, "0"),
            (f64::NAN, "0"),
            (0.003, "0.00"),
            (0.52, "0.52"),
            (7.32, "7.3"),
            (348.4, "348"),
            (9_973.2, "9,973"),
            (48_123.0, "48.1k"),
            (481_230.0, "481k"),
            (1_234_567.0, "1.23M"),
            (999_999.0, "1.00M"),
            (2.5e9, "2.50G"),
        ] {
            assert_eq!(short(number), text, "{number}");
        }
        for (part, whole, text) in [
            (0, 5, "0 %"),
            (0, 0, "0 %"),
            (1, 1_000_000, "< 0.1 %"),
            (4, 1_000, "0.4 %"),
            (12, 100, "12 %"),
        ] {
            assert_eq!(percent(part, whole), text);
        }
    }

    #[test]
    fn times_read_well() {
        let seconds = Duration::from_secs_f64;
        for (of, measured, counted_down) in [
            (0.41, "0.4 s", "0:01"),
            (41.5, "41.5 s", "0:42"),
            (59.97, "1 min 00 s", "1:00"),
            (187.2, "3 min 07 s", "3:08"),
            (7_805.0, "2 h 10 min", "2:10:05"),
            (273_600.0, "3 d 4 h", "3d 04h"),
        ] {
            assert_eq!(
                (time(seconds(of)).as_str(), clock(seconds(of)).as_str()),
                (measured, counted_down)
            );
        }
        assert_eq!(counted(1, "row", "rows"), "1 row");
        assert_eq!(counted(2_000, "row", "rows"), "2,000 rows");
    }
}

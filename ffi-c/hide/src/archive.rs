//! An archive of `ar`, in the form that System V and GNU have. Knows no object file.

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER_BYTES: usize = 60;
/// Members begin at even places, and this stands between them.
const PADDING: u8 = b'\n';

/// An archive in parts. Its index of symbols is left out, and made anew.
pub(crate) struct Archive {
    members: Vec<Member>,
}

struct Member {
    /// The name, times and owner, as they came.
    head: [u8; 48],
    body: Vec<u8>,
}

impl Member {
    fn is_index(&self) -> bool {
        self.head.starts_with(b"/ ") || self.head.starts_with(b"/SYM64/ ")
    }

    /// Names that are too long for the head.
    fn is_names(&self) -> bool {
        self.head.starts_with(b"// ")
    }

    fn name(&self) -> String {
        let name = self.head.iter().take(16).take_while(|byte| **byte != b' ');
        name.map(|byte| char::from(*byte)).collect()
    }

    fn bytes(&self) -> usize {
        HEADER_BYTES + self.body.len() + self.body.len() % 2
    }

    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.head);
        to.extend(format!("{:<10}`\n", self.body.len()).into_bytes());
        to.extend(&self.body);
        if !self.body.len().is_multiple_of(2) {
            to.push(PADDING);
        }
    }
}

impl Archive {
    pub(crate) fn read(bytes: &[u8]) -> Result<Archive, String> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or("is no archive")?;
        let mut members = Vec::new();
        while !rest.is_empty() {
            let (member, after) = member(rest).ok_or("is an archive that is cut short")?;
            rest = after;
            if !member.is_index() {
                members.push(member);
            }
        }
        Ok(Archive { members })
    }

    /// Each object with its name.
    pub(crate) fn objects(&mut self) -> impl Iterator<Item = (String, &mut Vec<u8>)> {
        let objects = self.members.iter_mut().filter(|member| !member.is_names());
        objects.map(|member| (member.name(), &mut member.body))
    }

    /// The whole, with an index of what `defined` says of each object.
    pub(crate) fn written(
        &self,
        defined: impl Fn(&[u8]) -> Option<Vec<Vec<u8>>>,
    ) -> Result<Vec<u8>, String> {
        let (mut names, mut owners, mut at) = (Vec::new(), Vec::new(), 0);
        for member in &self.members {
            if !member.is_names() {
                for name in defined(&member.body).unwrap_or_default() {
                    owners.push(at);
                    names.extend(name);
                    names.push(0);
                }
            }
            at += member.bytes();
        }
        // Each number has four bytes.
        let index = 4 * (1 + owners.len()) + names.len();
        let begin = MAGIC.len() + HEADER_BYTES + index + index % 2;
        let number = |number: usize| {
            u32::try_from(number).map(u32::to_be_bytes).map_err(|_| "is too large".to_owned())
        };
        let mut body = Vec::from(number(owners.len())?);
        for owner in &owners {
            body.extend(number(begin + owner)?);
        }
        body.extend(names);
        let head = *b"/               0           0     0     0       ";
        let mut all = MAGIC.to_vec();
        Member { head, body }.write(&mut all);
        self.members.iter().for_each(|member| member.write(&mut all));
        Ok(all)
    }
}

/// The member that begins here, and what follows it.
fn member(bytes: &[u8]) -> Option<(Member, &[u8])> {
    let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
    let (head, size) = header.split_first_chunk::<48>()?;
    let size = std::str::from_utf8(size.strip_suffix(b"`\n")?).ok()?.trim_end().parse().ok()?;
    let (body, rest) = rest.split_at_checked(size)?;
    // The last one may do without.
    let rest = if size % 2 == 1 { rest.get(1..).unwrap_or_default() } else { rest };
    Some((Member { head: *head, body: body.to_vec() }, rest))
}

//! Finds out whether a compiled Java class can be started. The format is that of the Java Virtual Machine Specification,
//! chapter 4.

/// Returns the name of a class that has a method `public static void main(String[])`, with points between its parts.
pub(super) fn startable(bytes: &[u8]) -> Option<String> {
    const PUBLIC_STATIC: u16 = 0x0009;
    let mut input = Input(bytes);
    if input.take(4)? != [0xca, 0xfe, 0xba, 0xbe] {
        return None;
    }
    input.take(4)?;
    let pool = constants(&mut input)?;
    input.take(2)?;
    let class = input.number()?;
    input.take(2)?;
    let interfaces = input.number()?;
    input.take(2 * usize::from(interfaces))?;
    let _fields = members(&mut input)?;
    let is_main = |member: &Member| {
        member.flags & PUBLIC_STATIC == PUBLIC_STATIC
            && text(&pool, member.name) == Some(b"main")
            && text(&pool, member.descriptor) == Some(b"([Ljava/lang/String;)V")
    };
    members(&mut input)?.iter().any(is_main).then_some(())?;
    let Constant::Class(name) = pool.get(usize::from(class))? else { return None };
    Some(String::from_utf8_lossy(text(&pool, *name)?).replace('/', "."))
}

/// What is needed of an entry of the constant pool.
enum Constant<'a> {
    Text(&'a [u8]),
    /// The place of its name.
    Class(u16),
    Other,
}

struct Member {
    flags: u16,
    name: u16,
    descriptor: u16,
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn long_number(&mut self) -> Option<usize> {
        usize::try_from(u32::from_be_bytes(self.take(4)?.try_into().ok()?)).ok()
    }
}

fn constants<'a>(input: &mut Input<'a>) -> Option<Vec<Constant<'a>>> {
    let count = usize::from(input.number()?);
    // Places count from 1.
    let mut pool = vec![Constant::Other];
    while pool.len() < count {
        let tag = input.take(1)?[0];
        match tag {
            1 => {
                let length = input.number()?;
                pool.push(Constant::Text(input.take(usize::from(length))?));
            }
            7 => pool.push(Constant::Class(input.number()?)),
            // Numbers of 64 bits take two places.
            5 | 6 => {
                input.take(8)?;
                pool.extend([Constant::Other, Constant::Other]);
            }
            _ => {
                input.take(match tag {
                    8 | 16 | 19 | 20 => 2,
                    15 => 3,
                    3 | 4 | 9..=12 | 17 | 18 => 4,
                    _ => return None,
                })?;
                pool.push(Constant::Other);
            }
        }
    }
    Some(pool)
}

fn text<'a>(pool: &[Constant<'a>], place: u16) -> Option<&'a [u8]> {
    match pool.get(usize::from(place))? {
        Constant::Text(text) => Some(text),
        _ => None,
    }
}

/// Reads fields or methods.
fn members(input: &mut Input<'_>) -> Option<Vec<Member>> {
    let count = input.number()?;
    let mut read = || {
        let member = Member { flags: input.number()?, name: input.number()?, descriptor: input.number()? };
        for _ in 0..input.number()? {
            input.take(2)?;
            let length = input.long_number()?;
            input.take(length)?;
        }
        Some(member)
    };
    (0..count).map(|_| read()).collect()
}

#[cfg(test)]
mod tests {
    use super::startable;

    /// A class with one field, and one method of these flags and this name.
    fn class(flags: u16, method: &str) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 9];
        // Places: 1 a number of 64 bits, 3 the class's name, 4 the class, 5 the method's name, 6 its type, 7 a text, 8 a string.
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 0]);
        let text = |text: &str| [&[1][..], &u16::try_from(text.len()).unwrap().to_be_bytes(), text.as_bytes()].concat();
        bytes.extend(text("a/b/Bot"));
        bytes.extend([7, 0, 3]);
        bytes.extend(text(method));
        bytes.extend(text("([Ljava/lang/String;)V"));
        bytes.extend(text("Code"));
        bytes.extend([8, 0, 7]);
        // Flags, this class, its parent, no interfaces.
        bytes.extend([0, 0x21, 0, 4, 0, 4, 0, 0]);
        // One field with an attribute of three bytes.
        bytes.extend([0, 1, 0, 9, 0, 5, 0, 6, 0, 1, 0, 7, 0, 0, 0, 3, 1, 2, 3]);
        bytes.extend([0, 1]);
        bytes.extend(flags.to_be_bytes());
        bytes.extend([0, 5, 0, 6, 0, 0]);
        bytes
    }

    #[test]
    fn a_class_with_a_main_method_can_be_started() {
        assert_eq!(startable(&class(0x0009, "main")).as_deref(), Some("a.b.Bot"));
        assert_eq!(startable(&class(0x0089, "main")).as_deref(), Some("a.b.Bot"), "variable arguments");
        assert_eq!(startable(&class(0x0001, "main")), None, "not static");
        assert_eq!(startable(&class(0x0009, "play")), None);
    }

    #[test]
    fn what_is_no_class_is_not_started() {
        let whole = class(0x0009, "main");
        for length in 0..whole.len() {
            assert_eq!(startable(&whole[..length]), None, "{length}");
        }
        assert_eq!(startable(b"\x7fELF and more"), None);
    }
}

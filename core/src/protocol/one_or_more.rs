//! A list of nearly always one element, which needs no allocation.

/// A list whose first element stands in place; further ones cost an allocation.
#[derive(Clone, Debug)]
pub(crate) struct OneOrMore<T> {
    first: Option<T>,
    further: Vec<T>,
}

impl<T> Default for OneOrMore<T> {
    fn default() -> OneOrMore<T> {
        OneOrMore::NEW
    }
}

impl<T> OneOrMore<T> {
    pub(crate) const NEW: OneOrMore<T> = OneOrMore { first: None, further: Vec::new() };

    pub(crate) fn of(element: T) -> OneOrMore<T> {
        OneOrMore { first: Some(element), further: Vec::new() }
    }

    pub(crate) fn push(&mut self, element: T) {
        match &self.first {
            None => self.first = Some(element),
            Some(_) => self.further.push(element),
        }
    }

    pub(crate) fn get(&self, at: u32) -> Option<&T> {
        match at.checked_sub(1) {
            None => self.first.as_ref(),
            Some(at) => self.further.get(at as usize),
        }
    }

    pub(crate) fn last(&self) -> Option<&T> {
        self.further.last().or(self.first.as_ref())
    }

    pub(crate) fn len(&self) -> usize {
        self.further.len() + usize::from(self.first.is_some())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(&self.further)
    }

    /// Returns the list and leaves an empty one, with room for as many.
    pub(crate) fn take(&mut self) -> OneOrMore<T> {
        let further = Vec::with_capacity(self.further.len());
        std::mem::replace(self, OneOrMore { first: None, further })
    }
}

#[cfg(test)]
mod tests {
    use super::OneOrMore;

    #[test]
    fn the_last_element_is_the_newest() {
        let mut list = OneOrMore::default();
        assert_eq!(list.last(), None);
        for element in [1, 2, 3] {
            list.push(element);
            assert_eq!(list.last(), Some(&element));
        }
    }
}

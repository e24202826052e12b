"""Who of the researchers belongs to a corpus: the gate of its addresses, actions, the page and REST of members."""

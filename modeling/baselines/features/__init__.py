"""The features of a pair: by name (words and pairs of words), and measures (shares and counts)."""

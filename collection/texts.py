"""How a corpus's language is shown."""

# Languages that are written from right to left, by the first part of their BCP 47 tag.
RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})


def direction_of(language: str) -> str:
    """ "rtl" or "ltr" for a BCP 47 tag such as "ar" or "ur-PK"."""
    return "rtl" if language.split("-")[0].lower() in RIGHT_TO_LEFT else "ltr"

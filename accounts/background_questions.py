"""Optional questions about a person's background, with their answers."""

from shared.translatable import gettext_noop

# Counts of fewer people are never published, and larger ones are rounded down to a multiple of this, so that neither a
# count nor the difference between two releases reveals one person's answer.
FLOOR = 5

AGES = {
    "18-24": gettext_noop("18 to 24"),
    "25-34": gettext_noop("25 to 34"),
    "35-44": gettext_noop("35 to 44"),
    "45-54": gettext_noop("45 to 54"),
    "55-64": gettext_noop("55 to 64"),
    "65+": gettext_noop("65 or older"),
}
GENDERS = {
    "woman": gettext_noop("a woman"),
    "man": gettext_noop("a man"),
    "another": gettext_noop("another gender"),
}
EDUCATION = {
    "school": gettext_noop("school"),
    "vocational": gettext_noop("vocational training"),
    "bachelor": gettext_noop("a bachelor's degree or the like"),
    "graduate": gettext_noop("a master's degree, a doctorate or the like"),
}
REGIONS = {
    "africa": gettext_noop("Africa"),
    "asia": gettext_noop("Asia"),
    "europe": gettext_noop("Europe"),
    "latin-america": gettext_noop("Latin America and the Caribbean"),
    "northern-america": gettext_noop("Northern America"),
    "oceania": gettext_noop("Oceania"),
}
# The other names are in Django's own catalogue.
LANGUAGES = {
    "ar": "Arabic",
    "bn": "Bengali",
    "bg": "Bulgarian",
    "ca": "Catalan",
    "zh": gettext_noop("Chinese"),
    "hr": "Croatian",
    "cs": "Czech",
    "da": "Danish",
    "nl": "Dutch",
    "en": "English",
    "et": "Estonian",
    "fi": "Finnish",
    "fr": "French",
    "de": "German",
    "el": "Greek",
    "gu": gettext_noop("Gujarati"),
    "ha": gettext_noop("Hausa"),
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "ig": "Igbo",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "jv": gettext_noop("Javanese"),
    "kn": "Kannada",
    "ko": "Korean",
    "lv": "Latvian",
    "lt": "Lithuanian",
    "ms": gettext_noop("Malay"),
    "ml": "Malayalam",
    "mr": "Marathi",
    "no": gettext_noop("Norwegian"),
    "fa": "Persian",
    "pl": "Polish",
    "pt": "Portuguese",
    "pa": "Punjabi",
    "ro": "Romanian",
    "ru": "Russian",
    "sr": "Serbian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "so": gettext_noop("Somali"),
    "es": "Spanish",
    "sw": "Swahili",
    "sv": "Swedish",
    "tl": gettext_noop("Tagalog"),
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "yo": gettext_noop("Yoruba"),
    "zu": gettext_noop("Zulu"),
    "other": gettext_noop("another language"),
}
# Field -> the question and its answers.
QUESTIONS = {
    "age": (gettext_noop("How old are you?"), AGES),
    "gender": (gettext_noop("What is your gender?"), GENDERS),
    "first_language": (gettext_noop("Which language did you learn first?"), LANGUAGES),
    "education": (gettext_noop("What is your highest level of education?"), EDUCATION),
    "region": (gettext_noop("Where did you grow up?"), REGIONS),
}


def published_count(number: int) -> int:
    """Returns the published form of a count of people: rounded down to a multiple of FLOOR."""
    return number // FLOOR * FLOOR

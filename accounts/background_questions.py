"""Optional questions about a person's background, with their answers."""

# Counts of fewer people are never published, and larger ones are rounded down to a multiple of this, so that neither a
# count nor the difference between two releases reveals one person's answer.
FLOOR = 5

AGES = {
    "18-24": "18 to 24",
    "25-34": "25 to 34",
    "35-44": "35 to 44",
    "45-54": "45 to 54",
    "55-64": "55 to 64",
    "65+": "65 or older",
}
GENDERS = {"woman": "a woman", "man": "a man", "another": "another gender"}
EDUCATION = {
    "school": "school",
    "vocational": "vocational training",
    "bachelor": "a bachelor's degree or the like",
    "graduate": "a master's degree, a doctorate or the like",
}
REGIONS = {
    "africa": "Africa",
    "asia": "Asia",
    "europe": "Europe",
    "latin-america": "Latin America and the Caribbean",
    "northern-america": "Northern America",
    "oceania": "Oceania",
}
LANGUAGES = {
    "ar": "Arabic",
    "bn": "Bengali",
    "bg": "Bulgarian",
    "ca": "Catalan",
    "zh": "Chinese",
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
    "gu": "Gujarati",
    "ha": "Hausa",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "ig": "Igbo",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "jv": "Javanese",
    "kn": "Kannada",
    "ko": "Korean",
    "lv": "Latvian",
    "lt": "Lithuanian",
    "ms": "Malay",
    "ml": "Malayalam",
    "mr": "Marathi",
    "no": "Norwegian",
    "fa": "Persian",
    "pl": "Polish",
    "pt": "Portuguese",
    "pa": "Punjabi",
    "ro": "Romanian",
    "ru": "Russian",
    "sr": "Serbian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "so": "Somali",
    "es": "Spanish",
    "sw": "Swahili",
    "sv": "Swedish",
    "tl": "Tagalog",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "yo": "Yoruba",
    "zu": "Zulu",
    "other": "another language",
}
# Field -> the question and its answers.
QUESTIONS = {
    "age": ("How old are you?", AGES),
    "gender": ("What is your gender?", GENDERS),
    "first_language": ("Which language did you learn first?", LANGUAGES),
    "education": ("What is your highest level of education?", EDUCATION),
    "region": ("Where did you grow up?", REGIONS),
}


def published_count(number: int) -> int:
    """Returns the published form of a count of people: rounded down to a multiple of FLOOR."""
    return number // FLOOR * FLOOR

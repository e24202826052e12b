"""Dates in English: 22 November 2026; times, which only the records write so, as on other pages: 22 Nov 2026, 23:30."""

DATE_FORMAT = "j F Y"
SHORT_DATE_FORMAT = "j M Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "j M Y, H:i"
TIME_FORMAT = "H:i"

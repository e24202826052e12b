"use strict";
// The words of the pages' scripts in the reader's language. The page brings them as JSON; without them, they are English.
(() => {
  const page = document.getElementById("words");
  const known = page ? JSON.parse(page.textContent) : {};
  // The forms of a text with a number, in gettext's order, by how many a language has.
  const FORMS = { 1: ["other"], 2: ["one", "other"], 6: ["zero", "one", "two", "few", "many", "other"] };
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (mark, name) => values[name] ?? mark);

  window.inWords = (text, values = {}) => fill(known[text] || text, values);
  window.countInWords = (one, many, count) => {
    const forms = known[one] || [one, many];
    const form = FORMS[forms.length].indexOf(new Intl.PluralRules(document.documentElement.lang).select(count));
    return fill(forms.at(form), { count }); // a form that the language has for millions alone, as in Spanish, is the last
  };
})();

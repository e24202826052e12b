"use strict";
// The words of the pages' scripts in the reader's language. The page brings them as JSON; without them, they are English.
window.inWords = (text, values = {}) => {
  const page = document.getElementById("words");
  window.inWords.known ||= page ? JSON.parse(page.textContent) : {};
  return (window.inWords.known[text] || text).replace(/\{(\w+)\}/g, (mark, name) => values[name] ?? mark);
};

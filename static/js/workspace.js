"use strict";
(function () {
  // Folds filters away on phones; elsewhere they are open, and without scripts, too.
  const narrow = matchMedia("(max-width: 39.99rem)");
  function fold() {
    for (const part of document.querySelectorAll("details.fold")) part.open = !narrow.matches;
  }
  narrow.addEventListener("change", fold);
  fold();

  // A slider under a number (data-slider: its name, data-most: its end), of which each moves the other. A choice of the form may have another end.
  for (const number of document.querySelectorAll("input[data-most]")) {
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = 1;
    slider.setAttribute("aria-label", number.dataset.slider);
    function fit() {
      const chosen = number.form.querySelector("p[data-most]:has(:checked)");
      slider.max = (chosen || number).dataset.most;
      slider.hidden = slider.max === "0";
      slider.value = number.value;
    }
    slider.addEventListener("input", () => (number.value = slider.value));
    number.form.addEventListener("input", (event) => event.target !== slider && fit());
    number.after(slider);
    fit();
  }

  // What a long page holds, under its section: its headings, and its charts where these are few.
  const LONG = 3; // screens
  const FEW = 4; // headings
  const here = document.querySelector(".sections a[aria-current]");
  function contents() {
    const main = document.querySelector("main");
    const shown = (part) => part.offsetHeight > 1; // a hidden heading has one pixel
    const heads = [...main.querySelectorAll("h2")].filter(shown);
    const charts = heads.length < FEW ? [...main.querySelectorAll("figure[data-name]")].filter(shown) : [];
    const parts = [...heads, ...charts].sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    if (main.offsetHeight < LONG * innerHeight || parts.length < FEW) return;
    const list = document.createElement("ul");
    list.className = "contents";
    list.setAttribute("aria-label", "On this page");
    for (const [place, part] of parts.entries()) {
      part.id ||= "part-" + place;
      const link = document.createElement("a");
      link.href = "#" + part.id;
      link.textContent = (part.dataset.name || part.textContent).replace(/ \(.*\)$/, ""); // where a paper has it
      const entry = document.createElement("li");
      entry.append(link);
      list.append(entry);
    }
    here.after(list);
  }
  if (here) addEventListener("load", () => setTimeout(contents)); // once charts are drawn
})();

"use strict";
// Lets a reader go through the cards of a list by keys: j and k; x chooses a pair, Enter opens its page.
(function () {
  const cards = [...document.querySelectorAll("#answers > li[id]")];
  if (!cards.length) return;
  document.getElementById("keys-line").hidden = false;
  const at = () => cards.findIndex((card) => card === document.activeElement || card.contains(document.activeElement));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, textarea, input:not([type=checkbox]), summary")) return;
    const place = at();
    if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      const wanted = event.key === "j" ? place + 1 : Math.max(place - 1, 0);
      // After the last card comes the link to the next page.
      (cards[wanted] || document.getElementById("next-page") || cards.at(-1)).focus();
    } else if (event.key === "x" && place >= 0) {
      const box = cards[place].querySelector("input[name=pair]");
      if (box) { event.preventDefault(); box.checked = !box.checked; }
    } else if (event.key === "Enter" && document.activeElement === cards[place]) {
      const link = cards[place].querySelector(".to-pair");
      if (link) { event.preventDefault(); link.click(); }
    }
  });
})();

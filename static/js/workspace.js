"use strict";
// Folds filters away on phones; elsewhere they are open, and without scripts, too.
(function () {
  const narrow = matchMedia("(max-width: 39.99rem)");
  function fold() {
    for (const part of document.querySelectorAll("details.fold")) part.open = !narrow.matches;
  }
  narrow.addEventListener("change", fold);
  fold();
})();

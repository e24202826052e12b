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
})();

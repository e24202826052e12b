"use strict";
// Digits tick phenomena, Enter saves.
(function () {
  const form = document.getElementById("marking");
  if (!form) return;
  const boxes = [...form.querySelectorAll("input[name=phenomenon]")];
  // A premise that shows a phenomenon ticks it.
  form.addEventListener("change", ({ target }) => {
    const name = target.name === "premise" && target.checked && target.value.replace(/^\d+:/, "");
    if (name) boxes.find((box) => box.value === name).checked = true;
  });
  for (const key of form.querySelectorAll("kbd")) key.hidden = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest("select, textarea, button, a")) return;
    const box = /^[1-9]$/.test(event.key) && boxes[Number(event.key) - 1];
    if (box) { event.preventDefault(); box.checked = !box.checked; }
    else if (event.key === "Enter") { event.preventDefault(); form.requestSubmit(); }
  });
})();

"use strict";
// Digits tick phenomena, or choose a verdict; Enter saves, in a remark as well.
(function () {
  const form = document.getElementById("marking");
  if (!form) return;
  const boxes = [...form.querySelectorAll("input[name=phenomenon], input[name=verdict]")];
  // A premise that shows a phenomenon ticks it.
  form.addEventListener("change", ({ target }) => {
    const name = target.name === "premise" && target.checked && target.value.replace(/^\d+:/, "");
    if (name) boxes.find((box) => box.value === name).checked = true;
  });
  for (const key of form.querySelectorAll("kbd")) key.hidden = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing || event.target.closest("select, button, a")) return;
    if (event.target.closest("textarea")) {
      if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); }
      return;
    }
    const box = /^[1-9]$/.test(event.key) && boxes[Number(event.key) - 1];
    if (box) { event.preventDefault(); box.checked = box.type === "radio" || !box.checked; box.focus(); }
    else if (event.key === "Enter") { event.preventDefault(); form.requestSubmit(); }
  });
})();

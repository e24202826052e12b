"use strict";
// Reads a chosen or dragged text file into the field that `data-file-into` names: nothing is sent but the text.
for (const box of document.querySelectorAll("[data-file-into]")) {
  const field = document.getElementById(box.dataset.fileInto);
  async function read(files) {
    if (files.length) field.value = await files[0].text();
    field.focus();
  }
  box.hidden = false;
  box.querySelector("input[type=file]").addEventListener("change", (event) => read(event.target.files));
  for (const target of [box, field]) {
    target.addEventListener("dragover", (event) => event.preventDefault());
    target.addEventListener("drop", function (event) {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      read(event.dataTransfer.files);
    });
  }
}

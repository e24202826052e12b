"use strict";
// Reads a chosen or dragged text file into the field that `data-file-into` names: nothing is sent but the text.
// `data-name-into`: the field that gets its name. `data-most`: a longer file is not read.
for (const box of document.querySelectorAll("[data-file-into]")) {
  const field = document.getElementById(box.dataset.fileInto);
  async function read(files) {
    const [file] = files;
    const isTooLong = file && file.size > Number(box.dataset.most || Infinity);
    const notice = box.querySelector("[data-too-long]");
    if (notice) notice.hidden = !isTooLong;
    if (isTooLong) return;
    if (file && box.dataset.nameInto) document.getElementById(box.dataset.nameInto).value = file.name;
    if (file) field.value = await file.text();
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

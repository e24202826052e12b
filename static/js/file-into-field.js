"use strict";
// Reads a chosen or dragged text file into the field that `data-file-into` names: nothing is sent but the text.
// A file that is not UTF-8 is not read.
async function textOf(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null; // bytes that are no UTF-8 would be stored as other characters
  }
}
for (const box of document.querySelectorAll("[data-file-into]")) {
  const field = document.getElementById(box.dataset.fileInto);
  async function read(files) {
    const [file] = files;
    const text = file ? await textOf(file) : null;
    const noText = box.querySelector("[data-not-text]");
    if (noText) noText.hidden = !file || text !== null;
    if (text !== null) field.value = text;
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

// An error that names a line leads to it: the line is chosen in the field to which the link leads.
for (const link of document.querySelectorAll("a[data-line]")) {
  link.addEventListener("click", function (event) {
    const field = document.querySelector(link.getAttribute("href"));
    const lines = field.value.split("\n");
    const before = lines.slice(0, link.dataset.line - 1);
    const start = before.reduce((sum, line) => sum + line.length + 1, 0);
    event.preventDefault();
    field.focus();
    field.setSelectionRange(start, start + (lines[before.length] || "").length);
    field.scrollTop = (field.scrollHeight / lines.length) * Math.max(0, before.length - 4);
  });
}

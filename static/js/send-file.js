"use strict";
// Sends a chosen or dragged file in portions (data-portion: bytes), so that no request is long, and one that is lost is sent
// again. The site answers where the next portion begins; so a file that was interrupted goes on.
{
  const form = document.querySelector("form[data-portion]");
  const [name, chosen, progress] = [form.elements.name, document.getElementById("file"), form.querySelector("progress")];
  const [button, said, refused] = [form.querySelector("button"), form.querySelector("[role=status]"), document.getElementById("refused")];
  const TRIES = 5;
  let file = null;

  function choose(files) {
    file = files[0] || null;
    form.elements.text.disabled = Boolean(file);
    if (file) name.value = file.name;
  }
  async function sent(at) {
    const query = { at, size: file.size, changed: file.lastModified, name: name.value, folder: form.elements.folder.value };
    for (const key of ["corpus", "to"]) if (form.elements[key]) query[key] = form.elements[key].value;
    const response = await fetch(`?${new URLSearchParams(query)}`, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
      body: file.slice(at, at + Number(form.dataset.portion)),
    });
    if (response.redirected) return { error: "You are signed out. Reload this page, and send the file again: it goes on where it stopped." };
    if (response.status !== 422 && !response.ok) throw new Error(response.status);
    return response.json();
  }
  function stop(why) {
    [progress.hidden, button.disabled, said.textContent] = [true, false, ""];
    [refused.hidden, refused.firstElementChild.textContent] = [false, why];
    refused.focus();
  }
  async function send() {
    [refused.hidden, progress.hidden, button.disabled] = [true, false, true];
    for (let at = 0, tries = 0; ; ) {
      try {
        const answer = await sent(at);
        if (answer.error) return stop(answer.error);
        if (answer.next) return window.location.assign(answer.next);
        [at, tries] = [answer.at, 0];
        progress.value = at / file.size;
        said.textContent = `${Math.floor((100 * at) / file.size)} percent`;
      } catch {
        if (++tries === TRIES) return stop("The site did not answer. Send the file again: it goes on where it stopped.");
        await new Promise((resolve) => setTimeout(resolve, 1000 * tries));
      }
    }
  }
  form.querySelector("[data-by-script]").hidden = false;
  chosen.addEventListener("change", () => choose(chosen.files));
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", function (event) {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    choose(event.dataTransfer.files);
  });
  form.addEventListener("submit", function (event) {
    if (!file) return;
    event.preventDefault();
    send();
  });
}

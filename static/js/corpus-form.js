"use strict";
// The forms over a corpus file. A preview stands under its button and follows what is typed; links between the parts of the
// file take along what was changed; the file beside the form shows the first line that is new or wrong.
(function () {
  const form = document.getElementById("change");

  for (const box of form.querySelectorAll("[data-preview]")) {
    const frame = document.createElement("iframe");
    frame.title = "Preview";
    frame.setAttribute("sandbox", "allow-same-origin"); // no script of it runs, and nothing in it is sent
    frame.hidden = true;
    box.append(frame);
    let button = null;
    let timer = 0;
    let turn = 0;
    async function show() {
      const mine = ++turn;
      const body = new FormData(form);
      body.set("of", button.value);
      let page;
      try {
        page = await (await fetch(button.getAttribute("formaction"), { method: "POST", body })).text();
      } catch {
        page = "The preview could not be loaded. Please try again.";
      }
      if (mine !== turn) return;
      const top = frame.contentWindow ? frame.contentWindow.scrollY : 0;
      frame.onload = () => frame.contentWindow.scrollTo(0, top);
      frame.srcdoc = page;
    }
    for (const each of box.querySelectorAll("button")) {
      each.addEventListener("click", function (event) {
        event.preventDefault();
        button = each;
        frame.title = each.textContent;
        frame.hidden = false;
        show();
      });
    }
    form.addEventListener("input", function () {
      if (!button) return;
      clearTimeout(timer);
      timer = setTimeout(show, 700);
    });
  }

  // A link to another part of the file is its button: what was typed goes along.
  form.addEventListener("click", function (event) {
    const link = event.target.closest("a[data-go]");
    if (!link) return;
    const button = [...form.querySelectorAll(".tabs-of-buttons button")].find((each) => each.getAttribute("formaction") === link.getAttribute("href"));
    if (!button) return;
    event.preventDefault();
    form.requestSubmit(button);
  });

  // A link to a field opens what is folded around it.
  form.addEventListener("click", function (event) {
    const link = event.target.closest('a[href^="#"]');
    const target = link && document.getElementById(link.getAttribute("href").slice(1));
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    if (target) target.focus();
  });

  // What is wrong stands at its field while one types, too.
  function markFields() {
    for (const told of form.querySelectorAll("[data-typed]")) told.remove();
    const wrong = new Map([...form.querySelectorAll("#beside a[data-what]")].map((link) => [link.hash.slice(1), link.dataset.what]));
    for (const field of form.querySelectorAll(".field :is(input, select, textarea)")) {
      const what = wrong.get(field.id);
      const known = document.getElementById(`${field.id}-fault`);
      if (what) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
      if (known) known.hidden = !what;
      if (!what || known) continue;
      const told = document.createElement("p");
      told.className = "error";
      told.dataset.typed = "";
      told.id = `${field.id}-typed`;
      field.setAttribute("aria-errormessage", told.id);
      told.textContent = what;
      field.before(told);
    }
  }

  function turnToChange() {
    const list = form.querySelector(".numbered");
    const line = list && list.querySelector(".is-wrong, .is-new");
    if (line) list.scrollTop = line.offsetTop - list.clientHeight / 3;
  }
  document.addEventListener("htmx:afterSettle", function () {
    markFields();
    turnToChange();
  });
  turnToChange();
})();

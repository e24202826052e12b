// The check after the instructions, one question after another: each answer is judged at once, and the right one leads on.
// Without this script all questions are on the page, and the same form judges them together.
(() => {
  "use strict";
  const form = document.getElementById("check");
  const questions = form ? [...form.querySelectorAll(".check")] : [];
  if (!questions.length) return;
  const said = document.getElementById("check-said");
  // `why` is in the language of the corpus, the words around it in the reader's: each keeps its direction.
  const say = (text, isWrong, why) => {
    const explanation = Object.assign(document.createElement("bdi"), { textContent: why });
    said.replaceChildren(...text.split("{why}").flatMap((part, k) => (k ? [explanation, part] : [part])));
    said.className = isWrong ? "error" : "notice";
    said.hidden = !text;
  };
  let waits = false;

  const show = (place, focus = true) => {
    questions.forEach((question, k) => { question.hidden = k !== place; });
    // A text stays where it is while its questions change.
    for (const text of form.querySelectorAll(".check-text")) text.hidden = !text.contains(questions[place]);
    if (focus) questions[place].querySelector("legend").focus();
  };
  const next = (place) => {
    const open = questions.findIndex((question, k) => k > place && !question.dataset.right);
    if (open < 0) { say(inWords("Right. One moment …"), false); form.submit(); return; }
    show(open);
    // Above the next sentence: below its answers it would seem to speak of them.
    questions[open].querySelector("legend").after(said);
    say(inWords("Question {done}: right. Now question {place}.", { done: place + 1, place: open + 1 }), false);
  };
  const judge = async (place, button) => {
    if (waits) return;
    waits = true;
    const question = questions[place];
    const radio = document.getElementById(button.dataset.radio);
    for (const other of question.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
    radio.checked = true;
    question.append(said);
    say(inWords("Checking …"), false);
    const asked = new FormData();
    asked.set(radio.name, radio.value);
    asked.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    try {
      const answer = await fetch(location.href, { method: "POST", body: asked, headers: { Accept: "application/json" }, redirect: "manual" });
      if (!answer.ok) throw new Error(answer.status);
      const why = (await answer.json()).wrong[radio.name];
      if (why === undefined) { question.dataset.right = "yes"; next(place); }
      else {
        form.elements.tries.value = Number(form.elements.tries.value) + 1;
        say(inWords("Not right yet. {why} Please choose again."), true, why);
      }
    } catch {
      say(inWords("The answer could not be checked. Please choose it again in a moment. If that does not help, load this page again."), true);
    }
    waits = false;
  };

  questions.forEach((question, place) => {
    question.classList.add("one-by-one");
    const buttons = document.createElement("div");
    buttons.className = "choices";
    buttons.setAttribute("role", "group");
    buttons.setAttribute("aria-label", inWords("Your answer"));
    for (const label of question.querySelectorAll(".choices label")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.dataset.radio = label.htmlFor;
      button.value = document.getElementById(label.htmlFor).value;
      button.setAttribute("aria-pressed", "false");
      button.append(label.querySelector(".label").cloneNode(true));
      button.addEventListener("click", () => judge(place, button));
      buttons.append(button);
    }
    question.querySelector(".choices").replaceWith(buttons, ...[...question.querySelectorAll("input[type=radio]")].map((radio) => { radio.hidden = true; return radio; }));
  });
  document.getElementById("check-all").hidden = true;
  const wrong = questions.findIndex((question) => "wrong" in question.dataset);
  show(Math.max(wrong, 0), wrong >= 0);
})();

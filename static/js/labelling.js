// One pair at a time, by keys or by thumb. Without this script the same form shows all pairs with radio buttons.
// The next batch takes the place of the one that was sent: then everything here begins anew.
(() => {
  "use strict";
  const IDLE_MS = 30000; // a longer pause is no work on this pair
  const GUARD_MS = 250; // so soon after a pair is shown nobody can have read it: the answer was meant for the last one
  const ROOM = 30; // rem that text, sentence and answers want; where there is less, they get the whole screen
  const storageKey = (token) => `quintet-batch:${token}`;
  const forget = (token) => { try { localStorage.removeItem(storageKey(token)); } catch { /* storage is off */ } };
  let ended = new AbortController(); // takes the last batch's listeners away

  const begin = (isNext) => {
    ended.abort();
    ended = new AbortController();
    const { signal } = ended;
    const form = document.getElementById("batch");
    const confirmed = document.getElementById("work").dataset.confirmed;
    if (confirmed) forget(confirmed);
    const pairs = [...form.querySelectorAll(".pair")];
    const dots = [...document.querySelectorAll("#dots li")];
    const review = document.getElementById("review");
    const send = document.getElementById("send");
    const progress = document.getElementById("progress");
    const token = form.dataset.assignment;
    let current = 0; // pairs.length: the review
    let since = performance.now(), touched = since, shownAt = since, sent = false, changed = false;

    const radios = (pair) => [...pair.querySelectorAll("input[type=radio]")];
    const skip = (pair) => pair.querySelector("select");
    const why = (pair) => pair.querySelector("textarea");
    const spent = (pair) => pair.querySelector("input[name^='ms-']");
    const answer = (pair) => radios(pair).find((radio) => radio.checked);
    const isDone = (pair) => Boolean(answer(pair) || skip(pair).value);

    // What was chosen is kept on this device until the server has confirmed it.
    const keep = () => {
      changed = true;
      const state = Object.fromEntries(pairs.map((pair) => [pair.dataset.slot,
        { label: answer(pair)?.value || "", skip: skip(pair).value, why: why(pair).value, ms: spent(pair).value }]));
      try { localStorage.setItem(storageKey(token), JSON.stringify(state)); } catch { /* full or off: the page still holds it */ }
    };
    const restore = () => {
      let state = null;
      try { state = JSON.parse(localStorage.getItem(storageKey(token))); } catch { return; }
      for (const pair of pairs) {
        const known = state?.[pair.dataset.slot];
        if (!known || isDone(pair)) continue;
        for (const radio of radios(pair)) radio.checked = radio.value === known.label;
        skip(pair).value = known.skip || "";
        why(pair).value = known.why || "";
        if (why(pair).value) why(pair).closest("details").open = true;
        spent(pair).value = known.ms || "";
      }
    };

    // When the page is left, the server keeps it too: the batch can be continued on another device.
    const hand = () => {
      if (!changed || sent) return;
      changed = false;
      clock();
      navigator.sendBeacon?.(form.dataset.draft, new FormData(form));
    };

    // Active time: pauses over half a minute and hidden tabs do not count.
    const clock = () => {
      const now = performance.now();
      const pair = pairs[current];
      if (pair) {
        const active = Math.min(now - since, Math.max(0, touched + IDLE_MS - since));
        spent(pair).value = Math.round(Number(spent(pair).value || 0) + Math.max(0, active));
      }
      since = now;
    };
    const awake = () => { if (performance.now() - touched > IDLE_MS) clock(); touched = performance.now(); };

    const show = (index, focus = true) => {
      clock();
      current = Math.max(0, Math.min(index, pairs.length));
      pairs.forEach((pair, k) => { pair.hidden = k !== current; });
      dots.forEach((dot, k) => {
        dot.classList.toggle("done", isDone(pairs[k]));
        if (k === current) dot.setAttribute("aria-current", "step"); else dot.removeAttribute("aria-current");
      });
      const atEnd = current === pairs.length;
      review.hidden = !atEnd;
      send.hidden = !atEnd;
      if (atEnd) { list(); progress.textContent = "All pairs are answered. Please check your answers and send them."; }
      else { press(pairs[current]); progress.textContent = `Pair ${current + 1} of ${pairs.length}`; }
      if (focus) (atEnd ? document.getElementById("review-title") : pairs[current].querySelector("legend")).focus({ preventScroll: true });
      if (atEnd) window.scrollTo(0, 0); else fit(true);
      shownAt = performance.now();
    };

    // Text, sentence and answers are on one screen: a text that is too long scrolls in itself, and where the screen is small
    // what stands above them scrolls away.
    const fit = (scrolls) => {
      const stage = pairs[current]?.querySelector(".stage");
      if (!stage) return;
      const premise = stage.querySelector(".premise");
      stage.style.maxBlockSize = "";
      const top = (element) => element.getBoundingClientRect().top + scrollY;
      const wanted = Math.min(stage.scrollHeight, ROOM * parseFloat(getComputedStyle(document.documentElement).fontSize));
      const starts = [0, top(document.getElementById("work")), top(stage)];
      const start = starts.find((from) => innerHeight - (top(stage) - from) >= wanted) ?? top(stage);
      stage.style.maxBlockSize = `${innerHeight - (top(stage) - start)}px`;
      if (premise) {
        const isCut = premise.scrollHeight > premise.clientHeight + 1;
        premise.toggleAttribute("tabindex", isCut);
        if (isCut) premise.tabIndex = 0;
      }
      if (scrolls) window.scrollTo(0, start);
    };
    window.addEventListener("resize", () => fit(false), { signal });

    const press = (pair) => {
      for (const button of pair.querySelectorAll("button.choice")) {
        button.setAttribute("aria-pressed", String(answer(pair)?.value === button.value));
      }
    };
    const isTooSoon = () => performance.now() - shownAt < GUARD_MS;
    const choose = (pair, radio) => { if (isTooSoon()) return; radio.checked = true; skip(pair).value = ""; clock(); keep(); next(); };
    const next = () => {
      const open = pairs.findIndex((pair, k) => k > current && !isDone(pair));
      show(open >= 0 ? open : pairs.every(isDone) ? pairs.length : current + 1);
    };

    // The answers once more, each with a way back.
    const list = () => {
      const answers = document.getElementById("answers");
      answers.replaceChildren(...pairs.map((pair, k) => {
        const item = document.createElement("li");
        const hypothesis = pair.querySelector(".hypothesis").cloneNode(true);
        const said = document.createElement("p");
        said.className = "said";
        const chosen = answer(pair);
        if (chosen) said.append(chosen.closest("label").querySelector(".label").cloneNode(true));
        else said.append(skip(pair).value ? "skipped" : "no answer yet");
        const change = document.createElement("button");
        change.type = "button";
        change.className = "button-quiet";
        change.textContent = "Change";
        change.setAttribute("aria-label", `Change the answer for pair ${k + 1}`);
        change.addEventListener("click", () => show(k));
        said.append(change);
        item.append(hypothesis, said);
        return item;
      }));
    };

    for (const [k, pair] of pairs.entries()) {
      const buttons = document.createElement("div");
      buttons.className = "choices buttons";
      buttons.setAttribute("role", "group");
      buttons.setAttribute("aria-label", `Your answer for pair ${k + 1}`);
      for (const radio of radios(pair)) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "choice";
        button.value = radio.value;
        for (const node of radio.closest("label").childNodes) if (node !== radio) button.append(node.cloneNode(true));
        button.addEventListener("click", () => choose(pair, radio));
        buttons.append(button);
      }
      const stage = document.createElement("div");
      stage.className = "stage";
      pair.querySelector("legend").after(stage);
      stage.append(...pair.querySelectorAll(".premise, .hypothesis"), buttons);
      const nav = document.createElement("p");
      nav.className = "one-by-one-nav";
      if (k > 0) {
        const back = document.createElement("button");
        back.type = "button";
        back.className = "button-quiet";
        back.textContent = "Back";
        back.addEventListener("click", () => show(current - 1));
        nav.append(back);
      }
      pair.append(nav);
      why(pair).addEventListener("input", keep);
      // By keyboard every arrow is a change: there only Enter goes on, or the first reason would be taken at once.
      let byPointer = false;
      skip(pair).addEventListener("pointerdown", () => { byPointer = true; });
      skip(pair).addEventListener("keydown", (event) => {
        byPointer = false;
        if (event.key === "Enter" && skip(pair).value) { event.preventDefault(); clock(); next(); }
      });
      skip(pair).addEventListener("change", () => {
        if (skip(pair).value) for (const radio of radios(pair)) radio.checked = false;
        press(pair);
        keep();
        if (skip(pair).value && byPointer) { clock(); next(); }
      });
    }

    document.addEventListener("keydown", (event) => {
      awake();
      if (event.repeat) return; // a key that is held answers one pair
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, textarea, input:not([type=radio])")) return;
      const pair = pairs[current];
      const radio = pair && radios(pair).find((one) => one.dataset.number === event.key || (one.dataset.letter && one.dataset.letter === event.key.toLowerCase()));
      if (radio) { event.preventDefault(); choose(pair, radio); }
      else if (event.key === "Backspace" && current > 0) { event.preventDefault(); show(current - 1); }
      else if (event.key === "?") { event.preventDefault(); const help = document.getElementById("help"); help.open = !help.open; if (help.open) help.querySelector("summary").focus(); }
      else if (event.key.toLowerCase() === "s" && pair) { event.preventDefault(); skip(pair).focus(); }
      else if (event.key === "Enter" && !pair && !event.target.closest("button, a, summary")) { event.preventDefault(); form.requestSubmit(); }
    }, { signal });
    for (const name of ["pointerdown", "scroll", "pointermove"]) document.addEventListener(name, awake, { passive: true, signal });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) { clock(); hand(); } else since = touched = performance.now();
    }, { signal });
    form.addEventListener("submit", (event) => {
      if (sent) { event.preventDefault(); event.stopImmediatePropagation(); return; }
      clock(); keep(); sent = true;
      progress.textContent = "Sending your answers.";
    }, { capture: true }); // before the answers are gathered
    form.addEventListener("htmx:afterRequest", (event) => {
      if (!event.detail.successful) { sent = false; progress.textContent = ""; }
    });
    window.addEventListener("pagehide", hand, { signal });
    window.addEventListener("pageshow", () => { sent = false; }, { signal });

    document.body.classList.add("one-by-one");
    document.getElementById("dots").hidden = false;
    document.getElementById("keys-line").hidden = false;
    document.getElementById("send-hint").hidden = true;
    restore();
    const open = pairs.findIndex((pair) => !isDone(pair));
    show(open >= 0 ? open : pairs.length, isNext);
    if (isNext) document.getElementById("batch-error")?.focus();
  };

  if (document.getElementById("batch")) begin(false);
  document.addEventListener("htmx:load", (event) => { if (event.detail.elt.id === "work") begin(true); });
})();

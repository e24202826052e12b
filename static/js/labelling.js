// Shows one pair at a time, for keyboard or touch. Without this script the same form shows all pairs with radio buttons.
// The next batch replaces the one that was sent; then everything here starts again.
(() => {
  "use strict";
  const IDLE_MS = 30000; // a longer pause is no work on this pair
  const GUARD_MS = 250; // so soon after a pair is shown nobody can have read it: the answer was meant for the last one
  const UNDO_MS = 6000; // between the last answer and sending; Enter sends at once
  const TRIES = 5; // after the line is back, this many ms apart
  const AGAIN = 2000;
  const LONG_MS = 8000; // after that, sending is said to take long
  const ROOM = 30; // rem that text, sentence and answers want; where there is less, they get the whole screen
  const storageKey = (token) => `quintet-batch:${token}`;
  const forget = (token) => { try { localStorage.removeItem(storageKey(token)); } catch { /* storage is off */ } };
  // Preferences are stored on the device: `shortcuts` (all, numbers, off) and `show-answers` (before they are sent).
  const liked = (name) => { try { return localStorage.getItem(`quintet:labelling:${name}`) || ""; } catch { return ""; } };
  const like = (name, value) => { try { localStorage.setItem(`quintet:labelling:${name}`, value); } catch { /* it holds for this page */ } };
  const shortcuts = document.getElementById("shortcuts");
  const showAnswers = document.getElementById("show-answers");
  const showKeys = () => { document.body.dataset.shortcuts = shortcuts.value || "all"; };
  // Keys of the answers that somebody chose: value of an answer -> key. A chosen key belongs to that answer alone.
  let ownKeys = {};
  const showOwnKeys = () => {
    for (const button of document.querySelectorAll("button.choice, label.choice")) {
      const keys = button.querySelector(".keys");
      if (!keys) continue;
      keys.dataset.usual ||= keys.innerHTML;
      const own = ownKeys[button.value || button.querySelector("input")?.value];
      if (own) keys.replaceChildren(Object.assign(document.createElement("kbd"), { textContent: own.toUpperCase() }));
      else if (keys.innerHTML !== keys.dataset.usual) keys.innerHTML = keys.dataset.usual;
    }
    // With keys of one's own the line below would be wrong; the buttons show the keys.
    for (const line of document.querySelectorAll("#keys-line .key-numbers")) line.hidden = Object.keys(ownKeys).length > 0;
  };
  const setUpOwnKeys = () => {
    try { ownKeys = JSON.parse(liked("keys") || "{}"); } catch { ownKeys = {}; }
    const fields = [...document.querySelectorAll("[data-key-of]")];
    const error = document.getElementById("own-keys-error");
    for (const field of fields) {
      const fill = () => { field.value = ownKeys[field.dataset.keyOf] || field.dataset.usual; };
      fill();
      field.addEventListener("focus", () => field.select());
      field.addEventListener("blur", () => { if (!field.value.trim()) fill(); });
      field.addEventListener("input", () => {
        const chosen = fields.map((each) => each.value.trim().toLowerCase() || each.dataset.usual);
        const isTaken = new Set(chosen).size < chosen.length;
        const isReserved = chosen.some((key) => key === "s" || key === "?");
        error.hidden = !isTaken && !isReserved;
        error.textContent = isTaken ? inWords("Two answers have the same key. Nothing was changed.") : isReserved ? inWords("S skips a sentence and ? opens the instructions. Choose another key.") : "";
        if (isTaken || isReserved) return;
        ownKeys = Object.fromEntries(fields.map((each, k) => [each.dataset.keyOf, chosen[k]]).filter(([, key], k) => key !== fields[k].dataset.usual));
        like("keys", JSON.stringify(ownKeys));
        showOwnKeys();
      });
    }
  };
  if (shortcuts) {
    setUpOwnKeys();
    shortcuts.value = liked("shortcuts");
    showAnswers.checked = Boolean(liked("show-answers"));
    shortcuts.addEventListener("change", () => { like("shortcuts", shortcuts.value); showKeys(); });
    showAnswers.addEventListener("change", () => like("show-answers", showAnswers.checked ? "yes" : ""));
    showKeys();
  }
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
    const finish = document.getElementById("finish");
    const title = document.getElementById("finish-title");
    const hint = document.getElementById("send-hint");
    const sendButton = document.getElementById("send");
    const undo = document.getElementById("undo");
    const token = form.dataset.assignment;
    let current = 0; // pairs.length: all are answered
    let timer = 0;
    let tries = 0; // that are left, once the line is back
    let unsent = false; // the line broke while these answers were sent
    let stopped = false; // who stopped the countdown sends this batch by the button
    let since = performance.now(), touched = since, shownAt = since, sent = false, changed = false;

    const radios = (pair) => [...pair.querySelectorAll("input[type=radio]")];
    const skip = (pair) => pair.querySelector("select");
    const why = (pair) => pair.querySelector("textarea");
    const spent = (pair) => pair.querySelector("input[name^='ms-']");
    const answer = (pair) => radios(pair).find((radio) => radio.checked);
    const isDone = (pair) => Boolean(answer(pair) || skip(pair).value);

    // The chosen answers are stored on this device until the server has confirmed it.
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

    // When the page is left, the server stores them, too: the batch can be continued on another device.
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
      clearInterval(timer);
      current = Math.max(0, Math.min(index, pairs.length));
      pairs.forEach((pair, k) => { pair.hidden = k !== current; });
      dots.forEach((dot, k) => {
        dot.classList.toggle("done", isDone(pairs[k]));
        dot.classList.toggle("current", k === current);
      });
      const atEnd = current === pairs.length;
      finish.hidden = !atEnd && !(stopped && pairs.every(isDone));
      if (!finish.hidden) ask(inWords("Your answers"), "");
      for (const part of [title, document.getElementById("answers")]) part.hidden = !atEnd;
      undo.hidden = !atEnd || stopped;
      if (!atEnd) press(pairs[current]);
      if (focus) (atEnd ? title : pairs[current].querySelector("legend")).focus({ preventScroll: true });
      if (atEnd) window.scrollTo(0, 0); else fit(true);
      // Who can still stop the sending sees the button that does, on the smallest screen, too.
      if (atEnd && undo.getBoundingClientRect().bottom > innerHeight) finish.scrollIntoView();
      shownAt = performance.now();
    };

    // The end of a batch. It is sent by itself after a few seconds, in which the last answer can be undone.
    const ask = (words, more) => {
      title.textContent = words;
      hint.textContent = more;
      sendButton.textContent = countInWords("Send {count} answer", "Send all {count} answers", pairs.length);
      sendButton.removeAttribute("aria-disabled");
      undo.hidden = false;
      list();
    };
    const sendSoon = () => {
      if (stopped || showAnswers?.checked) return;
      const until = performance.now() + UNDO_MS;
      const count = () => {
        const left = Math.ceil((until - performance.now()) / 1000);
        if (left <= 0) form.requestSubmit(sendButton);
        else sendButton.textContent = inWords("Send now");
      };
      hint.textContent = inWords("“Back to the last sentence” or “Change” ends the countdown.");
      title.textContent = countInWords("Your answers will be sent in {count} second", "Your answers will be sent in {count} seconds", UNDO_MS / 1000);
      timer = setInterval(count, 250);
      signal.addEventListener("abort", () => clearInterval(timer));
      count();
    };
    const tellSending = () => {
      clearInterval(timer);
      document.getElementById("messages").replaceChildren(); // they are about the answers before
      title.textContent = inWords("Sending your answers …");
      hint.textContent = "";
      sendButton.textContent = inWords("Sending …");
      sendButton.setAttribute("aria-disabled", "true");
      undo.hidden = true;
      const late = () => { hint.textContent = inWords("Your connection is slow. Nothing is lost: your answers are stored on this device."); };
      timer = setTimeout(late, LONG_MS);
      for (const button of form.querySelectorAll("#answers button")) button.disabled = true;
    };

    // Text, sentence and answers are on one screen: a text that is too long scrolls in its box, and on a small screen
    // everything above them scrolls away.
    const fit = (scrolls) => {
      const stage = pairs[current]?.querySelector(".stage");
      if (!stage) return;
      const premise = stage.querySelector(".premise");
      stage.style.maxBlockSize = "";
      const top = (element) => element.getBoundingClientRect().top + scrollY;
      const wanted = Math.min(stage.scrollHeight, ROOM * parseFloat(getComputedStyle(document.documentElement).fontSize));
      const below = pairs[current].getBoundingClientRect().bottom - stage.getBoundingClientRect().bottom;
      const starts = [0, top(document.getElementById("work")), top(stage)];
      const room = (from) => innerHeight - (top(stage) - from);
      const start = starts.find((from) => room(from) >= wanted) ?? top(stage);
      stage.style.maxBlockSize = `${room(start) - below >= wanted ? room(start) - below : room(start)}px`;
      if (premise) {
        const isCut = premise.scrollHeight > premise.clientHeight + 1;
        premise.toggleAttribute("tabindex", isCut);
        if (isCut) premise.tabIndex = 0;
      }
      if (scrolls) window.scrollTo(0, start);
    };
    // A phone that is turned shows the pair again; a keyboard on the screen takes height alone, and moves nothing.
    let width = innerWidth;
    window.addEventListener("resize", () => {
      const isTurned = innerWidth !== width;
      width = innerWidth;
      const isRead = pairs[current]?.querySelector(".stage").getBoundingClientRect().bottom > 0;
      fit(isTurned && isRead && !document.activeElement.matches("textarea, select, input"));
    }, { signal });

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
      if (current === pairs.length) sendSoon();
    };

    const stop = (index) => { stopped = true; unsent = false; show(index); };

    // Lists the answers again, each with a button to change it.
    const list = () => {
      const answers = document.getElementById("answers");
      answers.hidden = false;
      answers.replaceChildren(...pairs.map((pair, k) => {
        const item = document.createElement("li");
        const texts = document.createElement("div");
        texts.className = "texts";
        texts.append(...[...pair.querySelectorAll(".premise, .hypothesis")].map((text) => {
          const copy = text.cloneNode(true);
          for (const name of ["role", "aria-labelledby", "tabindex"]) copy.removeAttribute(name);
          return copy;
        }));
        const said = document.createElement("p");
        said.className = "said";
        const chosen = answer(pair);
        if (chosen) said.append(chosen.closest("label").querySelector(".label").cloneNode(true));
        else said.append(skip(pair).value ? inWords("skipped: not paid. You can answer it until you send.") : inWords("no answer yet"));
        const change = document.createElement("button");
        change.type = "button";
        change.className = "button-quiet";
        change.textContent = inWords("Change");
        change.setAttribute("aria-label", inWords("Change the answer for sentence {place}", { place: k + 1 }));
        change.addEventListener("click", () => stop(k));
        said.append(change);
        item.append(said, texts);
        return item;
      }));
    };

    for (const [k, pair] of pairs.entries()) {
      const buttons = document.createElement("div");
      buttons.className = "choices buttons";
      buttons.setAttribute("role", "group");
      buttons.setAttribute("aria-label", inWords("Your answer for sentence {place}", { place: k + 1 }));
      for (const radio of radios(pair)) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "choice";
        button.value = radio.value;
        for (const node of radio.closest("label").childNodes) if (node !== radio) button.append(node.cloneNode(true));
        button.addEventListener("click", () => choose(pair, radio));
        buttons.append(button);
      }
      pair.querySelector(".side").append(buttons);
      const nav = document.createElement("p");
      nav.className = "one-by-one-nav";
      if (k > 0) {
        const back = document.createElement("button");
        back.type = "button";
        back.className = "button-quiet";
        back.textContent = inWords("Back to sentence {place}", { place: k });
        back.addEventListener("click", () => show(current - 1));
        nav.append(back);
      }
      pair.append(nav);
      why(pair).addEventListener("input", keep);
      // By keyboard every arrow key is a change, so only Enter or the button confirms; otherwise the first reason would be
      // chosen at once.
      const leave = document.createElement("button");
      leave.type = "button";
      leave.classList.add("button", "leave");
      leave.hidden = true; // a reason that is touched or clicked skips at once
      skip(pair).addEventListener("focus", () => { if (skip(pair).matches(":focus-visible")) leave.hidden = false; });
      leave.textContent = inWords("Skip");
      leave.append(" ", Object.assign(document.createElement("kbd"), { textContent: "Enter", ariaHidden: "true" }));
      leave.addEventListener("click", () => { if (!skip(pair).value) return skip(pair).focus(); clock(); next(); });
      skip(pair).closest(".skip").append(leave);
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
        else leave.hidden = false; // some assistive programs change it without a key or a touch
      });
    }

    undo.addEventListener("click", () => stop(pairs.length - 1));
    const isOwn = (key) => Object.values(ownKeys).includes(key.toLowerCase());
    const answersWith = (key) => (radio) => {
      if (isOwn(key)) return ownKeys[radio.value] === key.toLowerCase();
      if (ownKeys[radio.value]) return false;
      return radio.dataset.number === key;
    };
    document.addEventListener("keydown", (event) => {
      awake();
      if (event.repeat) return; // a key that is held answers one pair
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, textarea, input:not([type=radio])")) return;
      const pair = pairs[current];
      const radio = pair && shortcuts.value !== "off" && radios(pair).find(answersWith(event.key));
      if (radio) { event.preventDefault(); choose(pair, radio); }
      else if (event.key === "Backspace" && current > 0) { event.preventDefault(); if (pair) show(current - 1); else stop(current - 1); }
      else if (event.key === "Enter" && !pair && !event.target.closest("button, a, summary")) { event.preventDefault(); form.requestSubmit(sendButton); }
      else if (shortcuts.value) return; // the rest are letters and signs
      else if (event.key === "?") { event.preventDefault(); const help = document.getElementById("help"); help.open = !help.open; if (help.open) help.querySelector("summary").focus(); }
      else if (event.key.toLowerCase() === "s" && pair) { event.preventDefault(); skip(pair).focus(); }
    }, { signal });
    for (const name of ["pointerdown", "scroll", "pointermove"]) document.addEventListener(name, awake, { passive: true, signal });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) { clock(); hand(); } else since = touched = performance.now();
    }, { signal });
    form.addEventListener("submit", (event) => {
      if (sent) { event.preventDefault(); event.stopImmediatePropagation(); return; }
      clock(); keep(); sent = true;
      tellSending();
    }, { capture: true }); // before the answers are gathered
    form.addEventListener("htmx:afterRequest", (event) => {
      if (event.detail.successful) return;
      clearTimeout(timer);
      sent = false;
      unsent = event.detail.xhr.status === 0;
      if (unsent && tries-- > 0) setTimeout(goAgain, AGAIN);
      show(pairs.length, false); // who had gone back to a pair sees the error and the answers
      ask(inWords("Your answers are not sent yet"), "");
      undo.hidden = true; // nothing counts down any more
      title.focus({ preventScroll: true });
    });
    // The key of the batch is the same: what arrived already is not saved twice.
    // The browser may say that it is online some seconds before requests arrive.
    const goAgain = () => { if (unsent && !sent && !signal.aborted && current === pairs.length) form.requestSubmit(sendButton); };
    window.addEventListener("online", () => { tries = TRIES; goAgain(); }, { signal });
    window.addEventListener("pagehide", hand, { signal });
    window.addEventListener("pageshow", () => { sent = false; }, { signal });

    document.body.classList.add("one-by-one");
    document.getElementById("dots").hidden = false;
    document.getElementById("keys-line").hidden = false;
    document.getElementById("settings").hidden = false;
    title.hidden = false;
    showOwnKeys();
    restore();
    const open = pairs.findIndex((pair) => !isDone(pair));
    show(open >= 0 ? open : pairs.length, isNext);
    if (isNext) document.getElementById("batch-error")?.focus();
  };

  if (document.getElementById("batch")) begin(false);
  document.addEventListener("htmx:load", (event) => { if (event.detail.elt.id === "work") begin(true); });
})();

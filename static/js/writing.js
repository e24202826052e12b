// Writing: saves drafts on the device and on the server, shows advice, and sends without losing a text.
// Without this script the browser posts the same form.
(() => {
  "use strict";
  const root = document.getElementById("writing");
  if (!root) return;

  const KEEP_DAYS = 14;
  const SHORT_TIME = 180; // seconds; before that nobody needs to think of time
  const WAIT = 700; // ms of rest before a draft goes to the server, which answers with advice
  const AT_LEAST = 4000; // ms after which it goes even if somebody never rests
  const TRIES = 5; // after the line is back, this many ms apart
  const AGAIN = 2000;
  const SENT_KEPT = 10; // drafts by which another tab of this browser is told from another device
  const IDLE = 30_000; // ms without input after which time no longer counts as work
  const PAUSE = 2_000; // ms without a change after which the next one begins a burst
  const LONGER_THAN_A_WORD = 25; // characters that come at once, and were not pasted: dictated, dropped, or put in by a program
  const platform = root.dataset.byLink; // such people have no password: they come in by their study again
  const signIn = document.getElementById("trouble").dataset.signIn;
  const PREFIX = `quintet:writing:${root.dataset.person}:`;

  // Drafts on this device: one for each task, under its token, with the text of the premise.

  const store = {
    read(token) {
      try { return JSON.parse(localStorage.getItem(PREFIX + token)); } catch { return null; }
    },
    write(token, draft) {
      try { localStorage.setItem(PREFIX + token, JSON.stringify(draft)); return true; } catch { return false; }
    },
    remove(token) {
      try { localStorage.removeItem(PREFIX + token); } catch { /* storage is off: there is no draft */ }
    },
    tokens() {
      try {
        return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length));
      } catch { return []; }
    },
  };
  const clock = (iso) => {
    const at = new Date(iso);
    return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
  };

  function setUp() {
    if (root.dataset.confirmedToken) store.remove(root.dataset.confirmedToken);
    const form = document.getElementById("task");
    if (form) setUpTask(form);
    offerEarlierDrafts(form ? form.dataset.token : "");
  }

  function setUpTask(form) {
    const token = form.dataset.token;
    const texts = [...form.querySelectorAll("textarea[data-text]")];
    const fields = [...form.querySelectorAll("textarea")];
    const draftLine = document.getElementById("draft");
    const sendButton = document.getElementById("send");
    const notSent = document.getElementById("not-sent");
    const signals = { active_ms: 0, keystrokes: 0, pastes: 0, pasted_chars: 0, bursts: 0, inserted_chars: 0 };
    document.getElementById("send-hint").hidden = false;

    // `base`: the version of the server's draft that this page started from. Where the server has another version by now, a
    // second device saved it: the server answers 409, and the writer chooses. Clocks of devices are wrong: the page brings
    // the server's time, and drafts are dated by it.
    const base = form.elements.base;
    // Everything that this page has sent: a response may be lost, or come after the page was left, so a version with these texts is ours.
    const sentTexts = new Set();
    // And what other tabs of this browser have sent: it is kept with the draft on this device.
    const noteSent = () => {
      const typed = own();
      sentTexts.add(typed);
      const kept = store.read(token);
      if (kept) store.write(token, { ...kept, sent: [...(kept.sent || []), typed].slice(-SENT_KEPT) });
      return typed;
    };
    let choosing = null; // the other device's draft, while the writer chooses
    const labelOf = (field) => field.dataset.text || field.name;
    const fingerprint = (texts) => JSON.stringify(
      Object.entries(texts).filter(([, text]) => text.trim()).map(([label, text]) => [label, text.replace(/\r\n/g, "\n")]).sort());
    const own = () => fingerprint(Object.fromEntries(fields.map((field) => [labelOf(field), field.value])));
    const ahead = Date.parse(form.dataset.now) - Date.now();
    const now = () => new Date(Date.now() + ahead).toISOString();
    const isUntouched = (field) => field.value.trim() === (field.dataset.start || "").trim();
    const isEmpty = (among = fields) => among.every(isUntouched);
    const tell = (line, isSaved = false) => {
      if (draftLine.textContent !== line) draftLine.textContent = line;
      draftLine.toggleAttribute("data-saved", isSaved);
    };

    const isPreview = "preview" in root.dataset;
    let finished = false; // sent, or never to be sent
    const save = () => {
      if (isPreview || finished) return;
      if (isEmpty()) {
        store.remove(token);
        tell("");
        return;
      }
      const written = Object.fromEntries(fields.map((field) => [field.name, field.value]));
      const draft = { corpus: root.dataset.corpus, premise: form.dataset.premise, texts: written, at: now(), base: base.value, signals, sent: store.read(token)?.sent };
      if (!store.write(token, draft)) tell(inWords("This browser cannot save drafts. Please send before you close the page."));
      else if (!("saved" in draftLine.dataset)) tell(inWords("Draft saved on this device {time}", { time: clock(new Date()) }), true);
    };
    const restore = () => {
      const draft = store.read(token);
      // The server's draft is newer; a draft for another premise is not for this one.
      if (!draft || draft.premise !== form.dataset.premise || "sent" in form.dataset) return;
      Object.assign(signals, draft.signals);
      const kept = form.dataset.draftAt;
      if (kept && kept !== draft.base && Date.parse(kept) >= Date.parse(draft.at)) {
        tell(inWords("This is your saved draft."));
        return;
      }
      const there = own();
      for (const field of fields) {
        if (kept || isUntouched(field)) field.value = draft.texts[field.name] || "";
        if (field.name === "problem" && field.value) field.closest("details").open = true;
      }
      if (kept && own() !== there) base.value = draft.base || "";
      tell(inWords("Draft saved on this device {time}", { time: clock(draft.at) }), true);
    };

    // The server's copy, for other devices. Its response contains advice, which never prevents sending.

    let timer = 0;
    let waitingSince = 0;
    let isDraftLate = false; // the line broke
    const keep = async () => {
      clearTimeout(timer);
      waitingSince = 0;
      isDraftLate = false;
      if (choosing) return;
      const typed = noteSent();
      let answer;
      let status;
      try {
        const headers = { Accept: "application/json" };
        const sent = await fetch(form.dataset.draft, { method: "POST", body: content(), headers, redirect: "manual" });
        status = sent.status;
        if (!sent.ok && status !== 409) throw new Error(status);
        answer = await sent.json();
      } catch {
        if (!isEmpty()) tell(inWords("Draft saved on this device {time}", { time: clock(new Date()) }), true);
        isDraftLate = true;
        return;
      }
      if (finished || !form.isConnected) return;
      if (status === 409) {
        if (!sentTexts.has(fingerprint(answer.texts))) return offerChoice(answer);
        base.value = answer.version;
        return keep();
      }
      base.value = answer.version;
      save();
      if (typed !== own()) return; // old news
      if (answer.saved_at && !isEmpty()) tell(inWords("Draft saved on this device and on the server {time}", { time: clock(new Date()) }), true);
      said = answer.advice;
      answered = answer.answers;
      advise();
      tellAnswers();
    };
    // Two devices or tabs, two drafts: both are shown, and nothing is saved on the server until one is chosen.
    const other = document.getElementById("other-draft");
    const offerChoice = (there) => {
      choosing = there;
      tell(""); // nothing is saved on the server until the writer has chosen
      const lines = Object.values(there.texts).map((text) => { const line = document.createElement("li"); line.textContent = text; line.dir = "auto"; return line; });
      if (!lines.length) lines.push(Object.assign(document.createElement("li"), { textContent: inWords("All fields are empty there.") }));
      other.querySelector("ul").replaceChildren(...lines);
      const from = store.read(token)?.sent?.includes(fingerprint(there.texts)) ? "tab" : "device";
      for (const words of other.querySelectorAll("[data-from]")) words.hidden = words.dataset.from !== from;
      other.hidden = false;
      other.scrollIntoView({ block: "center" });
    };
    const chosen = (event, fill) => {
      event.preventDefault();
      if (fill && choosing) for (const field of fields) field.value = choosing.texts[labelOf(field)] || "";
      if (choosing) base.value = choosing.version;
      choosing = null;
      other.hidden = true;
      save();
      keep();
      nameSending();
      texts[0]?.focus();
    };
    document.getElementById("keep-mine").addEventListener("click", (event) => chosen(event, false));
    document.getElementById("take-theirs").addEventListener("click", (event) => chosen(event, true));
    const keepSoon = () => {
      waitingSince ||= Date.now();
      clearTimeout(timer);
      timer = setTimeout(keep, Math.max(0, Math.min(WAIT, waitingSince + AT_LEAST - Date.now())));
    };
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "hidden" || !waitingSince || finished || choosing || !form.isConnected) return;
      waitingSince = 0;
      clearTimeout(timer);
      noteSent();
      // Not by a beacon: that cannot say that a script sends it, and would follow the redirect of browsers without scripts to
      // the next page, whose message then nobody would see.
      fetch(form.dataset.draft, { method: "POST", body: content(), headers: { Accept: "application/json" }, redirect: "manual", keepalive: true }).catch(() => {});
    });

    let said = {}; // label -> what the server said about the text as it stood then
    const limit = Number(form.dataset.limit);
    const adviceFor = (field) => {
      const left = limit - [...field.value.trim()].length;
      if (left < 0) return countInWords("This is {count} character too long. Please shorten it.", "This is {count} characters too long. Please shorten it.", -left);
      return said[field.dataset.text] || (left <= Math.min(40, limit / 5) ? countInWords("{count} character left.", "{count} characters left.", left) : "");
    };
    const advise = () => {
      for (const field of texts) {
        const line = form.querySelector(`[data-advice-for="${field.id}"]`);
        const advice = adviceFor(field);
        const isNew = line.textContent !== advice;
        if (isNew) line.textContent = advice;
        line.hidden = !advice || document.getElementById(`${field.id}_error`)?.textContent === advice;
        if (isNew && !line.hidden && field === document.activeElement) line.scrollIntoView({ block: "nearest" }); // not behind the button
      }
    };
    // What the model in the loop answered to the text as it stood then. An older answer stays until there is a newer one, dimmed:
    // a line that goes and comes would move what is below it.
    let answered = {};
    const answerLine = (field) => form.querySelector(`[data-answer-for="${field.id}"]`);
    const tellAnswers = () => {
      for (const field of texts) {
        const line = answerLine(field);
        if (!line) continue;
        const words = answered[field.dataset.text] || "";
        if (line.textContent !== words) line.textContent = words;
        line.hidden = !words;
        line.classList.remove("soft");
      }
    };
    // What was wrong with the text that was sent need not be wrong with this one: the server says so again, if it is.
    const forgive = (field) => {
      field.removeAttribute("aria-invalid");
      document.getElementById(`${field.id}_error`)?.remove();
      const listed = [...root.querySelectorAll("li > a")].find((link) => link.hash === `#${field.id}`)?.parentElement;
      if (listed) (listed.parentElement.children.length > 1 ? listed : listed.closest(".error")).remove();
    };
    form.addEventListener("input", (event) => {
      if (event.target.tagName !== "TEXTAREA") return;
      delete said[event.target.dataset.text];
      answerLine(event.target)?.classList.add("soft");
      forgive(event.target);
      save();
      advise();
      keepSoon();
    });

    // A sentence that somebody typed is never replaced.
    const beginnings = [...form.querySelectorAll("[data-begin-with]")].map((button) => [button, form.elements[button.dataset.beginWith], form.elements[button.dataset.in]]);
    const offerBeginnings = () => {
      for (const [button, first, field] of beginnings) button.hidden = !first.value.trim() || Boolean(field.value.trim());
    };
    form.addEventListener("input", offerBeginnings);
    for (const [button, first, field] of beginnings) {
      button.addEventListener("click", () => {
        field.value = first.value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.focus();
      });
    }

    // Counts how the task was typed: evidence for a researcher, which decides nothing.

    let lastSign = performance.now();
    const alive = () => {
      const at = performance.now();
      if (document.visibilityState === "visible") signals.active_ms += Math.round(Math.min(at - lastSign, IDLE));
      lastSign = at;
    };
    for (const name of ["keydown", "pointerdown", "pointermove", "scroll"]) root.addEventListener(name, alive, { passive: true });
    document.addEventListener("visibilitychange", () => { lastSign = performance.now(); });
    form.addEventListener("keydown", (event) => { if (event.target.tagName === "TEXTAREA") signals.keystrokes += 1; });
    form.addEventListener("paste", (event) => {
      if (!event.target.dataset.text) return;
      signals.pastes += 1;
      signals.pasted_chars += (event.clipboardData?.getData("text") || "").length;
      isPasting = true;
    });
    const lengths = new WeakMap(); // of what stood in a field: what this script puts in comes before the focus
    let isPasting = false;
    let lastChange = -PAUSE;
    form.addEventListener("focusin", ({ target }) => { if (target.dataset.text) lengths.set(target, target.value.length); });
    form.addEventListener("input", ({ target }) => {
      if (!lengths.has(target)) return;
      const grown = target.value.length - lengths.get(target);
      lengths.set(target, target.value.length);
      if (grown > LONGER_THAN_A_WORD && !isPasting) signals.inserted_chars += grown;
      isPasting = false;
      const at = performance.now();
      if (at - lastChange > PAUSE) signals.bursts += 1;
      lastChange = at;
    });

    // Shows the lease's last minutes only, because its end does little harm.

    const timeLine = document.getElementById("time-left");
    const end = performance.now() + Number(form.dataset.secondsLeft) * 1000;
    const tellTime = () => {
      const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
      if (left > SHORT_TIME) return;
      const words = left > 60 ? countInWords("In about {count} minute somebody else may get this text, too.", "In about {count} minutes somebody else may get this text, too.", Math.ceil(left / 60)) : left > 0 ? inWords("In less than a minute somebody else may get this text, too.") : inWords("Somebody else may have this text now, too.");
      const more = inWords("You can still send your sentences, and you are paid for them.");
      const line = `${words} ${more}`;
      if (timeLine.textContent !== line) timeLine.textContent = line;
      timeLine.hidden = false;
    };
    const ticking = setInterval(() => (form.isConnected ? tellTime() : clearInterval(ticking)), 5000);

    // Sends by script: without a network, the browser's own submission would replace the page by an error.

    let sending = false;
    let unsent = null; // the button that was pressed when the line broke: it goes by itself when it is back, but for new words
    // The browser may say that it is online some seconds before requests arrive.
    let tries = 0;
    const goAgain = () => {
      if (sending || finished || !form.isConnected) return;
      if (unsent) send(unsent);
      else if (isDraftLate) keepSoon();
    };
    window.addEventListener("online", () => { tries = TRIES; goAgain(); });
    const say = (text, way, status) => {
      notSent.textContent = text;
      if (platform && way?.pathname === signIn) {
        notSent.append(" ", inWords("Keep this page open. In a new tab, open the study on {platform} again. Then press Send here.", { platform }));
      } else if (way) {
        const link = document.createElement("a");
        [link.textContent, link.href] = [way.textContent, way.getAttribute("href")];
        if (status !== 409) link.target = "_blank";
        if (status === 403) notSent.append(" ", inWords("Keep this page open. First do this in a new tab:"), " ", link, ". ", inWords("Then press Send here."));
        else notSent.append(" ", link);
      }
      notSent.hidden = !text;
    };
    // A problem report alone can be sent, too: it releases the text.
    const skipButton = document.getElementById("skip");
    const problem = form.elements.problem;
    const nameSending = () => {
      if (!sending) sendButton.textContent = inWords("Send");
      skipButton.textContent = problem.value.trim() ? inWords("Report and skip") : inWords("Skip this text");
    };
    form.addEventListener("input", () => { nameSending(); unsent = null; });
    const rest = () => {
      sending = false;
      nameSending();
      for (const each of [sendButton, skipButton]) each.removeAttribute("aria-disabled");
    };
    const content = () => {
      const data = new FormData(form);
      const csrf = window.freshToken();
      if (csrf) data.set("csrfmiddlewaretoken", csrf);
      for (const [name, count] of Object.entries(signals)) data.set(`signal-${name}`, count);
      return data;
    };
    const send = async (button) => {
      if (isPreview) return say(inWords("This is a preview: nothing is sent."));
      sending = true;
      unsent = null;
      alive();
      save();
      clearTimeout(timer);
      say("");
      document.getElementById("messages").replaceChildren(); // they are about the task before
      if (button === sendButton) button.textContent = inWords("Saving …");
      for (const each of [sendButton, skipButton]) each.setAttribute("aria-disabled", "true");
      const body = content();
      if (button.name) body.set(button.name, button.value);
      let answer;
      try {
        answer = await fetch(button.getAttribute("formaction") || form.action, { method: "POST", body, headers: { Accept: "application/json" }, redirect: "manual" });
      } catch {
        rest();
        unsent = button;
        if (tries > 0) setTimeout(goAgain, AGAIN);
        say(navigator.onLine && tries-- <= 0 ? inWords("The server could not be reached. Your text is still here. Please send it again in a moment.") : inWords("You are offline. What you entered is kept on this device. It is sent by itself when the connection is back."));
        return;
      }
      if (answer.ok) {
        finished = true;
        store.remove(token);
        location.assign((await answer.json()).next);
        return;
      }
      const html = await answer.text();
      if (answer.status === 422) {
        showAnswer(html);
        return;
      }
      rest();
      if (answer.status === 409) { // it can never be sent again, so no page may offer that
        finished = true;
        store.remove(token);
      }
      const page = new DOMParser().parseFromString(html, "text/html");
      const why = page.getElementById("why")?.textContent || inWords("The server could not save it ({status}). Please send it again in a moment.", { status: answer.status });
      say(`${why} ${inWords("What you wrote is still here.")}`, page.getElementById("go-on"), answer.status);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!sending) send(event.submitter || sendButton);
    });
    // A sentence is one line: Enter goes to the next field, and from the last one to the button.
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return; // while a word is composed, as in Japanese, Enter chooses it
      const place = texts.indexOf(event.target);
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        form.requestSubmit(sendButton);
      } else if (place >= 0 && !event.shiftKey) {
        event.preventDefault();
        (texts[place + 1] || sendButton).focus();
      }
    });

    // A field that gets the focus by keyboard must not stay behind the premise.
    const premise = root.querySelector(".premise-sticky");
    const uncover = (field) => {
      const edge = premise.getBoundingClientRect().bottom;
      const hidden = edge - field.getBoundingClientRect().top;
      if (getComputedStyle(premise).position === "sticky" && hidden > 0) window.scrollBy(0, -hidden - 96);
      const covered = field.getBoundingClientRect().bottom - sendButton.parentElement.getBoundingClientRect().top;
      if (texts.includes(field) && covered > 0) window.scrollBy(0, covered + 8);
    };
    form.addEventListener("focusin", (event) => uncover(event.target));

    // On a phone that is turned, the field in which somebody writes stays in view.
    let width = innerWidth;
    const turned = () => {
      if (!form.isConnected) return window.removeEventListener("resize", turned);
      const field = document.activeElement;
      if (innerWidth !== width && texts.includes(field)) {
        field.scrollIntoView({ block: "center" });
        requestAnimationFrame(() => uncover(field)); // when the bar and the premise have their new places
      }
      width = innerWidth;
    };
    window.addEventListener("resize", turned);

    restore();
    offerBeginnings();
    // What somebody typed while this script was still on its way is a draft as well.
    if (!draftLine.textContent && !isEmpty()) save();
    advise();
    nameSending();
    tellTime();
    // With a keyboard, people can type at once. On a phone, the keyboard would cover the text before it was read.
    texts[0]?.setAttribute("aria-describedby", `premise-text ${texts[0].getAttribute("aria-describedby") || ""}`.trim());
    // Who has begun in a field while this script was on its way goes on there.
    const begun = form.contains(document.activeElement);
    if (matchMedia("(hover: hover)").matches && !begun && !form.querySelector("[autofocus]")) texts.find(isUntouched)?.focus({ preventScroll: true });
  }

  // The response with errors replaces this page; the first field with an error gets the focus.
  function showAnswer(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    root.replaceChildren(...page.getElementById("writing").childNodes);
    setUp();
    const wrong = root.querySelector("[aria-invalid=true]") || root.querySelector(".error:not([hidden])");
    if (!wrong) return;
    if (wrong.matches(".error")) wrong.tabIndex = -1;
    wrong.focus({ preventScroll: true });
    wrong.scrollIntoView({ block: "center" });
  }

  // Drafts of tasks whose time ran out. They are offered until they are sent or deleted.
  function offerEarlierDrafts(current) {
    const section = document.getElementById("earlier-drafts");
    const show = (drafts) => {
      section.hidden = !drafts;
      const note = document.getElementById("earlier-note"); // at the top of a page with another task
      if (note) note.hidden = !drafts;
    };
    const list = section.querySelector("ul");
    // The server's drafts are in the page already.
    for (const item of list.querySelectorAll(":scope > li:not([data-earlier])")) item.remove();
    const listed = new Set([...list.querySelectorAll("[data-earlier]")].map((item) => item.dataset.earlier));
    for (const item of list.querySelectorAll("[data-earlier] form")) {
      item.addEventListener("submit", () => store.remove(item.querySelector("[name=token]").value));
    }
    for (const token of store.tokens()) {
      const draft = store.read(token);
      const isOld = !draft || Date.now() - Date.parse(draft.at) > KEEP_DAYS * 24 * 3600 * 1000;
      if (isOld) store.remove(token);
      else if (token !== current && !listed.has(token) && draft.corpus === root.dataset.corpus) list.append(earlierDraft(token, draft));
    }
    show(list.children.length);
  }

  function earlierDraft(token, draft) {
    const make = (name, text, ...classes) => {
      const element = document.createElement(name);
      if (text) element.textContent = text;
      element.classList.add(...classes);
      return element;
    };
    const item = make("li", "", "card");
    const written = Object.values(draft.texts).filter((text) => text.trim());
    const lines = make("ul", "");
    lines.append(...written.map((text) => { const line = make("li", text); line.dir = "auto"; return line; }));
    const premise = make("p", draft.premise, "hypothesis");
    premise.dir = "auto";
    const send = make("button", inWords("Send draft"), "button");
    send.type = "button";
    send.addEventListener("click", () => sendEarlier(token, draft));
    const drop = make("button", inWords("Delete draft"), "button-quiet");
    drop.type = "button";
    drop.addEventListener("click", () => { store.remove(token); setUpEarlier(item); });
    const buttons = make("div", "", "buttons");
    buttons.append(send, drop);
    item.append(premise, lines, make("p", inWords("Saved on this device {time}", { time: clock(draft.at) }), "soft", "small"), buttons);
    return item;
  }

  function setUpEarlier(item) {
    item.remove();
    const section = document.getElementById("earlier-drafts");
    show(section.querySelector("li"));
  }

  function sendEarlier(token, draft) {
    const form = document.createElement("form");
    form.method = "post";
    form.action = root.dataset.next;
    const csrf = root.querySelector("input[name=csrfmiddlewaretoken]").value;
    const values = { csrfmiddlewaretoken: csrf, token, key: token, ...draft.texts };
    for (const [name, value] of Object.entries(values)) {
      const field = document.createElement("textarea");
      field.name = name;
      field.value = value;
      form.append(field);
    }
    form.hidden = true;
    document.body.append(form);
    form.submit();
  }

  setUp();
})();

"use strict";
(function () {
  // The days of a person's work begin at their own midnight.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone) document.cookie = `quintet-zone=${zone}; path=/; max-age=31536000; samesite=lax`;

  // Signing in again in another tab changes the CSRF token, which makes this page's copy invalid. Over HTTPS the name of
  // its cookie has a prefix.
  function freshToken() {
    const found = document.cookie.match(/(?:^|;\s*)(?:__Host-)?csrftoken=([^;]+)/);
    return found ? found[1] : null;
  }
  window.freshToken = freshToken;
  document.addEventListener(
    "submit",
    function (event) {
      const field = event.target.querySelector("input[name=csrfmiddlewaretoken]");
      if (field && freshToken()) field.value = freshToken();
    },
    true
  );
  document.addEventListener("htmx:configRequest", function (event) {
    const token = freshToken();
    if (!token) return;
    event.detail.headers["X-CSRFToken"] = token;
    if (event.detail.parameters.csrfmiddlewaretoken) event.detail.parameters.csrfmiddlewaretoken = token;
  });

  // Copies the text of the element whose id the button names; where the browser does not let a page copy, it is marked.
  document.addEventListener("click", async function (event) {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const text = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = inWords("Copied");
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = matchMedia("(pointer: coarse)").matches ? inWords("Not copied: hold your finger on the code above, then choose Copy") : inWords("Marked: now press Ctrl C");
    }
  });
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;

  // What is typed into a field with data-kept stays on this device until the server has it: the sign-in may end before. Writing
  // has drafts of its own, which other devices see, too.
  const KEPT = "quintet:kept:";
  try {
    for (const sent of document.querySelectorAll("[data-not-kept]")) localStorage.removeItem(KEPT + sent.dataset.notKept);
    for (const field of document.querySelectorAll("[data-kept]")) {
      const name = KEPT + field.dataset.kept;
      field.value = localStorage.getItem(name) ?? field.value;
      field.addEventListener("input", () => localStorage.setItem(name, field.value));
    }
  } catch {} // without storage nothing is kept

  // The first field at fault has the focus, where the page gave it to nothing else.
  const wrong = document.querySelector("main [aria-invalid=true], main [data-wrong] input");
  if (wrong && document.activeElement === document.body) wrong.focus();

  // Tells the site, while the browser goes elsewhere, that the way back was taken; and once a browser that a link was opened.
  function tell(address) {
    const told = fetch(address, { method: "POST", keepalive: true, headers: { "X-CSRFToken": freshToken() || "" } });
    told.catch(() => {}); // a count that is missing harms nobody
  }
  document.addEventListener("click", function (event) {
    const pressed = event.target.closest("[data-tells]");
    if (pressed) tell(pressed.dataset.tells);
  });
  for (const page of document.querySelectorAll("[data-opened]")) {
    const address = page.dataset.opened;
    try {
      if (localStorage.getItem(address)) continue;
      localStorage.setItem(address, "1");
    } catch {} // without storage a second look counts, too
    tell(address);
  }

  // Reports a failed request; otherwise the button would seem to do nothing. `link`: text and address of a link that
  // opens in a new tab, so that nothing on this page is lost.
  function say(text, link) {
    const box = document.getElementById("trouble");
    if (!box) return;
    box.className = text ? "error" : "";
    box.textContent = text;
    if (link) {
      const way = document.createElement("a");
      [way.textContent, way.href] = link;
      way.target = "_blank";
      box.append(" ", way);
    }
    box.hidden = !text;
    if (text) box.scrollIntoView({ block: "nearest" });
  }
  // Refreshes parts of a page (data-live): not in a hidden tab, nor while the reader works in the part. A failure is not
  // reported, since the next refresh comes soon.
  function isLive(event) {
    return event.detail.elt.matches("[data-live]");
  }
  document.addEventListener("htmx:configRequest", function (event) {
    if (isLive(event)) event.detail.headers["Quintet-Poll"] = "true";
  });
  document.addEventListener("htmx:beforeRequest", function (event) {
    if (!isLive(event)) return say("");
    const part = event.detail.elt;
    if (document.hidden || part.contains(document.activeElement) || part.querySelector("details[open]"))
      event.preventDefault();
  });
  document.addEventListener("htmx:sendError", function (event) {
    if (isLive(event)) return;
    // A form with data-resends goes by itself when the line is back.
    const waits = event.detail.elt.matches("[data-resends]") && !navigator.onLine;
    say(waits ? inWords("You are offline. What you entered is kept on this device. It is sent by itself when the connection is back.") : inWords("The server could not be reached. What you typed is still here. Please try again in a moment."));
  });
  document.addEventListener("htmx:responseError", function (event) {
    if (isLive(event)) return;
    const status = event.detail.xhr.status;
    const address = document.getElementById("trouble")?.dataset;
    if (status === 403 && address.platform) {
      // Such people have no password: they come in by their study again.
      say([
        inWords("You are signed out. Your answers are still here."),
        inWords("Keep this page open. In a new tab, open the study on {platform} again. Then press Send here.", address),
        inWords("If the study does not open, write to the researchers on {platform}: your visit has the number {visit}. They can send you a link that opens it.", address),
      ].join(" "));
    } else if (status === 403) {
      const back = encodeURIComponent(location.pathname);
      say(inWords("You are signed out. Sign in, then come back to this tab and send again. Your work is still here."), [inWords("Open the sign-in in a new tab"), `${address.signIn}?next=${back}`]);
    } else if (status === 404) {
      say(inWords("This belongs to another account, or is not there any more. Are you signed in as somebody else?"), [inWords("Go to the start page in a new tab"), address.start]);
    } else {
      say(inWords("The server could not do this ({status}). What you typed is still here. Please try again in a moment.", { status }));
    }
  });
})();

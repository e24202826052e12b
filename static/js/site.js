"use strict";
(function () {
  // Signing in again in another tab changes the token; this page's copy would then be refused.
  function freshToken() {
    const found = document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/);
    return found ? found[1] : null;
  }
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
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Marked: now press Ctrl C, or hold it and choose Copy";
    }
  });
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;

  // Without a word, a request that failed looks like a button that does nothing.
  function say(text) {
    const box = document.getElementById("trouble");
    if (!box) return;
    box.className = text ? "error" : "";
    box.textContent = text;
    box.hidden = !text;
  }
  document.addEventListener("htmx:beforeRequest", function () {
    say("");
  });
  document.addEventListener("htmx:sendError", function () {
    say("The server could not be reached. What you typed is still here. Please try again in a moment.");
  });
  document.addEventListener("htmx:responseError", function (event) {
    const status = event.detail.xhr.status;
    say(
      status === 403
        ? "You are signed out. Sign in in another tab, then come back and send again. Your text is still here."
        : "The server could not do this (" + status + "). What you typed is still here. Please try again in a moment."
    );
  });
})();

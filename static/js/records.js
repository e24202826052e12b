"use strict";
// The admin theme lacks a landmark for its content and names for some of its controls: its icons are words to a screen
// reader ("library_books Corpora"), and its switch of the sidebar is no button.
addEventListener("load", function () {
  document.getElementById("main")?.setAttribute("role", "main");
  for (const icon of document.querySelectorAll(".material-symbols-outlined")) {
    if (!icon.hasAttribute("x-on:click")) {
      icon.setAttribute("aria-hidden", "true");
      const control = icon.closest("a, button");
      if (control && !control.innerText.replace(icon.innerText, "").trim() && !control.hasAttribute("aria-label"))
        control.setAttribute("aria-label", control.title || icon.textContent.trim().replaceAll("_", " "));
      continue;
    }
    icon.setAttribute("role", "button");
    icon.setAttribute("aria-label", "Show or hide the sidebar");
    icon.tabIndex = 0;
    icon.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        icon.click();
      }
    });
  }
  document.querySelectorAll(".simplebar-content-wrapper").forEach(function (part, index) {
    part.setAttribute("aria-label", `Part ${index + 1}, which scrolls`);
  });
});

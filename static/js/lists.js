"use strict";
// Keys for the rows of a long list: j and k move, x chooses, Enter opens, ? tells them. Without this script the list works.
(function () {
  const rows = [...document.querySelectorAll(".list-table > tbody > tr[id]")];
  const keys = document.querySelector(".list .keys");
  for (const row of rows) row.tabIndex = -1;
  if (keys && rows.length) keys.hidden = false;

  // A menu closes when the reader goes elsewhere, or presses Escape in it.
  for (const menu of document.querySelectorAll(".list-menu")) {
    document.addEventListener("click", (event) => menu.contains(event.target) || (menu.open = false));
    menu.addEventListener("keydown", function (event) {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.firstElementChild.focus();
    });
  }

  // Ticks all rows of the page, and says how many are ticked.
  const act = document.getElementById("act");
  if (act?.elements.which) {
    const boxes = rows.map((row) => row.querySelector("input[form=act]")).filter(Boolean);
    const [all, which] = [act.querySelector("[data-all]"), act.elements.which.options[0]];
    const tell = () => (which.textContent = `${boxes.filter((box) => box.checked).length} ticked`);
    all.hidden = false;
    all.addEventListener("click", function () {
      const isOn = !boxes.every((box) => box.checked);
      for (const box of boxes) box.checked = isOn;
      tell();
    });
    document.addEventListener("change", (event) => boxes.includes(event.target) && tell());
    tell();
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, textarea, input:not([type=checkbox]), summary, :modal")) return;
    const place = rows.findIndex((row) => row.contains(document.activeElement));
    if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      const wanted = event.key === "j" ? place + 1 : Math.max(place - 1, 0);
      // After the last row comes the link to the next page.
      (rows[wanted] || document.getElementById("next-page") || rows.at(-1))?.focus();
      const link = rows[wanted]?.querySelector("[data-pair]");
      if (link) link.dispatchEvent(new CustomEvent("quintet:passed", { bubbles: true }));
    } else if (event.key === "x" && place >= 0) {
      const box = rows[place].querySelector("input[type=checkbox]");
      if (!box) return;
      event.preventDefault();
      box.click();
    } else if (event.key === "Enter" && document.activeElement === rows[place]) {
      event.preventDefault();
      rows[place].querySelector("[data-pair], th a")?.click();
    } else if (event.key === "?" && keys) {
      event.preventDefault();
      keys.open = !keys.open;
      keys.firstElementChild.focus();
    }
  });
})();

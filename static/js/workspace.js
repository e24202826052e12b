"use strict";
(function () {
  // Folds filters away on phones; elsewhere they are open, and without scripts, too.
  const narrow = matchMedia("(max-width: 39.99rem)");
  function fold() {
    for (const part of document.querySelectorAll("details.fold")) part.open = !narrow.matches;
  }
  narrow.addEventListener("change", fold);
  fold();

  // A slider under a number (data-slider: its name, data-most: its end), of which each moves the other. A choice of the form may have another end.
  for (const number of document.querySelectorAll("input[data-most]")) {
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = 1;
    slider.setAttribute("aria-label", number.dataset.slider);
    function fit() {
      const chosen = number.form.querySelector("p[data-most]:has(:checked)");
      slider.max = (chosen || number).dataset.most;
      slider.hidden = slider.max === "0";
      slider.value = number.value;
    }
    slider.addEventListener("input", () => (number.value = slider.value));
    number.form.addEventListener("input", (event) => event.target !== slider && fit());
    number.after(slider);
    fit();
  }

  // Parts of a page as tabs: what follows each heading of [data-tabs] is a panel. Without scripts they stand one below the
  // other. A hidden panel is still found by a search in the page and by an address with #.
  const KEPT = "tab " + location.pathname; // a page that is loaded again keeps its tab
  function makeTabs(part) {
    const heads = [...part.children].filter((each) => each.tagName === "H2");
    if (heads.length < 2 || part.querySelector(":scope > [role=tablist]")) return;
    const list = document.createElement("div");
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", part.dataset.tabs);
    list.className = "part-tabs";
    heads[0].before(list);
    const tabs = heads.map((head, place) => {
      const panel = document.createElement("div");
      let after = head.nextElementSibling;
      head.before(panel);
      panel.append(head);
      for (; after && !heads.includes(after); after = panel.nextElementSibling) panel.append(after);
      const tab = document.createElement("button");
      Object.assign(tab, { type: "button", id: "tab-" + place, textContent: head.textContent });
      Object.assign(panel, { id: "panel-" + place });
      const roles = [[tab, "tab", "aria-controls", panel.id], [panel, "tabpanel", "aria-labelledby", tab.id]];
      for (const [element, role, name, value] of roles) for (const [key, said] of [["role", role], [name, value]]) element.setAttribute(key, said);
      head.classList.add("visually-hidden"); // the tab says it
      list.append(tab);
      return { tab, panel };
    });
    function choose(one) {
      for (const each of tabs) {
        each.tab.setAttribute("aria-selected", each === one);
        each.tab.tabIndex = each === one ? 0 : -1;
        each.panel.hidden = each === one ? false : "until-found";
      }
      sessionStorage.setItem(KEPT, one.tab.textContent);
    }
    for (const [place, one] of tabs.entries()) {
      one.tab.addEventListener("click", () => choose(one));
      one.tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = tabs.at((place + step * (document.dir === "rtl" ? -1 : 1)) % tabs.length);
        choose(next);
        next.tab.focus();
      });
      one.panel.addEventListener("beforematch", () => choose(one));
    }
    const target = location.hash && document.getElementById(location.hash.slice(1));
    choose(tabs.find(({ panel }) => target && panel.contains(target)) || tabs.find(({ tab }) => tab.textContent === sessionStorage.getItem(KEPT)) || tabs[0]);
    if (target && part.contains(target)) target.scrollIntoView();
  }
  addEventListener("beforeprint", () => document.querySelectorAll("[role=tabpanel]").forEach((panel) => (panel.hidden = false)));
  document.addEventListener("htmx:load", () => document.querySelectorAll("[data-tabs]").forEach(makeTabs));
  document.querySelectorAll("[data-tabs]").forEach(makeTabs);

  // What a long page holds, under its section: its headings, and its charts where these are few.
  const LONG = 3; // screens
  const FEW = 4; // headings
  const here = document.querySelector(".sections a[aria-current]");
  function contents() {
    const main = document.querySelector("main");
    const shown = (part) => part.offsetHeight > 1; // a hidden heading has one pixel
    const heads = [...main.querySelectorAll("h2")].filter(shown);
    const charts = heads.length < FEW ? [...main.querySelectorAll("figure[data-name]")].filter(shown) : [];
    const parts = [...heads, ...charts].sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    if (main.offsetHeight < LONG * innerHeight || parts.length < FEW) return;
    const list = document.createElement("ul");
    list.className = "contents";
    list.setAttribute("aria-label", "On this page");
    for (const [place, part] of parts.entries()) {
      part.id ||= "part-" + place;
      const link = document.createElement("a");
      link.href = "#" + part.id;
      link.textContent = (part.dataset.name || part.textContent).replace(/ \(.*\)$/, ""); // where a paper has it
      const entry = document.createElement("li");
      entry.append(link);
      list.append(entry);
    }
    here.after(list);
  }
  if (here) addEventListener("load", () => setTimeout(contents)); // once charts are drawn
})();

"use strict";
// Shows the pairs of a list one after the other in a drawer: beside the list where there is room, else over it. Without this
// script a link leads to the pair's page.
// The address names the pair (?pair=ID), so that it can be sent to somebody; Back closes the drawer.
(function () {
  const drawer = document.getElementById("drawer");
  const body = document.getElementById("drawer-body");
  const links = [...document.querySelectorAll("a[data-pair]")];
  if (!drawer || !links.length) return;
  const isWide = matchMedia("(min-width: 94rem)");
  const isBeside = () => drawer.open && !drawer.matches(":modal");
  let place = -1;
  let isChanged = false; // something was sent from the drawer: the list is older than the pair

  function address(name) {
    const there = new URL(location.href);
    if (name) there.searchParams.set("pair", name);
    else there.searchParams.delete("pair");
    return there;
  }

  async function show(next) {
    if (place >= 0) links[place].closest("tr").classList.remove("is-shown");
    place = next;
    const link = links[place];
    link.closest("tr").classList.add("is-shown");
    drawer.querySelector("[data-place]").textContent = `${place + 1} of ${links.length} on this page`;
    drawer.querySelector("[data-whole]").href = link.href;
    for (const button of drawer.querySelectorAll("[data-step]"))
      button.disabled = !links[place + Number(button.dataset.step)];
    const before = document.activeElement;
    if (!drawer.open && !isWide.matches) drawer.showModal();
    else if (!drawer.open) {
      drawer.show();
      before.focus(); // who reads on stays in the list
    }
    await htmx.ajax("GET", link.href, { source: body, target: body });
  }

  function open(next) {
    const how = history.state?.pair === undefined ? "pushState" : "replaceState";
    history[how]({ pair: next }, "", address(links[next].textContent));
    show(next);
  }

  function close() {
    if (history.state?.pair !== undefined) history.back(); // closes it
    else drawer.close();
  }

  for (const [number, link] of links.entries())
    link.addEventListener("click", function (event) {
      if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      open(number);
    });
  drawer.addEventListener("click", function (event) {
    const step = event.target.closest("[data-step]");
    if (step) open(place + Number(step.dataset.step));
    else if (event.target === drawer || event.target.closest("[data-close]")) close();
  });
  // Beside the list, the drawer follows the reader through the rows.
  document.addEventListener("quintet:passed", function (event) {
    if (isBeside()) open(links.indexOf(event.target));
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && isBeside()) close();
  });
  drawer.addEventListener("cancel", function (event) {
    event.preventDefault();
    close();
  });
  drawer.addEventListener("keydown", function (event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const isBusy = event.target.closest("input, textarea, select, [role=region]"); // there the keys have a use
    if (!step || isBusy || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (links[place + step]) open(place + step);
  });
  drawer.addEventListener("close", function () {
    body.replaceChildren();
    if (isChanged) return location.reload();
    links[place].closest("tr").classList.remove("is-shown");
    links[place].focus();
  });
  // A form of the pair stays in the drawer, too.
  drawer.addEventListener("submit", function (event) {
    event.preventDefault();
    const { target: form, submitter } = event;
    const values = submitter?.name ? { [submitter.name]: submitter.value } : {};
    isChanged = true;
    htmx.ajax("POST", form.action, { source: form, target: body, values });
  });
  drawer.addEventListener("htmx:beforeSwap", function (event) {
    if (event.detail.target !== body || event.detail.xhr.response.includes("data-in-drawer")) return;
    event.detail.shouldSwap = false; // another page, such as a form with an error: it is shown as what it is
    location.assign(links[place].href);
  });
  drawer.addEventListener("htmx:afterSwap", function (event) {
    if (event.detail.target !== body) return;
    if (!isBeside()) body.focus({ preventScroll: true });
    drawer.scrollTop = 0;
  });
  // The page says what went wrong, behind the drawer.
  for (const failure of ["htmx:responseError", "htmx:sendError"])
    drawer.addEventListener(failure, function (event) {
      if (event.detail.target === body) close();
    });
  addEventListener("popstate", function (event) {
    const next = event.state?.pair;
    if (next !== undefined && links[next]) show(next);
    else if (drawer.open) drawer.close();
  });

  const asked = new URL(location.href).searchParams.get("pair");
  const first = links.findIndex((link) => link.textContent === asked);
  if (first >= 0) {
    history.replaceState(null, "", address(""));
    open(first);
  }
})();

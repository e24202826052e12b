// A button for passkeys works once the scripts before this one have prepared it.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("button[data-passkey]")) button.disabled = false;
});

// Shows that a passkey was not made or used: the person cancelled, or the browser has none for this site.
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  document.getElementById("passkey-error").hidden = false;
});

// Shows that a passkey was not made or used: the person cancelled, or the browser has none for this site.
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  document.getElementById("passkey-error").hidden = false;
});

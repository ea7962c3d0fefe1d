"use strict";

// The key lives in this page's memory only: neither a cookie nor the browser's storage ever holds it.
const form = document.getElementById("key-form");
const told = document.getElementById("told");

function tell(text) {
  told.textContent = text;
  told.classList.add("bad");
}

function show(description, key) {
  form.hidden = true;
  form.style.display = "none";
  const ui = SwaggerUIBundle({
    spec: description,
    domNode: document.getElementById("api"),
    validatorUrl: null,
    persistAuthorization: false,
    displayRequestDuration: true,
    docExpansion: "list",
    onComplete: () => ui.preauthorizeApiKey("key", key),
  });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const key = document.getElementById("key").value.trim();
  try {
    const reply = await fetch("/v1/openapi?format=json", { headers: { Authorization: "Bearer " + key } });
    const body = await reply.json();
    if (reply.ok) {
      show(body, key);
    } else {
      tell(body.detail);
    }
  } catch (failure) {
    tell("The platform did not answer: " + failure.message);
  }
});

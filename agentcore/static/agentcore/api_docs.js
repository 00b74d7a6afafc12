/** The page of the API: Swagger UI over our own description; what it tries goes out as the person who is logged in. */

const place = document.getElementById("api-docs");

const withCsrfToken = (request) => {
  if (request.method && request.method !== "GET" && new URL(request.url, location.href).origin === location.origin) {
    request.headers["X-CSRFToken"] = place.dataset.csrf;
  }
  return request;
};

globalThis.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  validatorUrl: null,
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  requestInterceptor: withCsrfToken,
});

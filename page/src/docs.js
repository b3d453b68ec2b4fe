/** Swagger UI at /docs: a separate page, so that people who just play do not load it. */

import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";

const dark = matchMedia("(prefers-color-scheme: dark)");
const match = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", match);
match();

SwaggerUI({ url: "/openapi.json", domNode: document.getElementById("docs"), validatorUrl: null, deepLinking: true });

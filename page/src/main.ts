import { mount } from "svelte";
import "../from-server/drawing.css";
import "./fonts.css";
import "./app.css";
import App from "./App.svelte";
import { apply } from "./settings.svelte.ts";

apply();
matchMedia("(prefers-reduced-motion: reduce)").addEventListener("change", apply);
mount(App, { target: document.getElementById("page")! });

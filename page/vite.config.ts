import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { readFileSync } from "node:fs";
import { themeCss } from "./theme-css.ts";

const SERVER = process.env.NORTHRAIL_SERVER ?? "http://localhost:8000";

/** `virtual:themes.css`, made from the colours the server exports. */
function themes(): Plugin {
    const name = "virtual:themes.css";
    const file = new URL("./from-server/themes.json", import.meta.url);
    return {
        name: "themes",
        resolveId: (id) => (id === name ? `\0${name}` : undefined),
        load: (id) => (id === `\0${name}` ? themeCss(JSON.parse(readFileSync(file, "utf8")).themes) : undefined),
    };
}

export default defineConfig({
    plugins: [svelte(), themes()],
    base: "/",
    build: {
        outDir: "../src/northrail/server/static",
        emptyOutDir: true,
        assetsDir: "assets",
        target: "es2022",
        assetsInlineLimit: 0, // the page's policy allows no inline script
        modulePreload: { polyfill: false },
        license: { fileName: "licenses.md" }, // of every package in the bundles
        rolldownOptions: { input: ["index.html", "docs.html"] },
        chunkSizeWarningLimit: 1600, // kB: Swagger UI, which only /docs loads
    },
    server: { proxy: { "/api": { target: SERVER, ws: true }, "/openapi.json": SERVER } },
    resolve: process.env.VITEST ? { conditions: ["browser"] } : undefined,
    test: { environment: "jsdom", include: ["tests/**/*.test.ts"] },
});

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import server from "./from-server/themes.json" with { type: "json" };

const SERVER = process.env.NORTHRAIL_SERVER ?? "http://localhost:8000";

/** Puts the background colours into index.html, which browsers read before any style sheet. */
const papers: Plugin = {
    name: "papers",
    transformIndexHtml: (html) => html.replace("%LIGHT%", server.themes.light.paper).replace("%DARK%", server.themes.dark.paper),
};

const FONTS = ["figtree", "fraunces"];

/** Loads the font of the text as early as the page itself, and puts the fonts' licences beside them. */
const fonts: Plugin = {
    name: "fonts",
    apply: "build",
    generateBundle() {
        const licences = FONTS.map((font) => readFileSync(`node_modules/@fontsource-variable/${font}/LICENSE`, "utf-8"));
        this.emitFile({ type: "asset", fileName: "font-licenses.txt", source: licences.join("\n\n") });
    },
    transformIndexHtml: {
        order: "post",
        handler(_, { bundle, path }) {
            const file = Object.keys(bundle ?? {}).find((name) => /figtree-latin-wght.*woff2$/.test(name));
            const attrs = { rel: "preload", as: "font", type: "font/woff2", crossorigin: "", href: `/${file}` };
            return file && path === "/index.html" ? [{ tag: "link", attrs, injectTo: "head" }] : [];
        },
    },
};

export default defineConfig({
    plugins: [svelte(), papers, fonts],
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
    // Making an environment for every file takes far longer than the tests, so they share one.
    test: {
        environment: "jsdom",
        include: ["tests/**/*.test.ts"],
        pool: "threads",
        isolate: false,
        maxWorkers: 1,
        restoreMocks: true,
        unstubGlobals: true,
    },
});

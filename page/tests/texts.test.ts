import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { texts } from "../src/texts.ts";

const SOURCES = join(__dirname, "..", "src");
const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(ts|svelte)$/.test(name) && name !== "protocol.d.ts",
);
const whole = files.map((name) => readFileSync(join(SOURCES, name), "utf8")).join("\n");

/** Groups whose texts are chosen by a word of the server or a setting. */
const LOOKED_UP = ["colours", "levels", "settings.themes", "table.asked", "table.doing", "rules.kind", "tabs"];

function paths(group: object, before = ""): string[] {
    return Object.entries(group).flatMap(([name, text]) => {
        const path = before ? `${before}.${name}` : name;
        return typeof text === "object" && !Array.isArray(text) && !LOOKED_UP.includes(path) ? paths(text, path) : [path];
    });
}

test("every text is shown somewhere", () => {
    const unused = paths(texts).filter((path) => !whole.includes(`texts.${path}`) && !whole.includes(`english.${path}`));
    expect(unused).toEqual([]);
});

test("no sentence stands outside the catalogue", () => {
    const spoken = files
        .filter((name) => name.endsWith(".svelte"))
        .flatMap((name) => {
            const markup = readFileSync(join(SOURCES, name), "utf8")
                .replace(/<(script|style)[\s\S]*?<\/\1>/g, "")
                .replace(/<!--[\s\S]*?-->/g, "");
            return [...markup.matchAll(/>\s*([A-Za-z][a-z]+ [a-z][^<{]*)</g)].map((found) => `${name}: ${found[1]}`);
        });
    expect(spoken).toEqual([]);
});

test("numbers are said with their words", () => {
    expect(texts.points(1)).toBe("1 point");
    expect(texts.ticketCount(3)).toBe("3 tickets");
    expect(texts.list(["a", "b", "c"])).toBe("a, b and c");
    expect(texts.signed(-7)).toBe("−7");
    expect(texts.level("medium")).toBe("Medium");
    expect(texts.level("something-new")).toBe("Something-new");
    expect(texts.levelMore("medium")).toBe("Medium – a fair match");
    expect(texts.levelMore("something-new")).toBe("Something-new");
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { texts } from "../src/texts.ts";

const SOURCES = join(__dirname, "..", "src");
const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.(ts|svelte)$/.test(name) && name !== "protocol.d.ts",
);
const whole = files.map((name) => readFileSync(join(SOURCES, name), "utf8")).join("\n");

/** Groups whose texts are looked up by a word from the server or a setting. */
const LOOKED_UP = [
    "colours",
    "levels",
    "settings.themes",
    "table.prompt",
    "table.progress",
    "final.counted",
    "review.labels",
    "review.luckParts",
    "why",
    "hint.button",
    "manners",
    "hint.look",
    "takeBack.why",
    "rules.kind",
    "rules.tieBreaks",
    "boards.special",
    "speeds",
    "tabs",
];

function paths(group: object, before = ""): string[] {
    return Object.entries(group).flatMap(([name, text]) => {
        const path = before ? `${before}.${name}` : name;
        return typeof text === "object" && !Array.isArray(text) && !LOOKED_UP.includes(path) ? paths(text, path) : [path];
    });
}

test("every text is used somewhere", () => {
    const unused = paths(texts).filter((path) => !whole.includes(`texts.${path}`) && !whole.includes(`english.${path}`));
    expect(unused).toEqual([]);
});

test("no sentence is outside the catalogue", () => {
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

test("counts agree with their words", () => {
    expect(texts.points(1)).toBe("1 point");
    expect(texts.ticketCount(3)).toBe("3 tickets");
    expect(texts.list(["a", "b", "c"])).toBe("a, b and c");
    expect(texts.signed(-7)).toBe("−7");
    expect(texts.level("medium")).toBe("Medium");
    expect(texts.level("beginner")).toBe("Beginner");
    expect(texts.level("something-new")).toBe("Something-new");
    expect(texts.setup.bot("medium")).toBe("Medium bot – a fair match");
    expect(texts.setup.bot("something-new")).toBe("Something-new bot");
});

test("the rules say how ties are broken, also on a board without tie-breaks", () => {
    expect(texts.rules.tie(["completed tickets", "longest path"])).toBe(
        "A tie for first place is broken by the most completed tickets, then by the longest path. If players are still tied, they share the win.",
    );
    expect(texts.rules.tie([])).toBe("Players who tie for first place share the win.");
});

test("numbers in the rules are the board's", () => {
    expect(texts.pay.tunnelHint(3)).toBe("We turn over three cards. Each match costs you one more card.");
    expect(texts.pay.tunnelHint(1)).toBe("We turn over one card. Each match costs you one more card.");
    expect(texts.draw.confirmMore(2)).toContain("keep at least two");
    expect(texts.rules.bonusMore([1])).toBe("Claiming a route marked +1 lets you draw one extra card.");
    expect(texts.rules.bonusMore([1, 2, 3])).toBe("Claiming a route marked +1 lets you draw one extra card, +2 two and +3 three.");
});

import { expect, test } from "vitest";
import { animalOf, faceOf } from "../src/faces.ts";
import { texts } from "../src/texts.ts";

test("every animal with a sentence has a face", () => {
    for (const animal of Object.keys(texts.manners)) expect(faceOf(animal)).toContain("<path");
    expect(faceOf("moose")).toBe("");
});

test("a bot’s animal is its name without the number; people have none", () => {
    expect(animalOf({ who: "bot", name: "Puffin 2" })).toBe("puffin");
    expect(animalOf({ who: "person", name: "Puffin" })).toBe("");
    expect(animalOf({ who: "open", name: null })).toBe("");
});

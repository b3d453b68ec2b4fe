import { flushSync, mount, unmount } from "svelte";
import { expect, test, vi } from "vitest";
import ShareLink from "../src/parts/ShareLink.svelte";
import { texts } from "../src/texts.ts";

/** Whether a link is shown with a QR code, once the server has named the addresses it has on the network. */
async function hasCode(link: string, addresses: string[]): Promise<boolean> {
    vi.stubGlobal("fetch", async () => Response.json({ addresses }));
    const shown = mount(ShareLink, { target: document.body, props: { link, about: "Share this link" } });
    await vi.dynamicImportSettled();
    await new Promise((done) => setTimeout(done));
    await vi.dynamicImportSettled();
    flushSync();
    const found = document.querySelector(`[aria-label="${texts.waiting.qr}"]`) !== null;
    void unmount(shown);
    return found;
}

test("only a link that other devices can open has a QR code", async () => {
    expect(await hasCode("http://192.168.1.5:8000/t/abc", [])).toBe(true);
    expect(await hasCode("http://localhost:8000/t/abc", ["http://192.168.1.5:8000"])).toBe(true);
    expect(await hasCode("http://localhost:8000/t/abc", [])).toBe(false);
});

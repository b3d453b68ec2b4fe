/** Links that others can open: a page opened at "localhost" has an address that only works on this device. */

import * as server from "./server.ts";

export const isOnlyHere = (link: string): boolean => /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(link).hostname);

/** The same link at the address that others on the network can open; null if there is none. */
export async function linkForOthers(link: string): Promise<string | null> {
    const [address] = (await server.addresses()).addresses;
    if (address === undefined) return null;
    const { pathname, hash } = new URL(link);
    return new URL(pathname + hash, address).href;
}

/** Which part of a picture is visible in a window: the picture is enlarged by `scale`, then moved by x and y. */

export interface Place {
    scale: number;
    x: number;
    y: number;
}
export interface Size {
    width: number;
    height: number;
}
export interface Box extends Size {
    x: number;
    y: number;
}

export const WHOLE: Place = { scale: 1, x: 0, y: 0 };
export const MOST = 6;

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** The largest size at which the whole picture fits. */
export function fit(picture: Size, window: Size): Size {
    const scale = Math.min(window.width / picture.width, window.height / picture.height);
    return { width: picture.width * scale, height: picture.height * scale };
}

/** The place, limited so that the picture fills the window or is centred in it. */
export function held(place: Place, picture: Size, window: Size): Place {
    const scale = clamp(place.scale, 1, MOST);
    const along = (at: number, length: number, room: number) => (length <= room ? (room - length) / 2 : clamp(at, room - length, 0));
    return {
        scale,
        x: along(place.x, picture.width * scale, window.width),
        y: along(place.y, picture.height * scale, window.height),
    };
}

/** Larger or smaller by a factor; the point under the finger stays there. */
export function zoomed(place: Place, factor: number, at: { x: number; y: number }): Place {
    const scale = clamp(place.scale * factor, 1, MOST);
    const part = scale / place.scale;
    return { scale, x: at.x - (at.x - place.x) * part, y: at.y - (at.y - place.y) * part };
}

export const moved = (place: Place, dx: number, dy: number): Place => ({ ...place, x: place.x + dx, y: place.y + dy });

/** The place that shows a whole box of the fitted picture, enlarged at most `most` times. */
export function around(box: Box, window: Size, most = 2.6): Place {
    const scale = clamp(Math.min(window.width / box.width, window.height / box.height), 1, most);
    return {
        scale,
        x: window.width / 2 - (box.x + box.width / 2) * scale,
        y: window.height / 2 - (box.y + box.height / 2) * scale,
    };
}

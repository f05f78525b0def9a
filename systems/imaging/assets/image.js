// Frames: bringing them, keeping some, and making shades of values.
"use strict";

import { getJson, getOctets, getPicture, number, Refusal, text, values } from "./api.js";

/** How many octets of decoded frames are kept. */
const KEPT = 384 << 20;
/** How many frames come at a time, and how many are brought ahead of the reader. */
const AT_ONCE = 3;

/** A frame that can be drawn: values with a window, or a picture as the server has drawn it. */
class Frame {
  constructor(fields) {
    Object.assign(this, fields);
  }

  get octets() {
    return this.pixels ? this.pixels.byteLength : 4 * this.columns * this.rows;
  }

  /** The window from the least to the greatest value. */
  wholeRange() {
    if (!this.range) {
      let [least, greatest] = [Infinity, -Infinity];
      for (const value of this.pixels) {
        if (value < least) least = value;
        if (value > greatest) greatest = value;
      }
      const [a, b] = [least, greatest].map((value) => value * this.slope + this.intercept);
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      this.range = { centre: (low + high + 1) / 2, width: Math.max(high - low + 1, 2) };
    }
    return this.range;
  }

  /** Draws it as large as it is, on a canvas that is made so large (PS3.3, C.11.2.1.2.1). */
  draw(canvas, window, inverted) {
    if (canvas.width !== this.columns || canvas.height !== this.rows) {
      canvas.width = this.columns;
      canvas.height = this.rows;
    }
    const context = canvas.getContext("2d");
    if (this.picture) {
      context.filter = inverted ? "invert(1)" : "none";
      context.drawImage(this.picture, 0, 0);
      return;
    }
    const image = context.createImageData(this.columns, this.rows);
    const shades = this.shades(window, inverted !== this.inverse);
    const out = new Uint32Array(image.data.buffer);
    const [pixels, first] = [this.pixels, this.first];
    for (let at = 0; at < out.length; at++) out[at] = shades[pixels[at] - first];
    context.putImageData(image, 0, 0);
  }

  /** The colour of each value that there may be, as a pixel of a canvas. */
  shades({ centre, width }, inverted) {
    const shades = new Uint32Array(this.last - this.first + 1);
    const span = width - 1;
    for (let at = 0; at < shades.length; at++) {
      const value = (this.first + at) * this.slope + this.intercept;
      let shade = span > 0 ? Math.floor(((value - (centre - 0.5)) / span + 0.5) * 255) : value > centre - 0.5 ? 255 : 0;
      shade = Math.max(0, Math.min(255, shade));
      if (inverted) shade = 255 - shade;
      shades[at] = 0xff000000 | (shade << 16) | (shade << 8) | shade;
    }
    return shades;
  }
}

/** A stack: the frames of the images of a series, brought as the reader goes. */
export class Stack {
  constructor(study, series, images, changed) {
    this.path = `/studies/${study}/series/${series}`;
    this.places = images.flatMap((image) => {
      const uid = text(image, "00080018");
      const count = Math.max(1, number(image, "00280008", 1));
      return Array.from({ length: count }, (_, frame) => ({ uid, frame: frame + 1, image }));
    });
    this.changed = changed;
    this.frames = new Map();
    this.metadata = new Map();
    this.underWay = new Map();
    this.at = 0;
    this.ahead = 1;
    this.octets = 0;
    this.done = 0;
  }

  get length() {
    return this.places.length;
  }

  /** The frame at a place if it is there; an error if it cannot be. */
  frame(place) {
    return this.frames.get(place);
  }

  /** The reader is at a place, and what lies ahead is brought. */
  goTo(place) {
    if (place !== this.at) this.ahead = place > this.at ? 1 : -1;
    this.at = place;
    this.bring();
  }

  close() {
    this.closed = true;
    for (const control of this.underWay.values()) control.abort();
  }

  /** The places that are wanted next: this one, those ahead, those behind. */
  *wanted() {
    yield this.at;
    for (let step = 1; step < this.length; step++) {
      for (const place of [this.at + step * this.ahead, this.at - step * this.ahead]) {
        if (place >= 0 && place < this.length) yield place;
      }
    }
  }

  bring() {
    if (this.closed) return;
    let room = KEPT;
    // The first image has the server to itself.
    const most = this.done ? AT_ONCE : 1;
    for (const place of this.wanted()) {
      if (this.underWay.size >= most) {
        // What the reader looks at does not wait for what lies ahead.
        if (place !== this.at || this.underWay.has(place) || this.frames.has(place)) return;
        const [farthest, control] = [...this.underWay].pop();
        control.abort();
        this.underWay.delete(farthest);
      }
      const there = this.frames.get(place);
      room -= there?.octets ?? this.typical ?? 0;
      if (room < 0) return;
      if (there === undefined && !this.underWay.has(place)) this.load(place);
    }
  }

  async load(place) {
    const control = new AbortController();
    this.underWay.set(place, control);
    const { uid, frame, image } = this.places[place];
    try {
      const found = await this.fetchFrame(uid, frame, control.signal, image);
      this.keep(place, found);
    } catch (error) {
      if (control.signal.aborted) return;
      this.frames.set(place, error);
    } finally {
      if (this.underWay.get(place) === control) this.underWay.delete(place);
    }
    this.done++;
    this.changed(place);
    this.bring();
  }

  keep(place, frame) {
    this.frames.set(place, frame);
    this.typical = frame.octets;
    this.octets += frame.octets;
    const distance = (other) => Math.abs(other - this.at);
    while (this.octets > KEPT + frame.octets) {
      const kept = [...this.frames].filter(([, frame]) => frame.octets);
      const [farthest, gone] = kept.reduce((a, b) => (distance(b[0]) > distance(a[0]) ? b : a));
      this.frames.delete(farthest);
      this.octets -= gone.octets;
    }
  }

  async attributes(uid, signal) {
    if (!this.metadata.has(uid)) {
      const asked = getJson(`${this.path}/instances/${uid}/metadata`, signal);
      this.metadata.set(uid, asked.then(({ objects }) => objects[0]));
      asked.catch(() => this.metadata.delete(uid));
    }
    return this.metadata.get(uid);
  }

  /** Brings a frame; `found` is what the search told of its image. */
  async fetchFrame(uid, frame, signal, found = {}) {
    const path = `${this.path}/instances/${uid}/frames/${frame}`;
    const getValues = () => getOctets(path, "application/octet-stream", signal);
    // Values of 16 bits are nearly always shades, and need not wait until that is known.
    const early = number(found, "00280100", 0) === 16 && !this.metadata.has(uid) ? getValues() : null;
    early?.catch(() => {});
    const about = await this.attributes(uid, signal);
    if (isGrey(about)) {
      try {
        const { octets } = await (early ?? getValues());
        return greyFrame(about, octets);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 406) throw error;
      }
    }
    const picture = await getPicture(`${path}/rendered`, signal);
    return new Frame({ about, picture, columns: picture.width, rows: picture.height });
  }
}

/** Whether the values of an image make shades by a window alone. */
function isGrey(about) {
  return number(about, "00280002", 1) === 1
    && text(about, "00280004").startsWith("MONOCHROME")
    && [8, 16].includes(number(about, "00280100", 0))
    // A table of values, or of shades without a window, is left to the server.
    && !about["00283000"]
    && !(about["00283010"] && !about["00281050"]);
}

function greyFrame(about, octets) {
  const [rows, columns] = [number(about, "00280010", 0), number(about, "00280011", 0)];
  const [bits, stored] = [number(about, "00280100", 8), number(about, "00280101", 8)];
  const signed = number(about, "00280103", 0) === 1;
  if (octets.length < (rows * columns * bits) / 8) throw new Error("some of its pixels are missing");
  const kind = bits === 8 ? (signed ? Int8Array : Uint8Array) : signed ? Int16Array : Uint16Array;
  // Values are aligned, and in the order of nearly all processors, in the buffer that came.
  const pixels = new kind(octets.buffer, octets.byteOffset, rows * columns);
  if (stored < bits) {
    // What lies above the bits that are used is no part of a value.
    const shift = bits - stored;
    for (let at = 0; at < pixels.length; at++) pixels[at] = (pixels[at] << (shift + 32 - bits)) >> (shift + 32 - bits);
    if (!signed) for (let at = 0; at < pixels.length; at++) pixels[at] &= (1 << stored) - 1;
  }
  const frame = new Frame({
    about, pixels, rows, columns,
    first: signed ? -(2 ** (bits - 1)) : 0,
    last: signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1,
    slope: number(about, "00281053", 1),
    intercept: number(about, "00281052", 0),
    inverse: text(about, "00280004") === "MONOCHROME1",
  });
  const [centre, width] = [number(about, "00281050", NaN), number(about, "00281051", NaN)];
  if (width >= 1 && Number.isFinite(centre)) frame.named = { centre, width };
  frame.spacing = values(about, "00280030").map(Number);
  return frame;
}

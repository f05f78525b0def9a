// A panel: a stack of images, with window, zoom and place, and what the reader does to them.
"use strict";

import { date, name, text } from "./api.js";
import { Stack } from "./image.js";

/** Usual windows, by modality. */
const USUAL = {
  CT: [["Soft tissue", 40, 400], ["Lung", -600, 1500], ["Bone", 400, 1800], ["Brain", 40, 80]],
};

export class Panel {
  /** `host` is told when something changes: `changed(panel)` and `moved(panel, steps)`. */
  constructor(host) {
    this.host = host;
    const template = document.getElementById("panel");
    this.element = template.content.firstElementChild.cloneNode(true);
    this.canvas = this.element.querySelector("canvas");
    this.slider = this.element.querySelector(".slider");
    this.message = this.element.querySelector(".message");
    this.loaded = this.element.querySelector(".loaded div");
    this.picture = document.createElement("canvas");
    this.resetView();
    this.size = new ResizeObserver(() => this.redraw());
    this.size.observe(this.element);
    this.listen();
  }

  resetView() {
    this.zoom = 1;
    this.pan = [0, 0];
    this.window = null;
    this.inverted = false;
  }

  show(text) {
    const place = this.element.querySelector(".message");
    place.hidden = !text;
    place.textContent = text;
  }

  /** Shows a series: its study and itself as they were found, and its images. */
  open(study, series, images) {
    this.stack?.close();
    this.about = { study, series };
    const [studyUid, seriesUid] = [text(study, "0020000D"), text(series, "0020000E")];
    this.stack = new Stack(studyUid, seriesUid, images, (place) => {
      this.showLoaded();
      if (place === this.at) this.redraw();
    });
    this.at = 0;
    this.resetView();
    this.shown = null;
    this.slider.max = this.stack.length - 1;
    this.slider.hidden = this.stack.length < 2;
    this.element.setAttribute("aria-label", `Series ${text(series, "00200011")} ${text(series, "0008103E")}`);
    this.show(this.stack.length ? "" : this.nothing(series));
    if (this.stack.length) this.goTo(0);
  }

  /** Why nothing of a series is shown. */
  nothing(series) {
    const kind = text(series, "00080060");
    return `This series has no images${kind ? `: ${kind} objects are kept and passed on, not drawn` : ""}.`;
  }

  close() {
    this.stop();
    this.stack?.close();
    this.size.disconnect();
    this.element.remove();
  }

  goTo(place) {
    if (!this.stack?.length) return;
    this.at = Math.max(0, Math.min(this.stack.length - 1, place));
    this.slider.value = this.at;
    this.stack.goTo(this.at);
    this.redraw();
  }

  /** The reader scrolls. */
  step(steps) {
    const before = this.at;
    this.goTo(this.at + steps);
    if (this.at !== before) this.host.moved(this, this.at - before);
  }

  showLoaded() {
    const share = this.stack.frames.size / this.stack.length;
    this.loaded.style.width = `${100 * share}%`;
    this.loaded.parentElement.style.opacity = share < 1 ? 1 : 0;
  }

  /** Whether its image is there, or why it is not. */
  get drawn() {
    return this.stack?.frame(this.at) !== undefined;
  }

  get frame() {
    const frame = this.stack?.frame(this.at);
    return frame instanceof Error ? null : frame;
  }

  /** The window that is in use: the reader's, that of the image, or its whole range. */
  get effective() {
    const frame = this.frame;
    if (!frame?.pixels) return null;
    return this.window ?? frame.named ?? frame.wholeRange();
  }

  /** The windows to choose from, by name. */
  presets() {
    const frame = this.frame;
    if (!frame?.pixels) return [];
    const usual = USUAL[text(this.about.series, "00080060")] ?? [];
    return [
      ...(frame.named ? [["Of the image", null]] : []),
      ["Whole range", frame.wholeRange()],
      ...usual.map(([name, centre, width]) => [name, { centre, width }]),
    ];
  }

  setWindow(window) {
    this.window = window;
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = null;
      this.draw();
    });
  }

  draw() {
    const [wide, high] = [this.element.clientWidth, this.element.clientHeight];
    const scale = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(wide * scale) || this.canvas.height !== Math.round(high * scale)) {
      this.canvas.width = Math.round(wide * scale);
      this.canvas.height = Math.round(high * scale);
    }
    if (!this.stack) return;
    const found = this.stack.frame(this.at);
    if (found instanceof Error) this.showFailure(found);
    else this.show("");
    if (found && !(found instanceof Error)) {
      found.draw(this.picture, this.effective, this.inverted);
      this.shown = found;
    } else if (found) {
      this.shown = null;
    }
    // While an image comes, the one before stays, paler.
    const context = this.canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, wide, high);
    context.globalAlpha = found ? 1 : 0.45;
    if (this.shown) {
      const fit = this.fit();
      const [columns, rows] = [this.shown.columns * fit.across, this.shown.rows * fit.down];
      context.imageSmoothingEnabled = fit.across < 3;
      context.imageSmoothingQuality = "high";
      const left = (wide - columns) / 2 + this.pan[0];
      const top = (high - 30 - rows) / 2 + this.pan[1];
      context.drawImage(this.picture, left, top, columns, rows);
    }
    this.element.dataset.place = found && !(found instanceof Error) ? this.at : "";
    this.describe();
    this.host.changed(this);
  }

  /** How large a pixel is: those of an image need not be square. */
  fit() {
    const [down = 1, across = 1] = this.shown.spacing?.length === 2 ? this.shown.spacing : [];
    const shape = down > 0 && across > 0 ? down / across : 1;
    const [wide, high] = [this.element.clientWidth, this.element.clientHeight - 30];
    const fit = Math.min(wide / this.shown.columns, high / (this.shown.rows * shape)) * this.zoom;
    return { across: fit, down: fit * shape };
  }

  showFailure(error) {
    this.show(`This image cannot be shown: ${error.message} `);
    const link = document.createElement("a");
    link.textContent = "Try again";
    link.href = "#";
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.stack.frames.delete(this.at);
      this.goTo(this.at);
    });
    this.message.append(link);
  }

  describe() {
    const { study, series } = this.about;
    const put = (where, lines) => {
      const place = this.element.querySelector(`[data-show=${where}]`);
      place.textContent = lines.filter(Boolean).join("\n");
    };
    put("patient", [name(study, "00100010"), text(study, "00100020"), date(text(study, "00080020"))]);
    put("series", [
      text(series, "0008103E") || text(series, "00080060"),
      `Series ${text(series, "00200011") || "–"}`,
    ]);
    const used = this.effective;
    const round = (value) => Math.round(value * 10) / 10;
    put("window", [
      used ? `C ${round(used.centre)} · W ${round(used.width)}` : "",
      this.shown ? `${Math.round(100 * this.fit().across)} %${this.inverted ? " · inverted" : ""}` : "",
    ]);
    const place = this.stack.places[this.at];
    put("place", [
      this.shown ? `${this.shown.columns} × ${this.shown.rows}` : "",
      `${this.at + 1} / ${this.stack.length}${place?.frame > 1 ? ` · frame ${place.frame}` : ""}`,
    ]);
    this.slider.setAttribute("aria-valuetext", `${this.at + 1} of ${this.stack.length}`);
  }

  zoomBy(factor, at) {
    const before = this.zoom;
    this.zoom = Math.max(0.2, Math.min(40, this.zoom * factor));
    const [x, y] = at ?? [0, 0];
    // What is under the pointer stays there.
    const grown = this.zoom / before;
    this.pan = [x - (x - this.pan[0]) * grown, y - (y - this.pan[1]) * grown];
    this.redraw();
  }

  play(on = !this.timer) {
    this.stop();
    if (on && this.stack?.length > 1) {
      this.timer = setInterval(() => {
        // An image that has not come is waited for.
        if (!this.stack.frame(this.at)) return;
        this.goTo((this.at + 1) % this.stack.length);
      }, 66);
    }
    this.host.changed(this);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }

  listen() {
    const element = this.element;
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.ctrlKey) return this.zoomBy(Math.exp(-event.deltaY / 300), this.fromCentre(event));
      // A touchpad sends many small ones.
      this.wheel = (this.wheel ?? 0) + (event.deltaMode ? 40 * event.deltaY : event.deltaY);
      const steps = Math.trunc(this.wheel / 40);
      this.wheel -= 40 * steps;
      if (steps) this.step(steps);
    }, { passive: false });
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("dblclick", () => this.reset());
    element.addEventListener("focus", () => this.host.activate(this));
    this.slider.addEventListener("input", () => this.step(Number(this.slider.value) - this.at));
    this.pointers = new Map();
    element.addEventListener("pointerdown", (event) => {
      this.host.activate(this);
      if (event.target === this.slider) return;
      element.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    element.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      element.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    }
  }

  fromCentre(event) {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left - box.width / 2, event.clientY - box.top - (box.height - 30) / 2];
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
      this.pan = [this.pan[0] + dx / 2, this.pan[1] + dy / 2];
      if (apart(before) > 10) this.zoomBy(apart(now) / apart(before), this.fromCentre(event));
    } else if (event.shiftKey || event.buttons & 6) {
      this.pan = [this.pan[0] + dx, this.pan[1] + dy];
    } else {
      this.dragWindow(dx, dy);
    }
    this.pointers.set(event.pointerId, now);
    this.redraw();
  }

  /** Across changes the width, up and down the centre; in steps that fit the values there are. */
  dragWindow(dx, dy) {
    const used = this.effective;
    if (!used) return;
    const step = Math.max(this.frame.wholeRange().width / 1000, 0.05);
    this.window = {
      centre: used.centre + dy * step,
      width: Math.max(1, used.width + dx * step),
    };
  }

  reset() {
    this.resetView();
    this.redraw();
  }
}

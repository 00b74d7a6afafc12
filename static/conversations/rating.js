/** Whether an answer was any good: two buttons of which at most one is pressed. */

import { iconButton } from "./dom.js";

export class Rating {
  /** onRate(rating): "up", "down", or null when the pressed one is pressed again. */
  constructor(texts, onRate) {
    const vote = (rating) => iconButton("thumb", texts.t(`rate_${rating}`), () => onRate(rating === this.shown ? null : rating), {
      class: `icon-button small rate rate-${rating}`,
    });
    this.buttons = { up: vote("up"), down: vote("down") };
    this.elements = Object.values(this.buttons);
    this.show(null);
  }

  show(rating) {
    this.shown = rating ?? null;
    for (const [name, button] of Object.entries(this.buttons)) button.setAttribute("aria-pressed", String(name === this.shown));
  }
}

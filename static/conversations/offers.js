/** The models that a person may ask for, as GET /api/models answers them: found, named, and what they cannot do. Pure. */

import { isSameRoute, routeOf } from "./routes.js";

const NEEDED = { tool_calling: "tools", vision: "images" };

export const nameIn = (model) => model.name || model.model;

/** Of what a request may need, what the model cannot take: "tools", "images". Unknown is not lacking. */
export function lacking({ capabilities }) {
  return capabilities ? Object.keys(NEEDED).filter((word) => !capabilities.includes(word)).map((word) => NEEDED[word]) : [];
}

export class Offers {
  constructor(texts, models = []) {
    Object.assign(this, { texts, models });
  }

  find(route) {
    return this.models.find((model) => isSameRoute(routeOf(model), route));
  }

  /** A name that no other model of the list has; one that is not in it is called by its provider and id. */
  nameOf(route) {
    const found = this.find(route);
    if (!found) return `${route.providerId}/${route.model}`;
    const name = nameIn(found);
    const isShared = this.models.some((model) => model !== found && nameIn(model) === name);
    return isShared ? this.texts.t("model_of", { model: name, provider: found.provider_id }) : name;
  }

  lacks(route) {
    return lacking(this.find(route) ?? {});
  }

  /** Whether it would be asked in the place of the one that failed: for one with tools, one without them never is. */
  canReplace(route, failed) {
    return !this.lacks(route).includes("tools") || this.lacks(failed).includes("tools");
  }

  /** The first of these routes that can be asked, or null. Without a list, each may be. */
  first(routes, failed) {
    const isOn = (route) => this.models.length === 0 || this.find(route)?.available;
    return routes.find((route) => isOn(route) && this.canReplace(route, failed)) ?? null;
  }

  /** A usable model that is not the one that just failed, as a route, or null. */
  other(failed) {
    const others = this.models.filter((model) => model.available).map(routeOf).filter((route) => !isSameRoute(route, failed));
    return others.find((route) => this.canReplace(route, failed)) ?? null;
  }
}

/** The model bar: which model answers next. Without a list it says "default" and stays out of the way. */

import { h } from "./dom.js";

export class ModelBar {
  constructor(texts, { chosen, onChange }) {
    Object.assign(this, { texts, chosen, models: [] });
    this.select = h("select", { class: "models", "aria-label": texts.t("model"), title: texts.t("model"), disabled: true,
      on: { change: () => this.choose(this.select.value, onChange) } });
    this.select.append(this.option("", texts.t("default_model")));
    this.el = h("span", { class: "model-bar" }, this.select);
  }

  option(value, text, properties = {}) {
    return h("option", { value, text, ...properties });
  }

  choose(value, onChange) {
    this.chosen = value;
    this.select.value = value;
    onChange(value);
  }

  /** models: as GET /api/models answers them. */
  show(models) {
    this.models = models;
    const groups = Map.groupBy ? Map.groupBy(models, (model) => model.provider_id) : groupBy(models);
    const entries = [...groups].map(([provider, list]) => h("optgroup", { label: provider }, ...list.map((model) => this.entry(model))));
    this.select.replaceChildren(this.option("", this.texts.t("default_model")), ...entries);
    this.select.disabled = models.length === 0;
    const usable = models.some((model) => keyOf(model) === this.chosen && model.available);
    this.chosen = usable ? this.chosen : "";
    this.select.value = this.chosen;
  }

  entry(model) {
    const name = model.name || model.model;
    return this.option(keyOf(model), model.available ? name : this.texts.t("model_unavailable", { model: name }), {
      disabled: !model.available, title: model.reason || null,
    });
  }

  /** The fields of a send: {} leaves the choice to the agent. */
  fields(value = this.chosen) {
    const model = this.models.find((each) => keyOf(each) === value);
    return model ? { provider_id: model.provider_id, model: model.model } : {};
  }

  /** A usable model that is not the one that just failed, or null. */
  other(route) {
    const model = this.models.find((each) => each.available && !(each.provider_id === route?.providerId && each.model === route?.model));
    return model ? { value: keyOf(model), name: model.name || model.model } : null;
  }
}

const keyOf = (model) => `${model.provider_id}/${model.model}`;

function groupBy(models) {
  const groups = new Map();
  for (const model of models) groups.set(model.provider_id, [...(groups.get(model.provider_id) ?? []), model]);
  return groups;
}

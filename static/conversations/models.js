/** The model bar: which model answers next. Without a list it names the default and stays out of the way. */

import { h } from "./dom.js";

export class ModelBar {
  /** standard: {provider_id, model} of the agent, or null; offline: the providers that only follow a script. */
  constructor(texts, { chosen, standard = null, offline = [], onChange }) {
    Object.assign(this, { texts, chosen, standard, offline, onChange, models: [] });
    this.select = h("select", { class: "models", "aria-label": texts.t("model"), title: texts.t("model"), disabled: true,
      on: { change: () => this.choose(this.select.value) } });
    this.select.append(this.defaultOption());
    this.el = h("span", { class: "model-bar" }, this.select);
  }

  option(value, text, properties = {}) {
    return h("option", { value, text, ...properties });
  }

  defaultOption() {
    const { t } = this.texts;
    return this.option("", this.standard ? t("default_named", { model: this.standard.model }) : t("default_model"));
  }

  choose(value) {
    this.chosen = value;
    this.select.value = value;
    this.onChange(value);
  }

  /** Whether the next answer comes from a model that only follows a script. */
  get isOffline() {
    const next = this.chosen ? this.fields() : this.standard;
    return this.offline.includes(next?.provider_id);
  }

  /** models: as GET /api/models answers them. */
  show(models) {
    this.models = models;
    const groups = Map.groupBy ? Map.groupBy(models, (model) => model.provider_id) : groupBy(models);
    const entries = [...groups].map(([provider, list]) => h("optgroup", { label: provider }, ...list.map((model) => this.entry(model))));
    this.select.replaceChildren(this.defaultOption(), ...entries);
    this.select.disabled = models.length === 0;
    const usable = models.some((model) => keyOf(model) === this.chosen && model.available);
    this.chosen = usable ? this.chosen : "";
    this.select.value = this.chosen;
  }

  offers({ provider_id: providerId, model: name }) {
    return this.models.some((model) => model.available && model.provider_id === providerId && model.model === name);
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

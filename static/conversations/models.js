/** The model bar: which model answers next. Without a list it names the default and stays out of the way. */

import { h } from "./dom.js";
import { lacking, nameIn, Offers } from "./offers.js";
import { isSameRoute, routeOf } from "./routes.js";

export class ModelBar {
  /** standard: {provider_id, model} of the agent, or null; offline: the providers that only follow a script. */
  constructor(texts, { chosen, standard = null, offline = [], onChange }) {
    Object.assign(this, { texts, chosen, standard, offline, onChange, offers: new Offers(texts) });
    this.select = h("select", { class: "models", "aria-label": texts.t("model"), title: texts.t("model"), disabled: true,
      on: { change: () => this.choose(this.select.value) } });
    this.default = this.option("", this.defaultName());
    this.select.append(this.default);
    this.el = h("span", { class: "model-bar" }, this.select);
  }

  option(value, text, properties = {}) {
    return h("option", { value, text, ...properties });
  }

  defaultName() {
    const { offers, standard, texts: { t } } = this;
    if (!standard) return t("default_model");
    const route = routeOf(standard);
    return t("default_named", { model: offers.find(route) ? offers.nameOf(route) : route.model });
  }

  choose(value) {
    this.chosen = value;
    this.select.value = value;
    this.onChange(value);
  }

  /** Another agent answers by another model; true when that changes anything. */
  setStandard(standard) {
    if (standard === this.standard || (standard && this.standard && isSameRoute(routeOf(standard), routeOf(this.standard)))) return false;
    this.standard = standard;
    this.default.textContent = this.defaultName();
    return true;
  }

  /** Whether the next answer comes from a model that only follows a script. */
  get isOffline() {
    const next = this.chosen ? this.fields() : this.standard;
    return this.offline.includes(next?.provider_id);
  }

  /** models: as GET /api/models answers them. */
  show(models) {
    this.offers = new Offers(this.texts, models);
    const groups = Map.groupBy ? Map.groupBy(models, (model) => model.provider_id) : groupBy(models);
    const entries = [...groups].map(([provider, list]) => h("optgroup", { label: provider }, ...list.map((model) => this.entry(model))));
    this.default.textContent = this.defaultName();
    this.select.replaceChildren(this.default, ...entries);
    this.select.disabled = models.length === 0;
    const usable = models.some((model) => keyOf(model) === this.chosen && model.available);
    this.chosen = usable ? this.chosen : "";
    this.select.value = this.chosen;
  }

  /** Whether {provider_id, model} can be asked. */
  has(wanted) {
    return Boolean(this.offers.find(routeOf(wanted))?.available);
  }

  entry(model) {
    return this.option(keyOf(model), this.entryText(model), { disabled: !model.available, title: model.reason || null });
  }

  /** What the model cannot do stands beside its name. */
  entryText(model) {
    const { t } = this.texts;
    if (!model.available) return t("model_unavailable", { model: nameIn(model) });
    return [nameIn(model), ...lacking(model).map((what) => t(`lacks_${what}`))].join(" · ");
  }

  /** The fields of a send: {} leaves the choice to the agent. */
  fields() {
    const model = this.offers.models.find((each) => keyOf(each) === this.chosen);
    return model ? { provider_id: model.provider_id, model: model.model } : {};
  }
}

const keyOf = (model) => `${model.provider_id}/${model.model}`;

function groupBy(models) {
  const groups = new Map();
  for (const model of models) groups.set(model.provider_id, [...(groups.get(model.provider_id) ?? []), model]);
  return groups;
}

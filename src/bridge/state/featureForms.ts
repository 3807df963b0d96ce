import type { Feature, Json } from '../../features/feature.ts';
import { partNamedBy } from '../../homeassistant/names.ts';
import { widened } from '../../homeassistant/widen.ts';
import { type DeviceState, deviceKey } from './deviceState.ts';

/** A feature that looks other than before. `hasOtherCommands`: also what can be written, or within which limits. */
export type FormChange = { readonly feature: string; readonly hasOtherCommands: boolean };

/**
 * The form of each feature, which documents describe: what its records have shown up to now, also properties that have gone for a while (a
 * sensor pulled out).
 */
export class FeatureForms {
  /** By the key of the device. */
  readonly #forms = new Map<string, Map<string, Feature>>();

  /** The forms of a device, by name. */
  of({ device }: DeviceState): ReadonlyMap<string, Feature> {
    return this.#forms.get(deviceKey(device)) ?? new Map();
  }

  /** Features were read, or are known from an earlier run; gives those that look other than before. */
  learn({ device }: DeviceState, features: readonly Feature[]): readonly FormChange[] {
    const forms = this.#forms.get(deviceKey(device)) ?? new Map<string, Feature>();
    this.#forms.set(deviceKey(device), forms);
    return features.flatMap((feature) => {
      const before = forms.get(feature.name);
      const now = widened(before, feature);
      if (before && looksSame(before, now)) {
        // Kept once, where the record alone shows the same.
        if (now === feature && feature.properties.size === before.properties.size) forms.set(feature.name, feature);
        return [];
      }
      forms.set(feature.name, now);
      return [{ feature: feature.name, hasOtherCommands: before !== undefined && commandsOf(before) !== commandsOf(now) }];
    });
  }

  /** The form of a feature, where it is more than this record shows. */
  beside(state: DeviceState, feature: Feature): Feature | undefined {
    const form = this.of(state).get(feature.name);
    return form && form !== feature && isMore(form, feature) ? form : undefined;
  }

  /** The platform no longer has these features. */
  forget({ device }: DeviceState, features: readonly string[]): void {
    for (const name of features) this.#forms.get(deviceKey(device))?.delete(name);
  }
}

const NAMING: ReadonlySet<string> = new Set(['device.name', 'device.variant']);

/** True where the feature looks as before: whatever its values, and also when a property has gone for a while. */
const looksSame = (before: Feature, now: Feature): boolean => {
  if (before.isEnabled !== now.isEnabled || before.isReady !== now.isReady) return false;
  if (partNamedBy(before)?.[1] !== partNamedBy(now)?.[1] || nameIn(before) !== nameIn(now)) return false;
  for (const [name, { type, unit, value }] of now.properties) {
    const known = before.properties.get(name);
    if (known?.type !== type || known.unit !== unit || kindOf(name, known.value) !== kindOf(name, value)) return false;
  }
  return commandsOf(before) === commandsOf(now);
};

/** What the device is called by this feature, if it is one that names it. */
const nameIn = ({ name, properties }: Feature): Json | undefined =>
  NAMING.has(name) ? (properties.get('name') ?? properties.get('value'))?.value : undefined;

/** True where the form has more than the record shows. */
const isMore = (form: Feature, feature: Feature): boolean => {
  for (const [name, { value }] of form.properties) if (isMissing(name, value, feature)) return true;
  return commandsOf(form) !== commandsOf(feature);
};

const isMissing = (name: string, value: Json | undefined, { properties }: Feature): boolean => {
  const now = properties.get(name);
  return now === undefined || (value !== undefined && (now.value === undefined || kindOf(name, now.value) !== kindOf(name, value)));
};

// Of a list its first element decides how it is offered, `enabled` names the parts that are there, `status` whether a sensor is, and old
// records have the unit of a property in another one.
const kindOf = (name: string, value: Json | undefined): string => {
  if (typeof value === 'string' && /^unit$|Unit$/.test(name)) return `unit ${value}`;
  if (name === 'status') return value === 'notConnected' ? value : typeof value;
  if (!Array.isArray(value)) return typeof value;
  return name === 'enabled' ? JSON.stringify(value) : `list of ${typeof value[0]}`;
};

const commandsOf = ({ commands }: Feature): string =>
  commands.size === 0 ? '' : JSON.stringify([...commands.values()].map(({ name, params }) => [name, [...params]]));

import type { Feature, Json } from '../../features/feature.ts';
import { partNamedBy } from '../../homeassistant/names.ts';
import { widened } from '../../homeassistant/widen.ts';
import { type Device, type DeviceState, deviceKey } from './deviceState.ts';

/** A feature whose form has changed. `hasOtherCommands`: its commands or their limits have changed too. */
export type FormChange = { readonly feature: string; readonly hasOtherCommands: boolean };

/**
 * The form of each feature, which documents describe: all that its records have shown, with properties that
 * are missing for a while (an unplugged sensor).
 */
export class FeatureForms {
  /** By device key. */
  readonly #forms = new Map<string, Map<string, Feature>>();

  /** The forms of a device, by name. */
  of({ device }: DeviceState): ReadonlyMap<string, Feature> {
    return this.#forms.get(deviceKey(device)) ?? new Map();
  }

  /** Takes features of a read or of an earlier run; returns those whose form has changed. */
  learn({ device }: DeviceState, features: readonly Feature[]): readonly FormChange[] {
    const forms = this.#forms.get(deviceKey(device)) ?? new Map<string, Feature>();
    this.#forms.set(deviceKey(device), forms);
    return features.flatMap((feature) => {
      const before = forms.get(feature.name);
      const now = widened(before, feature);
      if (before && looksSame(before, now)) {
        // The record alone shows the same form, so only one object is kept.
        if (now === feature && feature.properties.size === before.properties.size) forms.set(feature.name, feature);
        return [];
      }
      forms.set(feature.name, now);
      return [{ feature: feature.name, hasOtherCommands: before !== undefined && commandsOf(before) !== commandsOf(now) }];
    });
  }

  /** The form of a feature, where it has more than this record. */
  beside(state: DeviceState, feature: Feature): Feature | undefined {
    const form = this.of(state).get(feature.name);
    return form && form !== feature && isMore(form, feature) ? form : undefined;
  }

  /** Removes all forms of a device that is gone: if it comes back, they are new. */
  drop(device: Device): void {
    this.#forms.delete(deviceKey(device));
  }

  /** Removes the forms of features that the platform no longer has. */
  forget({ device }: DeviceState, features: readonly string[]): void {
    for (const name of features) this.#forms.get(deviceKey(device))?.delete(name);
  }
}

const NAMING: ReadonlySet<string> = new Set(['device.name', 'device.variant']);

/** True where the form is the same, whatever the values, and even if a property is missing for a while. */
const looksSame = (before: Feature, now: Feature): boolean => {
  if (before.isEnabled !== now.isEnabled || before.isReady !== now.isReady) return false;
  if (partNamedBy(before)?.[1] !== partNamedBy(now)?.[1] || nameIn(before) !== nameIn(now)) return false;
  for (const [name, { type, unit, value }] of now.properties) {
    const known = before.properties.get(name);
    if (known?.type !== type || known.unit !== unit || kindOf(name, known.value) !== kindOf(name, value)) return false;
  }
  return commandsOf(before) === commandsOf(now);
};

/** The name of the device, if this feature holds it. */
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

// The first element of a list decides how it is offered; `enabled` names the existing parts, `status` whether
// a sensor exists; old records have the unit of a property in another property.
const kindOf = (name: string, value: Json | undefined): string => {
  if (typeof value === 'string' && /^unit$|Unit$/.test(name)) return `unit ${value}`;
  if (name === 'status') return value === 'notConnected' ? value : typeof value;
  if (!Array.isArray(value)) return typeof value;
  return name === 'enabled' ? JSON.stringify(value) : `list of ${typeof value[0]}`;
};

const commandsOf = ({ commands }: Feature): string =>
  commands.size === 0 ? '' : JSON.stringify([...commands.values()].map(({ name, params }) => [name, [...params]]));

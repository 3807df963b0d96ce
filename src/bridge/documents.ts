import type { Message } from '../base/message.ts';
import { bridgeDocument, type DeviceIdentity, deviceDocument, type Where } from '../discovery/document.ts';
import { type Form, singleDocuments } from '../discovery/single.ts';
import type { Feature, Json } from '../features/feature.ts';
import { type DeviceState, deviceKey } from './home.ts';
import type { Offers } from './offers.ts';
import type { Publisher } from './publisher.ts';

export const documentOwner = (key: string): string => `document ${key}`;

/** Keeps each device's discovery documents in step with what its features look like. */
export class Documents {
  readonly #where: Where;
  readonly #publisher: Publisher;
  readonly #offers: Pick<Offers, 'offer'>;
  readonly #form: Form;
  /** By device: its features as the document offers them, also with properties that have gone for a while (a sensor pulled out). */
  readonly #offered = new Map<string, Map<string, Feature>>();
  readonly #due = new Set<string>();

  constructor(where: Where, form: Form, publisher: Publisher, offers: Pick<Offers, 'offer'>) {
    this.#where = where;
    this.#form = form;
    this.#publisher = publisher;
    this.#offers = offers;
  }

  /** These features were read; true where one looks other than before, so that the document has to follow. */
  noteShapes(state: DeviceState, features: readonly Feature[]): boolean {
    const offered = this.#offeredOf(state);
    let changed = false;
    for (const feature of features) {
      const before = offered.get(feature.name);
      if (before && looksSame(before, feature)) continue;
      offered.set(feature.name, before && feature.isEnabled ? withVanished(before, feature) : feature);
      changed = true;
    }
    return changed;
  }

  /** The feature as the document offers it, where that is more than this record shows. */
  offeredBesides(state: DeviceState, feature: Feature): Feature | undefined {
    const offered = this.#offeredOf(state).get(feature.name);
    return offered && [...offered.properties].some(([name, { value }]) => isMissing(name, value, feature)) ? offered : undefined;
  }

  forget(state: DeviceState, features: readonly string[]): void {
    for (const name of features) this.#offeredOf(state).delete(name);
  }

  #offeredOf(state: DeviceState): Map<string, Feature> {
    const key = deviceKey(state.device);
    const offered = this.#offered.get(key) ?? new Map<string, Feature>();
    this.#offered.set(key, offered);
    return offered;
  }

  /** Offers the device's document when the states are out. */
  publish(state: DeviceState): void {
    const key = deviceKey(state.device);
    if (this.#due.has(key)) return;
    this.#due.add(key);
    void this.#publisher.flushed().then(() => {
      this.#due.delete(key);
      this.#offers.offer(documentOwner(key), () =>
        this.#inForm(deviceDocument(this.#where, identityOf(state), this.#offeredOf(state).values())),
      );
    });
  }

  /** Offers the bridge's own device. */
  publishBridge(): void {
    this.#offers.offer(documentOwner('bridge'), () => this.#inForm(bridgeDocument(this.#where)));
  }

  #inForm(document: Message): readonly Message[] {
    return this.#form === 'entity' ? singleDocuments(document) : [document];
  }
}

/** True where a document offers the feature as before: whatever its values, and also when a property has gone for a while. */
const looksSame = (before: Feature, now: Feature): boolean => {
  if (before.isEnabled !== now.isEnabled || before.isReady !== now.isReady) return false;
  for (const [name, { type, unit, value }] of now.properties) {
    const known = before.properties.get(name);
    if (known?.type !== type || known.unit !== unit) return false;
    if (value !== undefined && known.value !== undefined && kindOf(name, known.value) !== kindOf(name, value)) return false;
  }
  return commandsOf(before) === commandsOf(now);
};

const isMissing = (name: string, value: Json | undefined, { properties }: Feature): boolean => {
  const now = properties.get(name);
  return now === undefined || (value !== undefined && now.value === undefined);
};

// Of a list its first element decides how it is offered, and `enabled` names the parts that are there.
const kindOf = (name: string, value: Json): string => {
  if (!Array.isArray(value)) return typeof value;
  return name === 'enabled' ? JSON.stringify(value) : `list of ${typeof value[0]}`;
};

const commandsOf = ({ commands }: Feature): string =>
  commands.size === 0 ? '' : JSON.stringify([...commands.values()].map(({ name, params }) => [name, [...params]]));

const withVanished = (before: Feature, now: Feature): Feature => {
  const vanished = [...before.properties].filter(([name]) => !now.properties.has(name));
  if (vanished.length === 0) return now;
  return { ...now, properties: new Map([...now.properties, ...vanished.map(([name, { value: _, ...rest }]) => [name, rest] as const)]) };
};

const SERIALS = ['device.serial', 'heating.boiler.serial'];
const MODELS = ['device.variant'];

const textOf = (state: DeviceState, names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = state.features.get(name)?.truth.properties.get('value')?.value;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
};

/** What the device is, as far as its own features and the list of devices tell. */
export const identityOf = (state: DeviceState): DeviceIdentity => {
  const { name, installation, gateway, device, type, roles } = state.device;
  const model = textOf(state, MODELS) ?? state.device.model;
  const serial = textOf(state, SERIALS);
  return {
    name,
    installation,
    gateway,
    device,
    ...(model ? { model } : {}),
    ...(serial ? { serial } : {}),
    ...(type ? { type } : {}),
    ...(roles ? { roles } : {}),
  };
};

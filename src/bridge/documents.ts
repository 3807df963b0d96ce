import type { Clock } from '../base/clock.ts';
import { type DeviceIdentity, deviceDocument, type Where } from '../discovery/document.ts';
import type { Feature } from '../features/feature.ts';
import { type DeviceState, deviceKey } from './home.ts';
import type { Publisher } from './publisher.ts';

// Home Assistant skips components of a document that follows another one within seconds (reference/home-assistant.md §2.2).
const APART_MS = 5000;

export const documentOwner = (key: string): string => `document ${key}`;

/** Keeps each device's discovery document in step with what its features look like, never two versions close together. */
export class Documents {
  readonly #where: Where;
  readonly #publisher: Publisher;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #shapes = new Map<string, Map<string, string>>();
  readonly #publishedMs = new Map<string, number>();
  readonly #due = new Set<string>();

  constructor(where: Where, publisher: Publisher, clock: Clock, signal: AbortSignal) {
    this.#where = where;
    this.#publisher = publisher;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** These features were read; true where one looks other than before, so that the document has to follow. */
  noteShapes(state: DeviceState, features: readonly Feature[]): boolean {
    const key = deviceKey(state.device);
    const shapes = this.#shapes.get(key) ?? new Map<string, string>();
    this.#shapes.set(key, shapes);
    let changed = false;
    for (const feature of features) {
      const shape = shapeOf(feature);
      if (shapes.get(feature.name) === shape) continue;
      shapes.set(feature.name, shape);
      changed = true;
    }
    return changed;
  }

  forget(state: DeviceState, features: readonly string[]): void {
    for (const name of features) this.#shapes.get(deviceKey(state.device))?.delete(name);
  }

  /** Publishes the device's document now, or a few seconds after the one before. */
  publish(state: DeviceState): void {
    const key = deviceKey(state.device);
    if (this.#due.has(key)) return;
    const wait = (this.#publishedMs.get(key) ?? Number.NEGATIVE_INFINITY) + APART_MS - this.#clock.elapsedMs();
    if (wait <= 0) {
      this.#publishNow(state, key);
      return;
    }
    this.#due.add(key);
    const later = this.#clock.sleep(wait, this.#signal).then(
      () => this.#publishNow(state, key),
      () => undefined,
    );
    void later;
  }

  #publishNow(state: DeviceState, key: string): void {
    this.#due.delete(key);
    this.#publishedMs.set(key, this.#clock.elapsedMs());
    const features = [...state.features.values()].map(({ truth }) => truth);
    this.#publisher.own(documentOwner(key), [deviceDocument(this.#where, identityOf(state), features)]);
  }
}

/** What of a feature a document depends on: anything but the values, save the list of parts that are there. */
const shapeOf = (feature: Feature): string => {
  const properties = [...feature.properties].map(([name, { type, unit, value }]) => [
    name,
    type,
    unit,
    name === 'enabled' && Array.isArray(value) ? value : Array.isArray(value) ? typeof value[0] : typeof value,
  ]);
  const commands = [...feature.commands.values()].map(({ name, params }) => [name, [...params]]);
  return JSON.stringify([feature.isEnabled, feature.isReady, feature.deprecated !== undefined, properties, commands]);
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

/** What the device is, as far as its own features tell. */
export const identityOf = (state: DeviceState): DeviceIdentity => {
  const { name, installation, gateway, device } = state.device;
  const model = textOf(state, MODELS);
  const serial = textOf(state, SERIALS);
  return { name, installation, gateway, device, ...(model ? { model } : {}), ...(serial ? { serial } : {}) };
};

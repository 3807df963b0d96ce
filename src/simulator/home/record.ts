import { isArray, isObject, type Json, type JsonObject } from '../http/json.ts';
import type { Condition, HomeCommand, HomeFeature } from './home.ts';

/** The ids in a record; `device` is undefined for features of the gateway. */
type Ids = { readonly gateway: string; readonly device: string | undefined };

type Presence = 'enabled' | 'disabled' | 'removed';

/** One feature record and its state. `show` makes a new object for each answer. */
export class FeatureRecord {
  readonly name: string;
  readonly device: string | undefined;
  readonly commands: Readonly<Record<string, HomeCommand>>;
  presence: Presence;
  readonly #feature: HomeFeature;
  readonly #ids: Ids;
  readonly #properties: Map<string, JsonObject>;
  readonly #hidden: Map<string, Json>;
  #timestamp: string;
  /** The content sent while frozen. */
  #frozen: JsonObject | undefined;

  constructor(name: string, feature: HomeFeature, ids: Ids, timestamp: string) {
    this.name = name;
    this.device = ids.device;
    this.commands = feature.commands ?? {};
    this.presence = feature.isEnabled === false ? 'disabled' : 'enabled';
    this.#feature = feature;
    this.#ids = ids;
    this.#properties = new Map(Object.entries(feature.properties ?? {}));
    this.#hidden = new Map(Object.entries(feature.hidden ?? {}).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
    this.#timestamp = feature.timestamp ?? timestamp;
  }

  /** The value of a property, also a hidden one; undefined if it has none. */
  value(property: string): Json | undefined {
    return this.#properties.get(property)?.value ?? this.#hidden.get(property);
  }

  has(property: string): boolean {
    return this.#properties.has(property) || this.#hidden.has(property);
  }

  type(property: string): string | undefined {
    const type = this.#properties.get(property)?.type;
    return typeof type === 'string' ? type : undefined;
  }

  properties(): readonly string[] {
    return [...this.#properties.keys()];
  }

  /** Changes a property value; undefined removes it. The caller checks that it differs. */
  write(property: string, value: Json | undefined, at: number): void {
    if (this.#hidden.has(property)) {
      if (value !== undefined) this.#hidden.set(property, value);
      return;
    }
    const { value: _old, ...rest } = this.#properties.get(property) ?? { type: typeName(value) };
    this.#properties.set(property, value === undefined ? rest : { ...rest, value });
    this.touch(at);
  }

  touch(at: number): void {
    this.#timestamp = new Date(at).toISOString();
  }

  /** The initial value, for `resetSchedule`. */
  initial(property: string): Json | undefined {
    return this.#feature.properties?.[property]?.value;
  }

  isExecutable(command: HomeCommand): boolean | string {
    if (command.when) return Object.entries(command.when).every(([property, is]) => holds(is, this.value(property)));
    return command.isExecutable ?? true;
  }

  /** Freezes the record: the platform keeps sending its current content. */
  freeze(): void {
    this.#frozen ??= this.show();
  }

  /** Ends the freeze: the platform sends the current values again. */
  thaw(): void {
    this.#frozen = undefined;
  }

  /** The record as sent by the platform. */
  show(): JsonObject {
    if (this.#frozen) return this.#frozen;
    const { gateway, device } = this.#ids;
    const shown = this.presence === 'enabled';
    return {
      properties: shown ? Object.fromEntries(this.#properties) : {},
      commands: shown
        ? Object.fromEntries(Object.entries(this.commands).map(([name, command]) => [name, this.#showCommand(name, command)]))
        : {},
      apiVersion: this.#feature.apiVersion ?? 1,
      uri: this.#uri(),
      gatewayId: gateway,
      feature: this.name,
      timestamp: this.#timestamp,
      isEnabled: shown,
      isReady: this.#feature.isReady ?? true,
      ...(device === undefined ? {} : { deviceId: device }),
      ...this.#feature.more,
    };
  }

  #showCommand(name: string, command: HomeCommand): JsonObject {
    const { description, constraints, isDeprecated } = command;
    return {
      uri: command.uri ?? `${this.#uri()}/commands/${name}`,
      name,
      isExecutable: this.isExecutable(command),
      ...{ description, constraints, isDeprecated },
      params: Object.fromEntries(
        Object.entries(command.params ?? {}).map(([key, { type, required, constraints: limits }]) => [
          key,
          { type, required, constraints: limits ?? {} },
        ]),
      ),
    };
  }

  #uri(): string {
    const { gateway, device } = this.#ids;
    const path = device === undefined ? '' : `/devices/${device}`;
    return this.#feature.uri ?? `/v1/gateways/${gateway}${path}/features/${this.name}`;
  }
}

const typeName = (value: Json | undefined): string => {
  if (isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  return typeof value;
};

const holds = (condition: Condition, value: Json | undefined): boolean =>
  typeof condition === 'object' ? value !== condition.not : value === condition;

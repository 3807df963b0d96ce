import type { Feature, Json } from '../features/feature.ts';

/** One device as the settings name it, or as it was found. */
export type Device = {
  /** Its name in topics. */
  readonly name: string;
  readonly installation: string;
  readonly gateway: string;
  readonly device: string;
  readonly features: readonly string[];
  readonly exclude: readonly string[];
  /** As the list of devices shows it. */
  readonly model?: string;
  readonly type?: string;
  readonly roles?: readonly string[];
};

/** A value that the platform has accepted and does not show yet. */
export type Wish = {
  readonly feature: string;
  readonly values: ReadonlyMap<string, Json>;
  /** Of a week, the days that were written: the others stay as the platform shows them. */
  readonly days?: readonly string[];
};

export type KnownFeature = {
  /** As the platform last showed it. */
  readonly truth: Feature;
  /** `Clock.elapsedMs` of the moment the read was begun. */
  readonly readAtMs: number;
};

/** Never changed by a setting, so that what it names survives a rename; without blanks. */
export const deviceKey = ({ gateway, device }: Pick<Device, 'gateway' | 'device'>): string =>
  `${encodeURIComponent(gateway)}/${encodeURIComponent(device)}`;

/** What is known of one device: the platform's truth, and the wishes that lie over it until they are confirmed or given up. */
export class DeviceState {
  readonly device: Device;
  readonly features = new Map<string, KnownFeature>();
  /** In their order; of each what no later one has wished otherwise. */
  readonly #wishes = new Map<Wish, Wish>();
  readonly #lapsing = new Set<Wish>();
  /** Since when a feature's record may be behind what was sent (`Clock.elapsedMs`). */
  readonly #doubtedAtMs = new Map<string, number>();

  constructor(device: Device) {
    this.device = device;
  }

  wish(wish: Wish): void {
    for (const [key, old] of this.#wishes) if (old.feature === wish.feature) this.#wishes.set(key, without(old, wish));
    this.#wishes.set(wish, wish);
  }

  unwish(wish: Wish): void {
    this.#wishes.delete(wish);
    this.#lapsing.delete(wish);
  }

  /** The wish stays until the feature is read the next time. */
  lapse(wish: Wish): void {
    this.#lapsing.add(wish);
  }

  /** A feature was read by a read begun at `readAtMs`: what it shows is the truth now, but not fresh where it was doubted since. */
  take(truth: Feature, readAtMs: number): void {
    const doubted = readAtMs < (this.#doubtedAtMs.get(truth.name) ?? Number.NEGATIVE_INFINITY);
    if (!doubted) this.#doubtedAtMs.delete(truth.name);
    this.features.set(truth.name, { truth, readAtMs: doubted ? Number.NEGATIVE_INFINITY : readAtMs });
    for (const wish of doubted ? [] : this.#lapsing) if (wish.feature === truth.name) this.unwish(wish);
  }

  /** The platform may have changed the feature up to now: whoever needs the present value has to read it. */
  doubt(name: string, nowMs: number): void {
    this.#doubtedAtMs.set(name, nowMs);
    const known = this.features.get(name);
    if (known) this.features.set(name, { ...known, readAtMs: Number.NEGATIVE_INFINITY });
  }

  /** Something was done to the feature that nobody can predict: what was wished before holds only until it is read. */
  upset(name: string, nowMs: number): void {
    this.doubt(name, nowMs);
    for (const wish of this.#wishes.keys()) if (wish.feature === name) this.lapse(wish);
  }

  /** The feature with the accepted wishes in place of what the platform still shows: what is published and what a write compares with. */
  shown(name: string): Feature | undefined {
    const truth = this.features.get(name)?.truth;
    const wishes = [...this.#wishes.values()].filter(({ feature }) => feature === name);
    if (!truth || wishes.length === 0) return truth;
    const properties = new Map(truth.properties);
    for (const { values, days } of wishes) {
      for (const [property, value] of values) {
        const known = properties.get(property);
        if (known) properties.set(property, { ...known, value: days ? withDays(known.value, value, days) : value });
      }
    }
    return { ...truth, properties };
  }
}

/** What is left of a wish when a later one has come: it must not stand up again when that one has gone. */
const without = ({ feature, values, days }: Wish, later: Wish): Wish =>
  days && later.days
    ? { feature, values, days: days.filter((day) => !later.days?.includes(day)) }
    : { feature, values: new Map([...values].filter(([name]) => !later.values.has(name))), ...(days ? { days } : {}) };

/** A week with these days as they are wished. */
const withDays = (shown: Json | undefined, wished: Json, days: readonly string[]): Json =>
  isObject(shown) && isObject(wished)
    ? Object.fromEntries(Object.entries(wished).map(([day, entries]) => [day, days.includes(day) ? entries : (shown[day] ?? entries)]))
    : wished;

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

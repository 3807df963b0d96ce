import { PARTS, type Part } from '../../../features/composites/composite.ts';
import type { Feature } from '../../../features/feature.ts';
import { nearestWords } from '../../../shared/closestMatch.ts';
import { isScheduleLeaf, schedulePropertyOf } from '../../../topics/featureState.ts';
import { type FeatureAddress, featureTopic, propertyTopic } from '../../../topics/topicNames.ts';
import type { Composites } from '../../state/composites.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import { isChosen } from '../../state/readTarget.ts';
import type { Refusal } from './rejection.ts';

const COMPOSITE = /\.(?:climate|water_heater)$/u;

/** `stateTopic` shows the written value. */
type Named = { readonly state: DeviceState; readonly device: string; readonly feature: string; readonly stateTopic?: string };

/** A feature that was read, with the last level of the path where that is not part of its name. */
export type FeatureTarget = Named & { readonly kind: 'feature'; readonly record: Feature; readonly leaf: string | undefined };
export type CompositeTarget = Named & { readonly kind: 'composite'; readonly part: Part };
/** A feature that the settings choose and that was not read yet. */
type UnreadTarget = Named & { readonly kind: 'unread'; readonly leaf: string | undefined };
/** The feature of a temporary write that ends at its time, or of a write that was kept over a restart. */
type StoredTarget = Named & { readonly kind: 'stored' };
export type DeviceTarget = FeatureTarget | CompositeTarget | UnreadTarget | StoredTarget;

/** What the address of a command means. */
export type ResolvedTarget =
  | FeatureTarget
  | CompositeTarget
  | UnreadTarget
  | {
      readonly kind: 'unknown';
      readonly state?: DeviceState;
      readonly device?: string;
      readonly feature?: string;
      readonly stateTopic?: never;
      readonly refusal: Refusal;
    };

export type Target = ResolvedTarget | StoredTarget;

type TargetSources = {
  readonly base: string;
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly composites: Composites;
};

/** What an address means now. A real feature wins over a composite of its name. */
export const targetResolver =
  ({ base, states, composites }: TargetSources) =>
  (address: FeatureAddress): ResolvedTarget => {
    const all = [...states.values()];
    const path = address.path.join('.');
    const state = all.find((one) => one.device.name === address.device);
    if (!state) {
      const names = all.map(({ device }) => device.name);
      return { kind: 'unknown', device: address.device, feature: path, refusal: unknownDevice(address.device, names) };
    }
    const device = state.device.name;
    const target = featureTarget(base, state, address);
    const isRecord = target.kind === 'feature' && (target.leaf === undefined || target.record.properties.has(target.leaf));
    if (isRecord || target.kind === 'unread') return target;
    const found = compositePlace(composites, state, address);
    if (found) {
      const { composite: feature, part } = found;
      return { kind: 'composite', state, device, feature, part, stateTopic: featureTopic(base, device, feature, part) };
    }
    const refusal = noSuchPart(composites, state, address);
    return refusal ? { kind: 'unknown', state, device, feature: path, refusal } : target;
  };

/** A part of a composite, as a message addresses it. */
type CompositePlace = { readonly composite: string; readonly part: Part };

/** The part that an address means; undefined where it means none. */
export const compositePlace = (composites: Composites, state: DeviceState, { kind, path }: FeatureAddress): CompositePlace | undefined => {
  const name = path.slice(0, -1).join('.');
  const part = PARTS.find((one) => one === path.at(-1));
  if (kind !== 'set' || part === undefined || !COMPOSITE.test(name)) return undefined;
  const composite = composites.of(state).find((one) => one.name === name);
  return composite?.parts.has(part) ? { composite: name, part } : undefined;
};

/** The refusal of an address that means a composite, but no part that it has; undefined where it means none. */
const noSuchPart = (composites: Composites, state: DeviceState, { path }: FeatureAddress): Refusal | undefined => {
  const names = [path.join('.'), path.slice(0, -1).join('.')];
  const composite = names.some((name) => COMPOSITE.test(name)) && composites.of(state).find(({ name }) => names.includes(name));
  if (!composite) return undefined;
  const parts = [...composite.parts.keys()].filter((part) => part !== 'current' && part !== 'action');
  const topics = parts.map((part) => `${part}/set`).join(', ');
  const what = path.join('.');
  const facts = { about: 'not_writable', what, use: parts.map((part) => `${composite.name}: ${part}/set`) } as const;
  return { code: 'not_writable', message: `${what} cannot be written; use ${topics} of ${composite.name}`, facts };
};

/** The topic that shows what is written to a property, or to the whole feature; undefined where none does. */
const stateTopicOf = (base: string, device: string, record: Feature, leaf: string | undefined): string | undefined => {
  if (leaf !== undefined && leaf !== 'entries' && leaf !== 'undo') return propertyTopic(base, device, record.name, leaf);
  return schedulePropertyOf(record) === undefined ? undefined : featureTopic(base, device, record.name, 'entries');
};

/**
 * The feature of a device that an address means: one that was read, one that is chosen but was not read yet, or none. A path can name a
 * property of one feature and be another feature as a whole: there `set` means the property (docs/topics.md, command topics).
 */
export const featureTarget = (base: string, state: DeviceState, address: FeatureAddress): ResolvedTarget => {
  const path = address.path.join('.');
  const parent = address.path.slice(0, -1).join('.');
  const leaf = address.path.at(-1) ?? '';
  const of = { state, device: state.device.name };
  const read = (record: Feature, at?: string): ResolvedTarget => {
    const stateTopic = address.kind === 'set' ? stateTopicOf(base, of.device, record, at) : undefined;
    return { ...of, kind: 'feature', feature: record.name, record, leaf: at, ...(stateTopic === undefined ? {} : { stateTopic }) };
  };
  const unread = (feature: string, at?: string): ResolvedTarget => ({ ...of, kind: 'unread', feature, leaf: at });
  const owner = address.kind === 'set' && parent !== '' ? state.shown(parent) : undefined;
  if (owner && (owner.properties.has(leaf) || (isScheduleLeaf(leaf) && schedulePropertyOf(owner)))) return read(owner, leaf);
  const record = state.shown(path);
  if (record) return read(record);
  if (owner) return read(owner, leaf);
  const chosen = state.device.features;
  if (chosen.includes(path)) return unread(path);
  if (chosen.includes(parent) && address.kind === 'set') return unread(parent, leaf);
  if ((state.features.size === 0 || state.isPartlyRead) && isChosen(state.device, path))
    return (isScheduleLeaf(leaf) || leaf === 'until') && address.kind === 'set' ? unread(parent, leaf) : unread(path);
  const known = [...new Set([...state.features.keys(), ...chosen])];
  return { ...of, kind: 'unknown', feature: path, refusal: unknownFeature(path, known) };
};

/** The refusal of a command for a device that is not known; `known` are those that are. */
export const unknownDevice = (name: string, known: readonly string[]): Refusal => {
  const all = known.length === 0 ? 'none is known yet, the log says why' : `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`;
  const hint = didYouMean(name, known) ?? all;
  return {
    code: 'unknown_device',
    message: `there is no device ${name}; ${hint}`,
    facts: { about: 'no_device', name, near: nearestWords(name, known), known },
  };
};

const unknownFeature = (name: string, known: readonly string[]): Refusal => {
  const hint = didYouMean(name, known) ?? `there are ${known.slice(0, 10).join(', ')}${known.length > 10 ? ' …' : ''}`;
  return {
    code: 'unknown_feature',
    message: `this device has no feature ${name} among those chosen in the settings; ${hint}`,
    facts: { about: 'no_feature', name, near: nearestWords(name, known), known },
  };
};

/** The known names that are similar, as a question; undefined where there are none. */
export const didYouMean = (name: string, known: readonly string[]): string | undefined => {
  const near = nearestWords(name, known);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : undefined;
};

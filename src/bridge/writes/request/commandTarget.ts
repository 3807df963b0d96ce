import { PARTS, type Part } from '../../../features/composites/composite.ts';
import type { Feature } from '../../../features/feature.ts';
import { nearestWords } from '../../../shared/closestMatch.ts';
import { isGlob } from '../../../shared/pattern.ts';
import { isScheduleLeaf, schedulePropertyOf } from '../../../topics/featureState.ts';
import { BRIDGE_COMMANDS, type FeatureAddress, featureTopic, propertyTopic } from '../../../topics/topicNames.ts';
import type { Composites } from '../../state/composites.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import { isChosen } from '../../state/readTarget.ts';
import type { Refusal } from './rejection.ts';

const COMPOSITE = /\.(?:climate|water_heater)$/u;

/** `stateTopic` shows the written value. */
type Named = { readonly state: DeviceState; readonly device: string; readonly feature: string; readonly stateTopic?: string };

/** A read feature; `leaf`: the last path level where it is not part of the feature's name. */
export type FeatureTarget = Named & { readonly kind: 'feature'; readonly record: Feature; readonly leaf: string | undefined };
export type CompositeTarget = Named & { readonly kind: 'composite'; readonly part: Part };
/** A chosen feature that was not read yet. */
type UnreadTarget = Named & { readonly kind: 'unread'; readonly leaf: string | undefined };
/** The feature of a temporary write that ends, or of a write that was kept over a restart. */
type StoredTarget = Named & { readonly kind: 'stored' };
export type DeviceTarget = FeatureTarget | CompositeTarget | UnreadTarget | StoredTarget;

/** The meaning of a command address. */
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

/** The target of an address that is no feature. */
export type NoTarget = { readonly kind: 'none'; readonly device?: never; readonly feature?: never; readonly stateTopic?: never };

type TargetSources = {
  readonly base: string;
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly composites: Composites;
};

/** Resolves an address. A real feature takes precedence over a composite with its name. */
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
    const target = featureTarget(base, state, address);
    const isRecord = target.kind === 'feature' && (target.leaf === undefined || target.record.properties.has(target.leaf));
    return isRecord || target.kind === 'unread' ? target : (compositeTarget(base, composites, state, address) ?? target);
  };

/** The composite part that an address means, or a refusal; undefined where it means no composite. */
const compositeTarget = (
  base: string,
  composites: Composites,
  state: DeviceState,
  { kind, path }: FeatureAddress,
): ResolvedTarget | undefined => {
  const [what, name] = [path.join('.'), path.slice(0, -1).join('.')];
  const isMeant = COMPOSITE.test(what) || COMPOSITE.test(name);
  const composite = isMeant ? composites.of(state).find((one) => one.name === what || one.name === name) : undefined;
  if (!composite) return undefined;
  const of = { state, device: state.device.name };
  const part = PARTS.find((one) => one === path.at(-1));
  if (kind === 'set' && composite.name === name && part !== undefined && composite.parts.has(part))
    return { ...of, kind: 'composite', feature: name, part, stateTopic: featureTopic(base, of.device, name, part) };
  const parts = [...composite.parts.keys()].filter((one) => one !== 'current' && one !== 'action');
  const use = parts.map((one) => `${one}/set`);
  const facts = { about: 'not_writable', what, use } as const;
  const message = `${what} cannot be written; use ${use.join(', ')} of ${composite.name}`;
  return { ...of, kind: 'unknown', feature: what, refusal: { code: 'not_writable', message, facts } };
};

/** The topic that shows a written property or whole feature; undefined where none does. */
const stateTopicOf = (base: string, device: string, record: Feature, leaf: string | undefined): string | undefined => {
  if (leaf !== undefined && leaf !== 'entries' && leaf !== 'undo') return propertyTopic(base, device, record.name, leaf);
  return schedulePropertyOf(record) === undefined ? undefined : featureTopic(base, device, record.name, 'entries');
};

/**
 * The feature that an address means: read, chosen but not read yet, or none. Where a path is both a property
 * of one feature and another feature, `set` means the property (docs/topics.md, command topics).
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
  const known = [...new Set([...state.features.keys(), ...chosen.filter((name) => !isGlob(name))])];
  return { ...of, kind: 'unknown', feature: path, refusal: unknownFeature(path, known) };
};

/** The refusal of a topic that is no command; below `bridge/` it lists the commands there. */
export const unknownTopic = (base: string, topic: string): Refusal => {
  const isOfBridge = topic.startsWith(`${base}/bridge/`);
  const topicOf = (what: string): string => `bridge/${what}/set`;
  const known = isOfBridge ? BRIDGE_COMMANDS.map(topicOf) : [];
  const near = isOfBridge ? nearestWords(topic.slice(base.length).split('/')[2] ?? '', BRIDGE_COMMANDS, 1).map(topicOf) : [];
  const hint = isOfBridge
    ? `below ${base} there are ${known.join(', ')}`
    : `the command topics of a device are below its features, as in ${base}/<device>/<feature>/set`;
  const message = `this topic takes no commands; ${near.length > 0 ? `did you mean ${near[0]}?` : hint}`;
  return { code: 'unknown_topic', message, facts: { about: 'no_topic', base, near, known } };
};

/** The refusal of a command for an unknown device; `known`: the names of known ones. */
export const unknownDevice = (name: string, known: readonly string[]): Refusal => {
  const all =
    known.length === 0 ? 'no device is known yet; the log says why' : `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`;
  const { near, hint } = similarTo(name, known, all);
  return { code: 'unknown_device', message: `there is no device ${name}; ${hint}`, facts: { about: 'no_device', name, near, known } };
};

const unknownFeature = (name: string, known: readonly string[]): Refusal => {
  const all = known.length === 0 ? 'none was read yet' : `there are ${known.slice(0, 10).join(', ')}${known.length > 10 ? ' …' : ''}`;
  const { near, hint } = similarTo(name, known, all);
  const message = `this device has no feature ${name} among those chosen in the settings; ${hint}`;
  return { code: 'unknown_feature', message, facts: { about: 'no_feature', name, near, known } };
};

/** Known names similar to an unknown one, as a question; if there are none, `all` lists the known ones. */
export const similarTo = (name: string, known: readonly string[], all: string) => {
  const near = nearestWords(name, known);
  return { near, hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : all };
};

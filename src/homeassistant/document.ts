import type { Feature, Json } from '../features/feature.ts';
import type { Message } from '../shared/message.ts';
import { STATUSES } from '../topics/resultPayload.ts';
import { bridgeTopic, deviceTopic } from '../topics/topicNames.ts';
import { bridgeEntities } from './entities/bridgeEntities.ts';
import { describeComposites } from './entities/composites.ts';
import { describeFeature } from './entities/describeFeature.ts';
import type { Context, Entity, Offering } from './entities/entity.ts';
import { bridgeIdentifier, bridgeName, bridgeObjectId, identifier, ORIGIN, objectId } from './ids.ts';
import { partNames } from './names.ts';
import { ANSWER } from './templates.ts';
import { slug } from './words.ts';

/** `mqtt.base`, `homeassistant.prefix` and the bridge's version. */
export type Where = { readonly base: string; readonly prefix: string; readonly version: string };

/** A device for its document. Topics contain `name`; everything that hubs remember is made of the ids. */
export type DeviceIdentity = {
  readonly name: string;
  readonly installation: string;
  readonly gateway: string;
  readonly device: string;
  readonly model?: string;
  readonly serial?: string;
  readonly type?: string;
  readonly roles?: readonly string[];
};

// Always enabled, so that users notice a rejected write.
const answerEntity = (base: string, device: string): Entity => ({
  key: 'answer',
  platform: 'event',
  name: 'Answer',
  config: {
    event_types: Object.keys(STATUSES),
    icon: 'mdi:message-reply-text',
    state_topic: deviceTopic(base, device, 'result'),
    value_template: ANSWER,
  },
});

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

// Home Assistant refuses entity ids of more than 255 characters.
const LONGEST_PART = 100;
const LONGEST_ID = 130;

type Named = { readonly name: string; readonly id: string };

/** Returns unique names and parts of entity ids: `Name`, then `Name 2` for a second one. */
const namer = (): ((entity: Entity) => Named) => {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return ({ key, name, idText }) => {
    const plain = slug(idText ?? name).slice(0, LONGEST_ID) || slug(key).slice(0, LONGEST_PART);
    const lower = name.toLowerCase();
    for (let n = Math.max(next.get(plain) ?? 1, next.get(lower) ?? 1); ; n++) {
      const marks = n === 1 ? [plain, lower] : [`${plain}_${n}`, `${lower} ${n}`];
      if (marks.some((mark) => taken.has(mark))) continue;
      for (const mark of marks) taken.add(mark);
      for (const start of [plain, lower]) next.set(start, n + 1);
      return { name: n === 1 ? name : `${name} ${n}`, id: marks[0] ?? plain };
    }
  };
};

/** The components by key, each with its unique id, name and proposed entity id. */
const components = (object: string, deviceName: string, entities: readonly Entity[]): Readonly<Record<string, Json>> => {
  const nameIt = namer();
  const owner = slug(deviceName).slice(0, LONGEST_PART) || slug(object).slice(0, LONGEST_PART);
  const named = [...entities].sort(byKey).map((entity): [string, Json] => {
    const { name, id } = nameIt(entity);
    const head = {
      platform: entity.platform,
      unique_id: `${object}_${entity.key}`,
      default_entity_id: `${entity.platform}.${owner}_${id}`,
      name,
    };
    return [entity.key, { ...head, ...entity.config }];
  });
  return Object.fromEntries(named);
};

/** Replaces lone surrogates (`\ud83d` in JSON), because a single one makes hubs refuse the whole document. */
const toPayload = (document: Json): string => {
  const payload = JSON.stringify(document);
  return payload.includes('\\ud')
    ? JSON.stringify(document, (_, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))
    : payload;
};

const topicOf = (prefix: string, object: string): string => `${prefix}/device/${object}/config`;
const origin = (version: string): Json => ({ name: ORIGIN, sw_version: version });

/** The circuits of the device; undefined if it does not list them. The platform also sends records of circuits that do not exist. */
const listedCircuits = (features: readonly Feature[]): ReadonlySet<string> | undefined => {
  const listed = features.find(({ name }) => name === 'heating.circuits')?.properties.get('enabled')?.value;
  return Array.isArray(listed) ? new Set(listed.map(String)) : undefined;
};

const isOffered = (feature: Feature, circuits: ReadonlySet<string> | undefined): boolean => {
  const circuit = /^heating\.circuits\.(\d+)(\.|$)/.exec(feature.name)?.[1];
  return circuits === undefined || circuit === undefined || circuits.has(circuit);
};

const EVERYTHING: Offering = { profiles: [], isAllowed: () => true };

/** The entities of a feature and the arguments they were made with. Feature objects are immutable, so most can be reused for the next document. */
type Described = Offering & { readonly from: string; readonly entities: readonly Entity[] };
const cache = new WeakMap<Feature, Described>();

const describeCached = (context: Context, from: string, feature: Feature): readonly Entity[] => {
  const before = cache.get(feature);
  const { profiles, isAllowed } = context;
  if (before?.from === from && before.profiles === profiles && before.isAllowed === isAllowed) return before.entities;
  const entities = describeFeature(context, feature);
  cache.set(feature, { from, profiles, isAllowed, entities });
  return entities;
};

/** Every entity of the device's features. If two have the same key, the first by name wins. */
const entitiesOf = (context: Omit<Context, 'named'>, features: Iterable<Feature>): readonly Entity[] => {
  const all = [...features].sort((a, b) => (a.name < b.name ? -1 : 1));
  const circuits = listedCircuits(all);
  const offered = all.filter((feature) => isOffered(feature, circuits));
  const named: Context = { ...context, named: partNames(offered) };
  const entities = new Map<string, Entity>();
  const from = JSON.stringify([context.base, context.device, [...named.named]]);
  const described = offered.flatMap((feature) => describeCached(named, from, feature));
  const composites = describeComposites(named, new Map(offered.map((feature) => [feature.name, feature])));
  for (const entity of [...described, ...composites]) if (!entities.has(entity.key)) entities.set(entity.key, entity);
  return [...entities.values()];
};

/**
 * The retained discovery document of a device, for Home Assistant 2024.11 and openHAB 5.2 or later. It is independent of the order of
 * the features, whose names are unique. A new value changes it only if it reveals a unit, a circuit or the shape of an unknown type.
 */
export const deviceDocument = (
  where: Where,
  device: DeviceIdentity,
  features: Iterable<Feature>,
  offering: Offering = EVERYTHING,
): Message => {
  const { base, prefix, version } = where;
  const object = objectId(device.gateway, device.device);
  const entities = entitiesOf({ base, device: device.name, ...offering }, features);
  const model = device.model ?? device.type;
  const document = {
    device: {
      identifiers: [identifier(device.gateway, device.device)],
      name: device.name,
      manufacturer: 'Viessmann',
      ...(model ? { model } : {}),
      ...(device.serial ? { serial_number: device.serial } : {}),
      via_device: bridgeIdentifier(base),
    },
    origin: origin(version),
    availability: [{ topic: bridgeTopic(base, 'state') }, { topic: deviceTopic(base, device.name, 'availability') }],
    availability_mode: 'all',
    qos: 1,
    components: components(object, device.name, [...entities, answerEntity(base, device.name)]),
  };
  return { topic: topicOf(prefix, object), payload: toPayload(document), retain: true };
};

/** The document of the bridge's own device. Publish it first, because the documents of the devices refer to it (`via_device`). */
export const bridgeDocument = ({ base, prefix, version }: Where): Message => {
  const object = bridgeObjectId(base);
  const name = bridgeName(base);
  const document = {
    device: { identifiers: [bridgeIdentifier(base)], name, model: 'Bridge', sw_version: version },
    origin: origin(version),
    availability: [{ topic: bridgeTopic(base, 'state') }],
    availability_mode: 'all',
    qos: 1,
    components: components(object, name, bridgeEntities(base)),
  };
  return { topic: topicOf(prefix, object), payload: toPayload(document), retain: true };
};

/** The message that withdraws a document: hubs remove the device and its entities. */
export const withdrawn = (document: Message): Message => ({ topic: document.topic, payload: '', retain: true });

import type { Feature, Json } from '../features/feature.ts';
import type { Message } from '../shared/message.ts';
import { STATUSES } from '../topics/resultPayload.ts';
import { bridgeTopic, deviceTopic } from '../topics/topicNames.ts';
import { bridgeEntities } from './entities/bridgeEntities.ts';
import { describeComposites } from './entities/composites.ts';
import { describeFeature } from './entities/describeFeature.ts';
import type { Config, Context, Entity, Offering } from './entities/entity.ts';
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
  ...{ part: undefined, name: 'Answer', short: 'Answer', idText: 'Answer' },
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

/** Returns unique names and parts of entity ids: `Name`, then `Name 2` for a second one. */
const namer = (): ((entity: Entity) => { readonly name: string; readonly id: string }) => {
  const taken = new Set<string>();
  // The first number that can be free, so that a thousand equal names are found in linear time.
  const next = new Map<string, number>();
  return ({ key, name, idText }) => {
    const plain = slug(idText).slice(0, LONGEST_ID) || slug(key).slice(0, LONGEST_PART);
    const lower = name.toLowerCase();
    for (let n = Math.max(next.get(plain) ?? 1, next.get(lower) ?? 1); ; n++) {
      const [id, shown] = n === 1 ? [plain, name] : [`${plain}_${n}`, `${name} ${n}`];
      if (taken.has(id) || taken.has(shown.toLowerCase())) continue;
      taken.add(id).add(shown.toLowerCase());
      next.set(plain, n + 1).set(lower, n + 1);
      return { name: shown, id };
    }
  };
};

/** The components by key, each with its unique id, name and proposed entity id. */
const components = (object: string, deviceName: string, entities: readonly Entity[]): Readonly<Record<string, Json>> => {
  const nameIt = namer();
  const owner = slug(deviceName).slice(0, LONGEST_PART) || slug(object).slice(0, LONGEST_PART);
  const named = [...entities].sort(byKey).map((entity) => {
    const { key, platform, config } = entity;
    const { name, id } = nameIt(entity);
    const head = { platform, unique_id: `${object}_${key}`, default_entity_id: `${platform}.${owner}_${id}`, name };
    return [key, { ...head, ...config }] as const;
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

/** False for a circuit that the device does not list: the platform also sends records of circuits that do not exist. */
const areOffered = (features: readonly Feature[]): ((feature: Feature) => boolean) => {
  const listed = features.find(({ name }) => name === 'heating.circuits')?.properties.get('enabled')?.value;
  const circuits = Array.isArray(listed) ? new Set(listed.map(String)) : undefined;
  return ({ name }) => {
    const circuit = /^heating\.circuits\.(\d+)(\.|$)/.exec(name)?.[1];
    return circuits === undefined || circuit === undefined || circuits.has(circuit);
  };
};

const EVERYTHING: Offering = { language: 'en', parts: false, profiles: [], isAllowed: () => true };

/** The entities of a feature and the arguments they were made with. Feature objects are immutable, so most can be reused for the next document. */
type Described = Offering & { readonly from: string; readonly entities: readonly Entity[] };
const cache = new WeakMap<Feature, Described>();

const describeCached = (context: Context, from: string, feature: Feature): readonly Entity[] => {
  const before = cache.get(feature);
  const { language, parts, profiles, isAllowed } = context;
  if (before?.from === from && before.language === language && before.profiles === profiles && before.isAllowed === isAllowed)
    return before.entities;
  const entities = describeFeature(context, feature);
  cache.set(feature, { from, language, parts, profiles, isAllowed, entities });
  return entities;
};

/** Every entity of the device's features. If two have the same key, the first by name wins. */
const entitiesOf = (context: Omit<Context, 'named'>, features: Iterable<Feature>): readonly Entity[] => {
  const all = [...features].sort((a, b) => (a.name < b.name ? -1 : 1));
  const offered = all.filter(areOffered(all));
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
  const { base } = where;
  const { name, model = device.type, serial } = device;
  const entities = entitiesOf({ base, device: name, ...offering }, features);
  return documentOf(where, objectId(device.gateway, device.device), [...entities, answerEntity(base, name)], {
    device: {
      identifiers: [identifier(device.gateway, device.device)],
      name,
      manufacturer: 'Viessmann',
      ...(model ? { model } : {}),
      ...(serial ? { serial_number: serial } : {}),
      via_device: bridgeIdentifier(base),
    },
    availability: [deviceTopic(base, name, 'availability')],
  });
};

/** The document of the bridge's own device. Publish it first, because the documents of the devices refer to it (`via_device`). */
export const bridgeDocument = (where: Where): Message => {
  const { base, version } = where;
  return documentOf(where, bridgeObjectId(base), bridgeEntities(base), {
    device: { identifiers: [bridgeIdentifier(base)], name: bridgeName(base), model: 'Bridge', sw_version: version },
    availability: [],
  });
};

/** The document of a device with these entities; its `availability` topics besides the state of the bridge. */
const documentOf = (
  { base, prefix, version }: Where,
  object: string,
  entities: readonly Entity[],
  { device, availability }: { readonly device: Config & { readonly name: string }; readonly availability: readonly string[] },
): Message => {
  const document = {
    device,
    origin: { name: ORIGIN, sw_version: version },
    availability: [bridgeTopic(base, 'state'), ...availability].map((topic) => ({ topic })),
    availability_mode: 'all',
    qos: 1,
    components: components(object, device.name, entities),
  };
  return { topic: `${prefix}/device/${object}/config`, payload: toPayload(document), retain: true };
};

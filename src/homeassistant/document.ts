import type { Feature, Json } from '../features/feature.ts';
import type { Language } from '../language/language.ts';
import { partWords } from '../language/names/parts.ts';
import type { Message } from '../shared/message.ts';
import { STATUSES } from '../topics/resultPayload.ts';
import { bridgeTopic, commandTopic, deviceTopic } from '../topics/topicNames.ts';
import { type Identified, identified, pageComponents } from './documents/components.ts';
import { bridgeEntities } from './entities/bridgeEntities.ts';
import { describeComposites } from './entities/composites.ts';
import { describeFeature } from './entities/describeFeature.ts';
import type { Config, Context, Entity, Offering } from './entities/entity.ts';
import { faultEntities } from './entities/faultEntities.ts';
import { performanceEntities } from './entities/performanceEntities.ts';
import { problemEntity } from './entities/problemEntity.ts';
import { bridgeIdentifier, bridgeName, bridgeObjectId, identifier, ORIGIN, objectId, partIdentifier, partObjectId } from './ids.ts';
import { nameBelow, ownEntity, partName, partNames } from './names.ts';
import { withinLimits } from './rank.ts';
import { ANSWER } from './templates.ts';

/** `mqtt.base`, `homeassistant.prefix`, the bridge's version, and its page's address if known. */
export type Where = { readonly base: string; readonly prefix: string; readonly version: string; readonly page?: string };

/** The displayed name of a device, and the name in entity ids, which is English in every language. */
export type DeviceTitle = { readonly shown: string; readonly id: string };

/** A device for its document. Topics contain `name`; the ids determine everything that hubs store. */
export type DeviceIdentity = {
  readonly name: string;
  /** Default: the name. */
  readonly title?: DeviceTitle;
  readonly installation: string;
  readonly gateway: string;
  readonly device: string;
  readonly model?: string | undefined;
  readonly serial?: string | undefined;
  readonly type?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  /** It has reported a fault once, or that there is none. */
  readonly tellsFaults?: boolean;
  /** Entities in addition to its features and faults. */
  readonly offers?: { readonly stale: boolean; readonly restart: boolean };
};

// Always enabled, so that users notice a rejected write.
const answerEntity = (base: string, device: string, language: Language): Entity =>
  ownEntity('event', 'answer', language, {
    event_types: Object.keys(STATUSES),
    icon: 'mdi:message-reply-text',
    state_topic: deviceTopic(base, device, 'result'),
    value_template: ANSWER,
  });

/** The button that restarts this device's gateway. It is rarely needed, so it is below Configuration. */
const restartEntity = (base: string, device: string, language: Language): Entity =>
  ownEntity('button', 'restart_gateway', language, {
    ...{ entity_category: 'config', device_class: 'restart' },
    command_topic: commandTopic(base, { kind: 'bridge', what: 'restart_gateway' }),
    payload_press: device,
    availability: [{ topic: bridgeTopic(base, 'state') }],
  });

const isControl = ({ platform, config }: Entity): boolean => platform !== 'button' && 'command_topic' in config;

/** False for a circuit that the device does not list: the platform also sends nonexistent circuits. */
const areOffered = (features: readonly Feature[]): ((feature: Feature) => boolean) => {
  const listed = features.find(({ name }) => name === 'heating.circuits')?.properties.get('enabled')?.value;
  const circuits = Array.isArray(listed) ? new Set(listed.map(String)) : undefined;
  return ({ name }) => {
    const circuit = /^heating\.circuits\.(\d+)(\.|$)/.exec(name)?.[1];
    return circuits === undefined || circuit === undefined || circuits.has(circuit);
  };
};

/** Every entity of the offered features. If two have the same key, the first by name wins. */
const entitiesOf = (context: Context, offered: readonly Feature[]): readonly Entity[] => {
  const entities = new Map<string, Entity>();
  const described = offered.flatMap((feature) => describeFeature(context, feature));
  const composites = describeComposites(context, new Map(offered.map((feature) => [feature.name, feature])));
  for (const entity of [...described, ...composites]) if (!entities.has(entity.key)) entities.set(entity.key, entity);
  const names = new Set([...entities.values()].map(({ name }) => name));
  return [...entities.values()].map((entity) => {
    const { newest } = entity;
    if (newest === undefined || names.has(newest.name)) return entity;
    names.add(newest.name);
    return { ...entity, name: newest.name, short: newest.short };
  });
};

/** All entities of a device and its parts, with the ids that hubs store. */
export const deviceEntities = (base: string, device: DeviceIdentity, features: Iterable<Feature>, offering: Offering) => {
  const { name, title = { shown: name, id: name }, gateway, device: id } = device;
  const all = [...features].sort((a, b) => (a.name < b.name ? -1 : 1));
  const offered = all.filter(areOffered(all));
  // The users' names of the parts.
  const context = { base, device: name, ...offering, named: partNames(offered) };
  const problem = (of: 'connection' | 'conflict' | 'stale'): Entity =>
    problemEntity(of, deviceTopic(base, name, 'problems'), bridgeTopic(base, 'state'), offering.language);
  const ofFeatures = entitiesOf(context, offered);
  // No conflict entity if nothing can be written. It takes no place from the main entities.
  const conflict = ofFeatures.some(isControl) ? [problem('conflict')] : [];
  const figures = performanceEntities(
    base,
    name,
    offered.map((feature) => feature.name),
    offering.language,
  );
  const counted = withinLimits([...ofFeatures, ...figures, answerEntity(base, name, offering.language), problem('connection')]);
  const faults = device.tellsFaults ? faultEntities(base, name, offering.language) : [];
  const stale = device.offers?.stale ? [problem('stale')] : [];
  const restart = device.offers?.restart ? [restartEntity(base, name, offering.language)] : [];
  return { entities: identified(objectId(gateway, id), title.id, [...counted, ...conflict, ...faults, ...stale, ...restart]), context };
};

/** Parts that become separate devices: two or more with enabled entities. Existing part devices stay. */
const devicesAmong = (entities: readonly Identified[], isOffered: (part: string) => boolean): ReadonlySet<string> => {
  const all = new Set(entities.flatMap(({ part }) => part ?? []));
  const shown = new Set(entities.flatMap(({ part, config }) => (config.enabled_by_default === false ? [] : (part ?? []))));
  const offered = new Set([...all].filter(isOffered));
  const isSplit = shown.size > 1 || offered.size > 0;
  return new Set([...all].filter((part) => isSplit && (shown.has(part) || offered.has(part))));
};

const nameOf = ({ name }: Identified): string => name;

/** Entity names on the page of a heating. If it is named after its only part, the part is not repeated. */
const nameAmong = (context: Context, title: string, entities: readonly Identified[]): ((entity: Identified) => string) => {
  const parts = new Set(entities.flatMap(({ part }) => part ?? []));
  const isAlone = parts.size === 1 && [...parts].every((part) => title.toLowerCase().includes(partName(context, part).toLowerCase()));
  return ({ name, short }) => nameBelow(title, isAlone ? short : name, context.language);
};

/** The data of a device's document. */
type Page = {
  readonly object: string;
  readonly device: Config;
  /** Topics of the availability, besides the state of the bridge. */
  readonly availability: readonly string[];
  readonly components: Readonly<Record<string, Json>>;
};

/**
 * The retained discovery documents of a device, for Home Assistant 2024.11 and openHAB 5.2 or later: first
 * its own, then one for each part if two or more deserve a page. `published`: object ids of the documents
 * that hubs have; a part among them stays a device. The result does not depend on the order of the features
 * (their names are unique). A new value changes it only if it reveals a unit, a circuit or the shape of an
 * unknown type.
 */
export const deviceDocuments = (
  where: Where,
  device: DeviceIdentity,
  features: Iterable<Feature>,
  offering: Offering,
  published: ReadonlySet<string> = new Set(),
): readonly [Message, ...Message[]] => {
  const { base } = where;
  const { name, title = { shown: name, id: name }, gateway, device: id, model = device.type, serial } = device;
  const object = objectId(gateway, id);
  const { entities, context } = deviceEntities(base, device, features, offering);
  const parts = devicesAmong(entities, (part) => published.has(partObjectId(object, part)));
  const availability = [deviceTopic(base, name, 'availability')];
  const makers = { manufacturer: 'Viessmann', ...(model ? { model } : {}), ...(serial ? { serial_number: serial } : {}) };
  const main = identifier(gateway, id);
  const own = entities.filter(({ part }) => part === undefined || !parts.has(part));
  const heating: Page = {
    ...{ object, availability, components: pageComponents(own, nameAmong(context, title.shown, own)) },
    device: { identifiers: [main], name: title.shown, ...makers, via_device: bridgeIdentifier(base) },
  };
  const looks = Map.groupBy(parts, (part) => partName(context, part).toLowerCase());
  const pages = [...parts].map((part): Page => {
    const ofPart = entities.filter((entity) => entity.part === part);
    const given = partName(context, part);
    // A user may give a circuit the name of another part: "Hot water (Circuit 1)".
    const isTwice = context.named.has(part) && (looks.get(given.toLowerCase())?.length ?? 0) > 1;
    const partTitle = isTwice ? `${given} (${partWords(part, offering.language)})` : given;
    const partDevice = { identifiers: [partIdentifier(main, part)], name: `${title.shown} ${partTitle}` };
    return {
      ...{
        object: partObjectId(object, part),
        availability,
        components: pageComponents(ofPart, ({ short }) => nameBelow(partTitle, short, offering.language)),
      },
      device: {
        ...partDevice,
        manufacturer: 'Viessmann',
        model: partWords(part.replace(/\.\d+$/, ''), offering.language),
        via_device: main,
      },
    };
  });
  return [documentOf(where, heating), ...pages.map((page) => documentOf(where, page))];
};

/** The document of the bridge's own device. Publish it first: device documents refer to it (`via_device`). */
export const bridgeDocument = (where: Where, language: Language = 'en'): Message => {
  const { base, version } = where;
  const [object, name] = [bridgeObjectId(base), bridgeName(base)];
  return documentOf(where, {
    ...{ object, availability: [], components: pageComponents(identified(object, name, bridgeEntities(base, language)), nameOf) },
    device: { identifiers: [bridgeIdentifier(base)], name, model: 'Bridge', sw_version: version },
  });
};

/** The discovery topic of a device. */
export const documentTopic = (prefix: string, { gateway, device }: Pick<DeviceIdentity, 'gateway' | 'device'>): string =>
  `${prefix}/device/${objectId(gateway, device)}/config`;

const documentOf = ({ base, prefix, version, page }: Where, { object, device, availability, components }: Page): Message => {
  const document = {
    device: page === undefined ? device : { ...device, configuration_url: page },
    origin: { name: ORIGIN, sw_version: version },
    availability: [bridgeTopic(base, 'state'), ...availability].map((topic) => ({ topic })),
    availability_mode: 'all',
    components,
  };
  const text = JSON.stringify(document);
  // A lone surrogate (`\ud83d` in JSON) makes hubs refuse the whole document.
  const payload = text.includes('\\ud') ? JSON.stringify(document, wellFormed) : text;
  return { topic: `${prefix}/device/${object}/config`, payload, retain: true };
};

const wellFormed = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);

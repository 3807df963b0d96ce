import type { MqttClient } from 'mqtt';
import type { Held } from '../bridge/ports.ts';
import { APART_MS } from '../bridge/publish/discovery/discoveryPublisher.ts';
import { otherBaseOf } from '../bridge/publish/discovery/otherBridges.ts';
import { type PublishedDocuments, publishedDocuments } from '../bridge/publish/discovery/publishedDocuments.ts';
import { brokerOptionsOf } from '../brokerOptions.ts';
import type { Settings } from '../config/settings.ts';
import {
  componentsOf,
  documentFilter,
  documentsOf,
  mainDocumentTopic,
  withMoreComponents,
} from '../homeassistant/documents/publishedDocument.ts';
import { commandFor } from '../language/accounts/loginHelp.ts';
import { plural } from '../language/language.ts';
import { type BrokerOptions, ConnectError, leaveBroker, serversOf, visitBroker, withoutPassword } from '../mqtt/connect.ts';
import { readRetained } from '../mqtt/readRetained.ts';
import { missingRights } from '../mqtt/rights.ts';
import { soundTokens } from '../platform/auth/tokenFile.ts';
import { systemClock } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { openStorage, type Storage } from '../storage/storage.ts';
import { topicsOfBridge } from '../topics/ownTopics.ts';
import { bridgeTopic, probeTopic } from '../topics/topicNames.ts';
import type { Values } from './command.ts';
import type { Io } from './terminal/io.ts';
import { withLock } from './withLock.ts';

/** The settings that `forget` needs. */
type ForgetSettings = Pick<Settings, 'mqtt' | 'homeassistant' | 'data_dir' | 'account'>;

type ForgetIo = Pick<Io, 'out' | 'err'>;

const commandOf = ({ account }: ForgetSettings): string | undefined => commandFor('forget', account);

/** Retained payloads by topic. */
type Retained = ReadonlyMap<string, string>;

/** The maximum number of read-and-clear rounds: slow brokers do not send all retained messages at once. */
const ROUNDS = 4;

const RETAINED = { qos: 1, retain: true } as const;

/**
 * `heating2mqtt forget`: clears every topic retained by the bridge, found in its database and on the broker.
 * Exit code 0 if nothing is left, else 1, also if a bridge runs. `force` ignores a bridge shown as online on
 * the broker. Several addresses are processed in turn: they may be independent brokers.
 */
export const forget = (settings: ForgetSettings, { force }: Values, io: ForgetIo): Promise<number> => {
  const { data_dir } = settings;
  return withLock(data_dir, { forgetting: true }, async (isHeld) => {
    if (!isHeld) {
      io.err(`The bridge is running with data_dir ${data_dir}; stop it, then run \`${commandOf(settings)}\` again. Nothing was cleared.`);
      return 1;
    }
    let code = 0;
    for (const server of serversOf(brokerOptionsOf(settings))) code = Math.max(code, await forgetAt(server, settings, force === true, io));
    return code;
  });
};

/** The same for one broker address, while holding the lock of the data folder. */
const forgetAt = async (server: BrokerOptions, settings: ForgetSettings, force: boolean, io: ForgetIo): Promise<number> => {
  const visit = await visitBroker(server).catch((cause: unknown) => {
    if (!(cause instanceof ConnectError)) throw cause;
    io.err(`Nothing was cleared: ${withoutPassword(server.url)}: ${cause.message}`);
    return undefined;
  });
  if (!visit) return 1;
  const warn: Log['warn'] = (_, sentence) => io.err(sentence);
  const storage = openStorage(settings.data_dir, { debug: () => undefined, info: () => undefined, warn, error: warn });
  const { promise: lost, reject } = Promise.withResolvers<never>();
  visit.client.once('close', () => reject(new ConnectError('network', 'the connection to the broker was lost')));
  try {
    return await Promise.race([withdraw(settings, force, visit, storage, io), lost]);
  } catch (cause) {
    if (!(cause instanceof ConnectError)) throw cause;
    io.err(`${visit.url}: ${cause.message}. Some topics were not cleared; run \`${commandOf(settings)}\` again.`);
    return 1;
  } finally {
    storage.close();
    await leaveBroker(visit.client);
  }
};

const withdraw = async (
  settings: ForgetSettings,
  force: boolean,
  { client, url }: Awaited<ReturnType<typeof visitBroker>>,
  storage: Storage,
  io: ForgetIo,
): Promise<number> => {
  const { publishedTopics } = storage;
  const { base } = settings.mqtt;
  /** The filters that this broker user may not read. */
  const unread = new Set<string>();
  const look = (): Promise<Retained> => lookAt(settings, client, unread, io);
  let retained = await look();
  // A Mosquitto ACL file without read access grants the subscription but delivers nothing.
  const showsNothing = unread.size === 0 && ![...retained.keys()].some((topic) => topic.startsWith(`${base}/`));
  if (showsNothing && (await missingRights(client, { filters: [], probe: probeTopic(base), written: [] })).length > 0) {
    unread.add(`${base}/#`);
    io.err(`The broker sends this user no messages below ${base}; topics that are not in the database stay there.`);
  }
  if (!force && retained.get(bridgeTopic(base, 'state')) === 'online') {
    io.err(
      `A bridge with mqtt.base ${base} is connected to the broker; stop it first. If it crashed together with the broker, run \`${commandOf(settings)} --force\`. Nothing was cleared.`,
    );
    return 1;
  }
  // If this is interrupted, the next run must not assume that the broker still has any topic.
  publishedTopics.write([{ kind: 'checkpoint', id: undefined }]);
  const published = publishedDocuments(storage.documents);
  const others = devicesOfOthers(base, retained, published);
  if (await showLeaving(published, others, retained, client, storage)) retained = await look();
  const cleared = new Set<string>();
  const refused = new Map<string, string>();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const topics = leftOf(base, others, retained, publishedTopics.held).filter((topic) => !refused.has(topic));
    if (topics.length === 0) break;
    for (const topic of topics) {
      try {
        await client.publishAsync(topic, '', RETAINED);
      } catch (cause) {
        if (!client.connected) throw cause;
        refused.set(topic, messageOf(cause));
        continue;
      }
      cleared.add(topic);
      if (publishedTopics.held.has(topic)) publishedTopics.write([{ kind: 'gone', topic }]);
    }
    retained = await look();
  }
  return report(settings, url, cleared, refused, unread.size === 0, io);
};

/** Republishes removed entities, so that hubs process the clearing. False if there were none. */
const showLeaving = async (
  published: PublishedDocuments,
  others: ReadonlySet<string>,
  retained: Retained,
  client: MqttClient,
  { publishedTopics, documents }: Storage,
): Promise<boolean> => {
  const leaving = published
    .owners()
    .flatMap((owner) => [...published.leaving(owner)].map(([topic, payload]) => ({ owner, topic, payload })))
    .filter(({ topic }) => !others.has(mainDocumentTopic(topic)));
  for (const { owner, topic, payload } of leaving) {
    publishedTopics.write([{ kind: 'sending', topic, owner }]);
    const document = retained.get(topic);
    const whole = document === undefined ? payload : withMoreComponents(document, componentsOf(payload));
    await client.publishAsync(topic, whole, RETAINED).catch((cause: unknown) => {
      if (!client.connected) throw cause;
    });
  }
  if (leaving.length > 0) await systemClock.sleep(APART_MS);
  for (const owner of published.owners()) documents.write(owner, undefined);
  return leaving.length > 0;
};

/** The retained messages below our filters. If the broker refuses a filter, only the database is used. */
const lookAt = async (
  { mqtt, homeassistant }: ForgetSettings,
  client: MqttClient,
  unread: Set<string>,
  io: ForgetIo,
): Promise<Retained> => {
  const found = new Map<string, string>();
  for (const filter of [documentFilter(homeassistant.prefix), `${mqtt.base}/#`].filter((one) => !unread.has(one))) {
    try {
      for (const [topic, payload] of await readRetained(client, [filter], systemClock)) found.set(topic, payload);
    } catch (cause) {
      if (!client.connected) throw cause;
      unread.add(filter);
      io.err(`The broker does not let this user read ${filter} (${messageOf(cause)}); topics that are not in the database stay there.`);
    }
  }
  return found;
};

/** Discovery topics of devices that a bridge with another base publishes. */
const devicesOfOthers = (base: string, retained: Retained, published: PublishedDocuments): ReadonlySet<string> => {
  const own = new Map(published.owners().flatMap((owner) => [...published.shown(owner)]));
  const ofOthers = [...retained].filter(([topic, payload]) => otherBaseOf(payload, base, own.get(topic)) !== undefined);
  return new Set(ofOthers.map(([topic]) => mainDocumentTopic(topic)));
};

/** Documents come first, so that hubs remove entities before they become unavailable. */
const leftOf = (base: string, others: ReadonlySet<string>, retained: Retained, held: ReadonlyMap<string, Held>): readonly string[] => {
  const documents = documentsOf(base, retained);
  const states = topicsOfBridge(base, retained);
  const known = new Set([...documents, ...states]);
  const byDatabase = [...held.keys()].filter((topic) => !known.has(topic) && !others.has(mainDocumentTopic(topic)));
  return [...documents, ...byDatabase, ...states];
};

const report = (
  { mqtt, data_dir }: ForgetSettings,
  broker: string,
  cleared: ReadonlySet<string>,
  refused: ReadonlyMap<string, string>,
  isAllRead: boolean,
  io: ForgetIo,
): number => {
  const documents = [...cleared].filter((topic) => topic.endsWith('/config') && !topic.startsWith(`${mqtt.base}/`)).length;
  if (cleared.size === 0 && refused.size === 0 && isAllRead) io.out(`${broker} has no topics of a bridge with mqtt.base ${mqtt.base}.`);
  if (cleared.size > 0) {
    io.out(
      `Cleared at ${broker}: ${plural(documents, 'discovery document', 'discovery documents')} and ${plural(cleared.size - documents, 'topic', 'topics')}.`,
    );
    if (documents > 0) io.out('If Home Assistant was not running, it may still list the devices; delete them there by hand.');
    const stays = soundTokens(data_dir) ? `The login and the call counters stay in ${data_dir}. The` : 'The';
    io.out(`${stays} next \`heating2mqtt run\` publishes everything again.`);
  }
  for (const [topic, why] of refused) io.err(`The broker does not let this user clear ${topic}: ${why}`);
  return refused.size === 0 && isAllRead ? 0 : 1;
};

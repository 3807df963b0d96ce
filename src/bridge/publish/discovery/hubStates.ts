import { type Component, componentsOf } from '../../../homeassistant/documents/publishedDocument.ts';
import type { Clock } from '../../../shared/clock.ts';
import { jsonObject } from '../../../shared/json.ts';
import type { MqttSession } from '../broker/mqttSession.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';

/** After this long without a new document, a hub has processed them all. */
const QUIET_MS = 5000;
/** Smaller documents need no repetition: Mosquitto queues 1,000 messages per client by default. */
const FEW_TOPICS = 500;
/** Time for a slow hub to make an entity. Home Assistant 2026.11 needs 2 ms on a PC, 7 ms under load. */
const PER_TOPIC_MS = 10;
/** The repetition rate: this many topics per batch, with this interval. */
const TOGETHER = 20;
const APART_MS = 100;

/** Enabled components first. */
const byEnabled = (a: Component, b: Component): number => Number(a.enabled_by_default === false) - Number(b.enabled_by_default === false);

/**
 * Publishes entity states again, slowly, after many were announced. Home Assistant subscribes to all their
 * topics at once, at its start and at the bridge's. The retained states then arrive faster than it reads, and
 * the broker drops those that exceed this client's queue: such entities would stay unavailable.
 */
export const hubStatesOf = (
  publisher: Pick<RetainedPublisher, 'show' | 'topics'>,
  session: Pick<MqttSession, 'announce'>,
  clock: Clock,
  signal: AbortSignal,
) => {
  /** Topics of documents whose states will be repeated. */
  const documents = new Set<string>();
  let publishedMs = 0;
  let isRunning = false;

  /** The broker has acknowledged this discovery document. */
  const documentTaken = (topic: string): void => {
    documents.add(topic);
    publishedMs = clock.elapsedMs();
    // A stop ends the wait.
    if (!isRunning) void run().catch(() => undefined);
  };

  const run = async (): Promise<void> => {
    isRunning = true;
    while (documents.size > 0) {
      for (let ms = QUIET_MS; ms > 0; ms = publishedMs + QUIET_MS - clock.elapsedMs()) await sleep(ms);
      const topics = takeTopics();
      if (topics.length < FEW_TOPICS) continue;
      await sleep(topics.length * PER_TOPIC_MS);
      await session.announce().catch(() => undefined);
      for (let first = 0; first < topics.length; first += TOGETHER) {
        for (const topic of topics.slice(first, first + TOGETHER)) publisher.show(topic);
        await sleep(APART_MS);
      }
    }
    isRunning = false;
  };

  /** The retained topics in the documents: first those of devices and of enabled entities. */
  const takeTopics = (): readonly string[] => {
    const { wanted } = publisher.topics;
    const payloads = [...documents].map((topic) => wanted.get(topic)?.payload ?? '');
    documents.clear();
    const components = payloads.flatMap((payload) => [...componentsOf(payload).values()]);
    const availability = payloads.map((payload) => jsonObject(payload)?.availability);
    const topics = new Set<string>();
    for (const part of [...availability, ...components.toSorted(byEnabled)])
      JSON.stringify(part, (_, value: unknown) => {
        if (typeof value === 'string' && wanted.has(value)) topics.add(value);
        return value;
      });
    return [...topics];
  };

  const sleep = (ms: number): Promise<void> => clock.sleep(ms, signal);

  return { documentTaken };
};

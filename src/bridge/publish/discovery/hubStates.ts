import { type Component, componentsOf } from '../../../homeassistant/documents/publishedDocument.ts';
import type { Clock } from '../../../shared/clock.ts';
import { jsonObject } from '../../../shared/json.ts';
import type { MqttSession } from '../broker/mqttSession.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';

/** Without a new document for this long, a hub has them all. */
const QUIET_MS = 5000;
/** Documents with fewer topics never need a repetition: a Mosquitto with default settings keeps 1,000 messages for each client. */
const FEW_TOPICS = 500;
/** So long a slow hub needs to make an entity. Home Assistant 2026.11 needs 2 ms on a PC. */
const PER_TOPIC_MS = 5;
/** The pace of the repetition: so many topics together, so far apart. */
const TOGETHER = 20;
const APART_MS = 100;

/** Enabled ones first. */
const byEnabled = (a: Component, b: Component): number => Number(a.enabled_by_default === false) - Number(b.enabled_by_default === false);

/**
 * Publishes the states of a hub's entities once more, slowly, after many of them were announced. Home Assistant subscribes to all of their
 * topics at once, at its start and at that of the bridge. The retained states then come faster than it reads, and the broker drops what its
 * queue for this client does not hold: such entities would stay unavailable.
 */
export class HubStates {
  readonly #publisher: Pick<RetainedPublisher, 'show' | 'topics'>;
  readonly #session: Pick<MqttSession, 'announce'>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** Topics of documents whose states are to be repeated. */
  readonly #documents = new Set<string>();
  #publishedMs = 0;
  #isRunning = false;

  constructor(
    publisher: Pick<RetainedPublisher, 'show' | 'topics'>,
    session: Pick<MqttSession, 'announce'>,
    clock: Clock,
    signal: AbortSignal,
  ) {
    this.#publisher = publisher;
    this.#session = session;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The broker has taken this discovery document. */
  documentTaken(topic: string): void {
    this.#documents.add(topic);
    this.#publishedMs = this.#clock.elapsedMs();
    // A stop ends the wait.
    if (!this.#isRunning) void this.#run().catch(() => undefined);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#documents.size > 0) {
      for (let ms = QUIET_MS; ms > 0; ms = this.#publishedMs + QUIET_MS - this.#clock.elapsedMs()) await this.#sleep(ms);
      const topics = this.#takeTopics();
      if (topics.length < FEW_TOPICS) continue;
      await this.#sleep(topics.length * PER_TOPIC_MS);
      await this.#session.announce().catch(() => undefined);
      for (let first = 0; first < topics.length; first += TOGETHER) {
        for (const topic of topics.slice(first, first + TOGETHER)) this.#publisher.show(topic);
        await this.#sleep(APART_MS);
      }
    }
    this.#isRunning = false;
  }

  /** The retained topics that the documents name, first those of the devices and of enabled entities. */
  #takeTopics(): readonly string[] {
    const { wanted } = this.#publisher.topics;
    const payloads = [...this.#documents].map((topic) => wanted.get(topic)?.payload ?? '');
    this.#documents.clear();
    const components = payloads.flatMap((payload) => [...componentsOf(payload).values()]);
    const availability = payloads.map((payload) => jsonObject(payload)?.availability);
    const topics = new Set<string>();
    for (const part of [...availability, ...components.toSorted(byEnabled)])
      JSON.stringify(part, (_, value: unknown) => {
        if (typeof value === 'string' && wanted.has(value)) topics.add(value);
        return value;
      });
    return [...topics];
  }

  #sleep(ms: number): Promise<void> {
    return this.#clock.sleep(ms, this.#signal);
  }
}

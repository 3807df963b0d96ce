import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';

export type Heard = { readonly topic: string; readonly payload: string; readonly retain: boolean; readonly correlation?: string };

/** Hears everything on the broker, and waits for what it wants to hear. */
export type Recorder = {
  readonly heard: readonly Heard[];
  /** The last payload heard on the topic; an empty one counts as nothing. */
  last(topic: string): string | undefined;
  /** Resolves with the first message, heard already after `from` or still to come, that fits. */
  until(fits: (message: Heard) => boolean, from?: number, timeoutMs?: number): Promise<Heard>;
  untilTopic(topic: string, payload?: string, from?: number): Promise<Heard>;
  /** Resolves when all that the broker took before is heard; a listener under load is behind. */
  caughtUp(): Promise<void>;
  publish(
    topic: string,
    payload: string | Buffer,
    options?: { readonly retain?: boolean; readonly responseTopic?: string; readonly correlation?: string },
  ): Promise<void>;
  close(): Promise<void>;
};

/** The same as a client of a broker. */
export type MqttRecorder = Recorder & { readonly client: MqttClient };

/** What tests publish to know where they are; nobody's message, and not recorded. */
export const MARKS = 'test/mark/';

let marks = 0;

type Waiter = { readonly fits: (message: Heard) => boolean; readonly resolve: (message: Heard) => void };

export const listen = async (url: string, options: IClientOptions = {}, qos: 0 | 1 = 1): Promise<MqttRecorder> => {
  const heard: Heard[] = [];
  const waiters = new Set<Waiter>();
  const client = await connectAsync(url, { reconnectPeriod: 200, ...options });
  client.on('message', (topic, payload, packet) => {
    const correlation = packet.properties?.correlationData?.toString();
    const message = { topic, payload: payload.toString(), retain: packet.retain, ...(correlation === undefined ? {} : { correlation }) };
    if (!topic.startsWith(MARKS)) heard.push(message);
    for (const waiter of waiters) {
      if (!waiter.fits(message)) continue;
      waiters.delete(waiter);
      waiter.resolve(message);
    }
  });
  await client.subscribeAsync('#', { qos });
  const until: MqttRecorder['until'] = (fits, from = 0, timeoutMs = 100_000) => {
    const already = heard.slice(from).find(fits);
    if (already) return Promise.resolve(already);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`not heard within ${timeoutMs} ms; heard last: ${JSON.stringify(heard.slice(-8))}`)),
        timeoutMs,
      );
      const done = (message: Heard): void => {
        clearTimeout(timer);
        resolve(message);
      };
      waiters.add({ fits, resolve: done });
    });
  };
  const publish: MqttRecorder['publish'] = async (topic, payload, { retain = false, responseTopic, correlation } = {}) => {
    const properties = {
      ...(responseTopic === undefined ? {} : { responseTopic }),
      ...(correlation === undefined ? {} : { correlationData: Buffer.from(correlation) }),
    };
    await client.publishAsync(topic, payload, { qos: 1, retain, ...(Object.keys(properties).length > 0 ? { properties } : {}) });
  };
  return {
    client,
    heard,
    last: (topic) => heard.findLast((message) => message.topic === topic)?.payload || undefined,
    until,
    untilTopic: (topic, payload, from) =>
      until((message) => message.topic === topic && (payload === undefined || message.payload === payload), from),
    caughtUp: async () => {
      marks += 1;
      const mark = `${MARKS}heard/${process.pid}/${marks}`;
      const marked = until(({ topic }) => topic === mark, heard.length);
      await publish(mark, 'mark');
      await marked;
    },
    publish,
    close: () => client.endAsync(true),
  };
};

type Answer = { readonly topic: string; readonly status: string; readonly command?: string; readonly code?: string };

/** Has a command sent on a topic, and gives its last answer. */
export const lastAnswer = async (recorder: Recorder, topic: string, send: () => Promise<void>): Promise<Answer> => {
  const from = recorder.heard.length;
  await send();
  const isLast = (answer: Answer): boolean => answer.topic === topic && answer.status !== 'accepted';
  const isOfDevice = /^heating2mqtt\/\w+\/result$/;
  const heard = await recorder.until((message) => isOfDevice.test(message.topic) && isLast(JSON.parse(message.payload)), from);
  return JSON.parse(heard.payload);
};

export const answerTo = (recorder: Recorder, topic: string, payload: string): Promise<Answer> =>
  lastAnswer(recorder, topic, () => recorder.publish(topic, payload));

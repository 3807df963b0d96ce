import { Socket } from 'node:net';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Issue } from '../../../src/shared/issue.ts';
import type { Heard, MqttRecorder, Recorder } from '../network/mqttRecorder.ts';
import { ALL, FEW, isOwn, published } from '../system/outcome.ts';
import { type BridgeSystem, SCHEDULE_TOPIC } from '../system/testSystem.ts';
import { startVirtualSystem, type VirtualTestOptions, type VirtualTestSystem } from '../system/virtualTestSystem.ts';

export const SET = `${SCHEDULE_TOPIC}/set`;
export const ENTRIES = `${SCHEDULE_TOPIC}/entries`;
export const ENTRIES_SET = `${ENTRIES}/set`;
export const RESULT = `${SCHEDULE_TOPIC}/result`;
export const DEVICE_RESULT = 'heating2mqtt/home/result';
export const BRIDGE_RESULT = 'heating2mqtt/bridge/result';

/** A result as it was received. */
export type Result = {
  readonly id?: string | number;
  readonly device?: string;
  readonly feature?: string;
  readonly topic: string;
  readonly command?: string;
  readonly status: string;
  readonly code?: string;
  readonly message?: string;
  readonly errors?: readonly Issue[];
  readonly rev?: string;
  readonly until?: string;
  readonly changed?: readonly string[];
  readonly kept?: readonly string[];
  readonly week?: unknown;
  readonly adapted?: unknown;
  readonly errorType?: string;
  readonly reason?: string;
  readonly viErrorId?: string;
  readonly at: string;
};

export type PublishOptions = Parameters<Recorder['publish']>[2];

/** What came of one message: its answers in order, all else that was heard outside `bridge/`, and the calls it cost. */
export type Outcome = {
  readonly terminal: Result;
  readonly statuses: readonly string[];
  readonly others: readonly Heard[];
  readonly reads: number;
  readonly posts: ReturnType<BridgeSystem['posts']>;
};

const RESULTS = /\/result$/;
const COMMANDS = /\/(?:set|validate|call\/[^/]+)$/;

export const resultIn = ({ payload }: Pick<Heard, 'payload'>): Result => JSON.parse(payload);

/** The answers heard on one result topic, in order. */
export const answersOn = (heard: readonly Heard[], result: string): Result[] =>
  heard.filter(({ topic }) => topic === result).map((message) => resultIn(message));

export const isTerminal = ({ status }: Pick<Result, 'status'>): boolean => status !== 'accepted' && status !== 'waiting';

/** The first terminal answer to a message on this topic, heard after `from` on `result`. */
export const terminalFor = async (
  recorder: Recorder,
  topic: string,
  from: number,
  result = DEVICE_RESULT,
  timeoutMs?: number,
): Promise<Result> =>
  resultIn(
    await recorder.until(
      (heard) => heard.topic === result && resultIn(heard).topic === topic && isTerminal(resultIn(heard)),
      from,
      timeoutMs,
    ),
  );

/** Where the answers to all messages for the device of this topic go. */
export const resultOf = (topic: string): string => topic.replace(/^([^/]+\/[^/]+)\/.*/, '$1/result');

let barriers = 0;

/** Resolves when everything that the bridge had to say before is heard: the answer to a message for nobody comes after it. */
export const barrier = async ({ recorder }: { readonly recorder: Recorder }): Promise<void> => {
  barriers += 1;
  const topic = `heating2mqtt/nobody/barrier${barriers}/set`;
  const from = recorder.heard.length;
  await recorder.publish(topic, 'x');
  await terminalFor(recorder, topic, from, BRIDGE_RESULT);
};

/** The topic that shows each answer once more. */
const OVERVIEW = /\/overview$/;

const isBarrier = ({ topic }: Heard): boolean => topic.startsWith('heating2mqtt/nobody/');

/** Publishes one message, waits for its terminal answer and for silence, and says what came of it. */
export const write = async (
  system: BridgeSystem,
  topic: string,
  payload: string | Buffer,
  { result = resultOf(topic), ...options }: PublishOptions & { readonly result?: string } = {},
): Promise<Outcome> => {
  await system.awayFromChange(2000);
  const { recorder } = system;
  const from = recorder.heard.length;
  const [reads, posts] = [system.reads(), system.posts().length];
  await recorder.publish(topic, payload, options);
  const terminal = await terminalFor(recorder, topic, from, result);
  const isAccepted = answersOn(recorder.heard.slice(from), result).some(({ status }) => status === 'accepted');
  // Without an effect to confirm, one read follows the answer; it must not be counted with the next write.
  if (terminal.status === 'applied' && !isAccepted) await system.untilSo(() => system.lastMethod() === 'GET');
  await barrier(system);
  const heard = recorder.heard.slice(from);
  return {
    terminal,
    statuses: answersOn(heard, result)
      .filter((said) => said.topic === topic)
      .map(({ status }) => status),
    others: heard.filter(
      (one) => !isOwn(one) && !isBarrier(one) && !OVERVIEW.test(one.topic) && !RESULTS.test(one.topic) && !COMMANDS.test(one.topic),
    ),
    reads: system.reads() - reads,
    posts: system.posts().slice(posts),
  };
};

/** Small messages go out at once, instead of up to 40 ms later. */
export const hurry = ({ client }: MqttRecorder): void => {
  if (client.stream instanceof Socket) client.stream.setNoDelay(true);
};

/** A test system in virtual time, up to its first health report; everything of device 0 by one read unless the options say otherwise. */
const startPublished = async (options: VirtualTestOptions = ALL): Promise<VirtualTestSystem> => {
  const system = await startVirtualSystem(options);
  await published(system);
  // Then the documents are out too.
  await system.time.pass(1000);
  return system;
};

/** The same for one test, with few features. */
export const started = async (options: VirtualTestOptions = FEW): Promise<VirtualTestSystem> => {
  const system = await startPublished(options);
  onTestFinished(() => system.close());
  return system;
};

/** The same for all tests of a `describe`. */
export const sharedSystem = (options: VirtualTestOptions = ALL): (() => VirtualTestSystem) => {
  let system: VirtualTestSystem | undefined;
  beforeAll(async () => {
    system = await startPublished(options);
  });
  afterAll(async () => system?.close());
  return () => {
    if (!system) throw new Error('the test system was not started');
    return system;
  };
};

/** The one schedule of circuit 0, in a test system that stands still. */
export const ONE = {};

/** The body of the one POST; throws where there was another number of them. */
export const sentBy = ({ posts }: Outcome): unknown => {
  const [post, ...more] = posts;
  if (!post || more.length > 0) throw new Error(`${posts.length} calls instead of one: ${JSON.stringify(posts)}`);
  return JSON.parse(post.body ?? 'null');
};

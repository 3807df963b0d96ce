import { MINUTE_MS, SECOND_MS, type WiredSystem, type WiredSystemOptions, wiredSystem } from './virtualSystem.ts';

/** The first device of the simulated home with these features, as `wiredSystem` takes it. */
export const deviceWith = (...features: readonly string[]) =>
  ({ name: 'home', installation: '111222', gateway: '7571381699991111', device: '0', features, exclude: [] }) as const;

/** So large that tests may ask for polls as often as they like. */
const NO_LIMIT = { per_10_minutes: 1e6, per_day: 1e8, reserve_for_commands: 50 };

/** A bridge in virtual time that has read everything of the first device, and reads again once an hour. */
export const startWired = async (options: WiredSystemOptions = {}): Promise<WiredSystem> => {
  const all = { devices: [deviceWith('*')], read: 'auto', allowance: NO_LIMIT } as const;
  const system = await wiredSystem({ ...all, ...options, poll: { seconds: 3600, ...options.poll } });
  await system.start();
  await system.time.pass(MINUTE_MS);
  return system;
};

/** Asks for a poll, whose read comes through. */
export const poll = async ({ send, time }: WiredSystem): Promise<void> => {
  send('heating2mqtt/bridge/poll/set', 'home');
  await time.pass(5 * SECOND_MS);
};

/** The bridge ends and is started again, until it has published what it knows. */
export const startAgain = async ({ stop, start, time }: WiredSystem): Promise<void> => {
  await stop();
  await start();
  await time.pass(MINUTE_MS);
};

/** The last payload on the topic; an empty one counts as nothing. */
export const lastOn = ({ messages }: WiredSystem, topic: string): string | undefined =>
  messages.findLast((message) => message.topic === topic)?.payload || undefined;

/** The answers to messages for the device. */
export const answersOf = ({ messages }: WiredSystem, from = 0): readonly { readonly status: string; readonly topic: string }[] =>
  messages
    .slice(from)
    .filter(({ topic }) => topic === 'heating2mqtt/home/result')
    .map(({ payload }) => JSON.parse(payload));

export const warnings = ({ logged }: Pick<WiredSystem, 'logged'>) => logged.filter(({ level }) => level === 'warn' || level === 'error');

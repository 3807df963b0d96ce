import { expect } from 'vitest';
import type { Platform, Target } from '../../../src/bridge/ports.ts';
import { bodyOf } from '../devices/bodyOf.ts';
import { virtualTime } from '../time/virtualTime.ts';
import { bestConstant, Counter, happeningsOf, type Lived, type Month, numbers } from './month.ts';
import { ALLOWANCE, DAY_MS, type OpenPlatform, SECOND_MS, virtualSystem } from './virtualSystem.ts';

export type LivedWhole = Lived & {
  /** Answers to the commands of the month, by status and code. */
  readonly answers: Readonly<Record<string, number>>;
};

const FEATURE = 'heating.circuits.0.heating.curve';

const refusal = (code: string) => Object.assign(new Error(code), { code, executed: 'no' as const });

const recordOf = (slope: number) => ({
  data: {
    feature: FEATURE,
    gatewayId: '2',
    isEnabled: true,
    isReady: true,
    properties: { slope: { type: 'number', value: slope, unit: '' } },
    commands: {
      setSlope: {
        isExecutable: true,
        params: { slope: { type: 'number', required: true, constraints: { min: 0, max: 10_000, stepping: 1 } } },
      },
    },
  },
});

/** Lives through a month with the whole bridge: its poller, reader, allowance, commander and files, over a platform in memory. */
export const liveMonth = async (month: Month): Promise<LivedWhole> => {
  const { days, reads, seed, allowance } = month;
  const time = virtualTime();
  const { commands, restarts, outages } = happeningsOf(month);
  const random = numbers(seed + 2000);
  const slopes = new Map<string, { value: number; before: number; sinceMs: number }>();
  const readAt = new Map<string, number>(Array.from({ length: reads }, (_, index) => [String(index), 0]));
  const counter = new Counter(allowance);
  const others: number[] = [];
  const area = { sum: 0, oldest: 0, from: 0 };
  let polls = 0;
  const out = (): boolean => outages.some(({ fromMs, toMs }) => time.elapsedMs() >= fromMs && time.elapsedMs() < toMs);
  /** The area under the oldest record's age until now. */
  const settle = (): void => {
    const now = time.elapsedMs();
    area.sum += ((now - area.from) * (now - area.oldest + (area.from - area.oldest))) / 2;
    area.from = now;
    area.oldest = Math.min(...readAt.values());
  };
  const arrive = (poll: boolean): void => {
    const now = time.elapsedMs();
    if (poll) polls += 1;
    else others.push(now);
    if (!counter.call(now)) throw refusal('rate_limited');
    if (out()) throw refusal('server_error');
  };
  const open: OpenPlatform = async ({ clock }, onCall, _, isPoll) => {
    const platform: Platform = {
      fetchFeatures: async ({ device = '' }: Target) => {
        onCall();
        arrive(isPoll());
        await clock.sleep(100 + 200 * random());
        readAt.set(device, time.elapsedMs());
        settle();
        const slope = slopes.get(device);
        const shown = slope === undefined ? 0 : time.elapsedMs() < slope.sinceMs ? slope.before : slope.value;
        return bodyOf(recordOf(shown));
      },
      execute: async ({ device }, __, args) => {
        onCall();
        arrive(false);
        const before = slopes.get(device)?.value ?? 0;
        // The platform shows it after some time; one or two reads then are enough.
        slopes.set(device, { value: Number(args['slope']), before, sinceMs: time.elapsedMs() + 16 * SECOND_MS * random() });
        return { adapted: false };
      },
    };
    const auth = () => ({ state: 'ok' as const, since: '', message: '' });
    return { platform, auth, close: async () => undefined };
  };
  const devices = [...readAt.keys()].map((device) => ({
    ...{ name: `d${device}`, installation: '1', gateway: '2', device, features: [FEATURE], exclude: [] },
  }));
  const system = virtualSystem(devices, open, { allowance, commands: { per_hour: 1000 } }, time);
  await system.start();
  const happenings = [...commands.map((atMs, index) => ({ atMs, index: index + 1 })), ...restarts.map((atMs) => ({ atMs, index: 0 }))].sort(
    (a, b) => a.atMs - b.atMs,
  );
  for (const { atMs, index } of happenings) {
    await time.pass(Math.max(0, atMs - time.elapsedMs()));
    if (index > 0) {
      const device = Math.floor(random() * reads);
      system.send(`heating2mqtt/d${device}/heating/circuits/0/heating/curve/call/setSlope`, String(index));
      continue;
    }
    if (random() < 0.5) system.kill();
    else await system.stop();
    await system.start();
  }
  await time.pass(days * DAY_MS - time.elapsedMs());
  settle();
  const answers: Record<string, number> = {};
  for (const { topic, payload } of system.messages) {
    if (!/^heating2mqtt\/d\d+\/result$/.test(topic)) continue;
    const { status, code } = JSON.parse(payload);
    const word = code === undefined ? status : `${status} ${code}`;
    answers[word] = (answers[word] ?? 0) + 1;
  }
  return {
    refusedByPlatform: counter.refused,
    refusedCommands: Object.entries(answers).reduce(
      (sum, [word, count]) => (/^(?!unconfirmed).*(no_quota|rate_limited)/.test(word) ? sum + count : sum),
      0,
    ),
    commands: commands.length,
    polls,
    meanAgeS: area.sum / (days * DAY_MS) / 1000,
    others,
    answers,
  };
};

/** Lives through a month and expects of it what the allowance promises. */
export const expectGoodMonth = async (reads: number, seed: number): Promise<void> => {
  const month = { days: 30, reads, seed, allowance: ALLOWANCE };
  const lived = await liveMonth(month);
  expect(lived).toMatchObject({ refusedByPlatform: 0, refusedCommands: 0 });
  expect(lived.commands).toBeGreaterThan(5500);
  expect(lived.answers['applied']).toBeGreaterThan(0.95 * lived.commands);
  // A confirming read counts as a poll: it leaves the reserve to commands.
  expect(lived.answers['unconfirmed no_quota'] ?? 0).toBeLessThan(0.005 * lived.commands);
  // Beside the best constant interval that knew all other calls of the month beforehand.
  expect(lived.meanAgeS).toBeLessThanOrEqual(1.1 * bestConstant(month, lived));
};

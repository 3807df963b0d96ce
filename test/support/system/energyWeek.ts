import { defaultHome } from '../../../src/simulator/home/home.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type PublishedMessage, wiredSystem } from './virtualSystem.ts';

/** Features of the simulated house that count energy. */
export const COUNTING: readonly string[] = [
  'heating.power.consumption.total',
  'heating.power.consumption.dhw',
  'heating.power.consumption.summary.heating',
  'heating.heat.production.summary.heating',
];

export const totalTopic = (feature: string): string => `heating2mqtt/home/${feature.replaceAll('.', '/')}/running_total`;

/** Over New Year, in the zone of the house: a Monday, 07:00. */
export const WEEK_STARTS = Date.parse('2026-12-28T06:00:00Z');
const HOUR_S = 3600;

type Amounts = Readonly<Record<string, number>>;
type Step = {
  readonly what: string;
  readonly atMs: number;
  /** What the records say was used since the first read, by feature, and what the running total shows. */
  readonly used: Amounts;
  readonly shown: Amounts;
};

export type EnergyWeek = {
  readonly messages: readonly PublishedMessage[];
  /** What lies on the broker at the end. */
  readonly retained: ReadonlyMap<string, string>;
  readonly steps: readonly Step[];
};

/**
 * A week of the simulated house, in virtual time: the bridge ends and starts over a midnight, is killed, a clock is set wrong, and the
 * platform is away for a whole day and two midnights.
 */
export const energyWeek = async (): Promise<EnergyWeek> => {
  const system = await wiredSystem({
    startMs: WEEK_STARTS,
    simulator: { home: defaultHome },
    devices: [{ name: 'home', installation: '111222', gateway: '7571381699991111', device: '0', features: COUNTING, exclude: [] }],
    poll: { seconds: HOUR_S, jitter: 0 },
    timeZone: { setting: 'Europe/Berlin', machine: 'Europe/Berlin' },
  });
  const topicOf = (feature: string, leaf: string): string | undefined =>
    system.retained.get(`heating2mqtt/home/${feature.replaceAll('.', '/')}/${leaf}`);
  /** This year and the last one. */
  const years = (feature: string): readonly number[] =>
    JSON.parse(topicOf(feature, 'year') ?? `[${topicOf(feature, 'currentYear')},${topicOf(feature, 'lastYear')}]`);
  const each = (of: (feature: string) => number): Amounts => Object.fromEntries(COUNTING.map((feature) => [feature, of(feature)]));
  await system.start();
  await system.time.pass(5 * MINUTE_MS);
  const starts = each((feature) => years(feature)[0] ?? 0);
  const steps: Step[] = [];
  const note = (what: string): void => {
    const used = each((feature) => {
      const [now = 0, last = 0] = years(feature);
      const start = starts[feature] ?? 0;
      // After New Year the counting goes on in the next one.
      return now < start ? last - start + now : now - start;
    });
    steps.push({ what, atMs: system.time.elapsedMs(), used, shown: each((feature) => Number(topicOf(feature, 'running_total'))) });
  };
  const pass = async (ms: number, what: string): Promise<void> => {
    await system.time.pass(ms);
    note(what);
  };
  note('the first read');
  await pass(30 * HOUR_MS, 'a midnight');
  await system.stop();
  await system.time.pass(14 * HOUR_MS);
  await system.start();
  await pass(HOUR_MS, 'a midnight without the bridge');
  system.kill();
  await system.start();
  await pass(8 * HOUR_MS, 'the bridge was killed');
  system.time.setWall(-3 * DAY_MS);
  await pass(5 * HOUR_MS, 'a clock three days behind');
  system.time.setWall(3 * DAY_MS);
  system.simulator.control({ command: 'fault', kind: 'internal_error', match: { path: '/features' } });
  await pass(28 * HOUR_MS, 'the platform is away');
  system.simulator.control({ command: 'clear' });
  await pass(6 * HOUR_MS, 'the platform is back');
  await pass(7 * DAY_MS - system.time.elapsedMs(), 'a week');
  return { messages: [...system.messages], retained: new Map(system.retained), steps };
};

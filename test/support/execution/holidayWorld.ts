import type { Platform } from '../../../src/bridge/ports.ts';
import type { Language } from '../../../src/language/language.ts';
import { bodyOf } from '../devices/bodyOf.ts';
import { countingCalls, MINUTE_MS, SECOND_MS, type VirtualSystem, virtualSystem } from '../system/virtualSystem.ts';
import { virtualTime } from '../time/virtualTime.ts';

export const HOLIDAY = 'heating2mqtt/home/heating/operating/programs/holiday';
const FEATURE = 'heating.operating.programs.holiday';
const DATE = { regEx: '^[\\d]{4}-[\\d]{2}-[\\d]{2}$' };

type Plan = { readonly start: string; readonly end: string };
type Call = { readonly command: string; readonly args: unknown };
type Answer = { readonly id?: number; readonly status: string; readonly code?: string; readonly message?: string };

const text = (constraints: object) => ({ type: 'string', required: true, constraints });
const OTHER = {
  feature: 'heating.sensors.temperature.outside',
  ...{ gatewayId: '2', deviceId: '0', isEnabled: true, isReady: true, apiVersion: 1, timestamp: '2026-11-21T06:00:00.000Z', uri: '' },
  ...{ properties: { value: { type: 'number', value: 5, unit: 'celsius' } }, commands: {} },
};
const noPlan: Plan = { start: '', end: '' };
const GENEROUS = { per_10_minutes: 100_000, per_day: 1_000_000, reserve_for_commands: 0 };
type Options = { readonly allowance?: typeof GENEROUS; readonly language?: Language };

/** A bridge in virtual time at a device that has nothing but a holiday, which recorded devices describe like this. */
export class HolidayWorld {
  readonly time = virtualTime();
  readonly calls: Call[] = [];
  plan: Plan = noPlan;
  reads = 0;
  /** What the next commands do instead of being carried out. */
  readonly failures: Error[] = [];
  /** The commands that the device has no longer. */
  readonly gone = new Set<string>();
  /** True where the platform carries out what it is sent, and does not answer. */
  isMute = false;
  /** True where the platform lists the feature no longer. */
  isGone = false;
  readonly system: VirtualSystem;
  #ids = 0;

  constructor({ allowance = GENEROUS, language = 'en' }: Options = {}) {
    const platform: Platform = {
      fetchFeatures: async () => {
        this.reads += 1;
        return bodyOf({ data: [OTHER, ...(this.isGone ? [] : [this.#record()])] });
      },
      execute: async (_, command, args) => {
        this.calls.push({ command, args });
        const failed = this.failures.shift();
        if (failed) throw failed;
        if (command === 'unschedule') this.plan = noPlan;
        else this.plan = { ...this.plan, ...(args as Partial<Plan>) };
        // The answer never comes.
        if (this.isMute) await new Promise(() => undefined);
        return { adapted: false };
      },
    };
    const device = { name: 'home', installation: '1', gateway: '2', device: '0', features: ['*'], exclude: [] };
    const options = {
      read: 'device',
      allowance,
      poll: { seconds: 3600, jitter: 0 },
      commands: { per_hour: 1000, fresh_s: 5 },
      language,
    } as const;
    this.system = virtualSystem([device], countingCalls(platform), options, this.time);
  }

  /** Begins, up to the first read. */
  static async begin(options: Options = {}): Promise<HolidayWorld> {
    const world = new HolidayWorld(options);
    await world.system.start();
    await world.time.pass(MINUTE_MS);
    return world;
  }

  #record(): object {
    const isPlanned = this.plan.start !== '';
    const all = {
      changeEndDate: { isExecutable: isPlanned, params: { end: text({ ...DATE, sameDayAllowed: false }) } },
      schedule: { isExecutable: true, params: { start: text(DATE), end: text({ ...DATE, sameDayAllowed: false }) } },
      unschedule: { isExecutable: true, params: {} },
    };
    const values = { active: false, start: this.plan.start, end: this.plan.end };
    return {
      feature: FEATURE,
      gatewayId: '2',
      deviceId: '0',
      isEnabled: true,
      isReady: true,
      apiVersion: 1,
      timestamp: '2026-11-21T06:00:00.000Z',
      uri: '',
      properties: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { type: typeof value, value }])),
      commands: Object.fromEntries(
        Object.entries(all).flatMap(([name, command]) => (this.gone.has(name) ? [] : [[name, { name, uri: '', ...command }]])),
      ),
    };
  }

  /** Publishes a value with an id of its own, which it gives. */
  send(leaf: string, value: unknown): number {
    this.#ids += 1;
    this.system.send(`${HOLIDAY}/${leaf}`, JSON.stringify({ value, id: this.#ids }));
    return this.#ids;
  }

  /** Sends a write, and waits until all that follows from it is over. */
  async write(leaf: string, value: unknown): Promise<number> {
    const id = this.send(leaf, value);
    await this.settle();
    return id;
  }

  settle(): Promise<void> {
    return this.time.pass(90 * SECOND_MS);
  }

  /** The statuses of the answers to an id, in order. */
  answers(id: number): readonly Answer[] {
    return this.system.messages
      .filter(({ topic }) => topic === `${HOLIDAY}/result` || topic === 'heating2mqtt/bridge/result')
      .map(({ payload }): Answer => JSON.parse(payload))
      .filter((answer) => answer.id === id);
  }

  finals(id: number): readonly Answer[] {
    return this.answers(id).filter(({ status }) => status !== 'waiting' && status !== 'accepted');
  }

  /** What waits, by property. */
  waiting(): unknown {
    const payload = this.system.retained.get(`${HOLIDAY}/waiting`);
    return payload === undefined ? undefined : JSON.parse(payload).values;
  }

  retained(leaf: string): string | undefined {
    return this.system.retained.get(`${HOLIDAY}/${leaf}`);
  }
}

import type { Platform } from '../../../src/bridge/ports.ts';
import { bodyOf } from '../devices/bodyOf.ts';
import { daily } from '../schedules/weeks.ts';
import {
  countingCalls,
  MINUTE_MS,
  SECOND_MS,
  type VirtualSystem,
  type VirtualSystemOptions,
  virtualSystem,
} from '../system/virtualSystem.ts';
import { virtualTime } from '../time/virtualTime.ts';

export const DHW = 'heating2mqtt/home/heating/dhw';
const GENEROUS = { per_10_minutes: 100_000, per_day: 1_000_000, reserve_for_commands: 0 };
const WEEK = { type: 'Schedule', required: true, constraints: { maxEntries: 4, resolution: 10, modes: ['on'], defaultMode: 'off' } };

type Command = { readonly feature: string; readonly command: string; readonly args: Readonly<Record<string, unknown>> };
export type Answer = { readonly status: string; readonly code?: string; readonly message?: string };

/** A bridge in virtual time at a heat pump of which only the hot water is shown. */
export class HotWaterWorld {
  readonly time = virtualTime();
  readonly sent: Command[] = [];
  calls = 0;
  celsius = 40;
  isCharging = false;
  /** False where the platform takes no week now. */
  isWritable = true;
  entries: unknown = daily('05:00-22:00 on');
  /** What makes the hot water. */
  heater: 'heating.compressors' | 'heating.burners' = 'heating.compressors';
  readonly system: VirtualSystem;

  constructor(options: VirtualSystemOptions = {}) {
    const platform: Platform = {
      fetchFeatures: async () => {
        this.calls += 1;
        return bodyOf({ data: this.#records() });
      },
      execute: async ({ feature }, command, args) => {
        this.calls += 1;
        this.sent.push({ feature, command, args });
        if (command === 'setSchedule') this.entries = args['newSchedule'];
        if (command === 'activate') this.isCharging = true;
        return { adapted: false };
      },
    };
    const device = { name: 'home', installation: '1', gateway: '2', device: '0', features: ['*'], exclude: [] };
    this.system = virtualSystem(
      [device],
      countingCalls(platform),
      { read: 'device', allowance: GENEROUS, poll: { seconds: 3600, jitter: 0 }, ...options },
      this.time,
    );
  }

  /** Begins, up to the first read. */
  static async begin(options: VirtualSystemOptions = {}): Promise<HotWaterWorld> {
    const world = new HotWaterWorld(options);
    await world.system.start();
    await world.time.pass(MINUTE_MS);
    return world;
  }

  #records(): readonly object[] {
    const record = (feature: string, properties: object, commands: object = {}): object => ({
      ...{ feature, gatewayId: '2', deviceId: '0', isEnabled: true, isReady: true, apiVersion: 1, uri: '' },
      ...{ timestamp: '2026-11-21T06:00:00.000Z', properties, commands },
    });
    const celsius = (value: number) => ({ value: { type: 'number', unit: 'celsius', value } });
    const command = (name: string, params: object = {}) => ({ [name]: { name, isExecutable: true, uri: '', params } });
    const week = { active: { type: 'boolean', value: true }, entries: { type: 'Schedule', value: this.entries } };
    return [
      record('heating.dhw', { active: { type: 'boolean', value: true } }),
      record(
        'heating.dhw.oneTimeCharge',
        { active: { type: 'boolean', value: this.isCharging } },
        { ...command('activate'), ...command('deactivate') },
      ),
      record('heating.dhw.schedule', week, this.isWritable ? command('setSchedule', { newSchedule: WEEK }) : {}),
      record('heating.dhw.sensors.temperature.dhwCylinder', celsius(this.celsius)),
      record('heating.dhw.temperature.main', celsius(50)),
      record(this.heater, { enabled: { type: 'array', value: ['0'] } }),
    ];
  }

  /** Sends a message below the hot water's topic, and gives the answers to it when all that follows is over. */
  async write(leaf: string, payload: string): Promise<readonly Answer[]> {
    this.system.forget();
    this.system.send(`${DHW}/${leaf}`, payload);
    await this.time.pass(90 * SECOND_MS);
    const answers = this.system.messages.filter(({ topic }) => topic === 'heating2mqtt/home/result');
    return answers.map(({ payload: answer }): Answer => JSON.parse(answer));
  }

  /** The bridge reads everything now. */
  async read(): Promise<void> {
    await this.time.pass(3 * MINUTE_MS);
    this.system.send('heating2mqtt/bridge/poll/set', 'home');
    await this.time.pass(3 * SECOND_MS);
  }
}

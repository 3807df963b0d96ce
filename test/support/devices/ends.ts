import { DEVICE_RESULT, type Result, terminalFor } from '../schedules/writing.ts';
import { changeValues, writesIn } from '../system/database.ts';
import type { BridgeSystem } from '../system/testSystem.ts';

export const CURVE = 'heating.circuits.0.heating.curve';
export const CURVE_TOPIC = 'heating2mqtt/home/heating/circuits/0/heating/curve';
export const SET_CURVE = `${CURVE_TOPIC}/call/setCurve`;

/** The answer that tells what became of the end of this feature's write. */
export const ended = (system: BridgeSystem, feature: string, from: number): Promise<Result> =>
  terminalFor(system.recorder, `${feature}/until`, from, DEVICE_RESULT);

/** What lies on disk of the writes that end by themselves. */
export const keptEnds = ({ settings }: Pick<BridgeSystem, 'settings'>): readonly Readonly<Record<string, unknown>>[] =>
  writesIn(settings.data_dir).filter(({ end }) => end !== undefined);

/** While the bridge is stopped: everything ends at this instant (epoch milliseconds) instead. */
export const endAt = ({ settings }: Pick<BridgeSystem, 'settings'>, untilMs: number): void =>
  changeValues(settings.data_dir, 'writes', (text) => text.replaceAll(/"untilMs":\d+/gu, `"untilMs":${untilMs}`), 'facts');

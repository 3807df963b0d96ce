import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEVICE_RESULT, type Said, terminalFor } from '../schedules/writing.ts';
import type { TestSystem } from '../system/testSystem.ts';

export const CURVE = 'heating.circuits.0.heating.curve';
export const CURVE_TOPIC = 'heating2mqtt/home/heating/circuits/0/heating/curve';
export const SET_CURVE = `${CURVE_TOPIC}/call/setCurve`;

/** The answer that tells what became of the end of this feature's write. */
export const ended = (house: TestSystem, feature: string, from: number): Promise<Said> =>
  terminalFor(house.ear, `${feature}/until`, from, DEVICE_RESULT, 15_000);

const fileOf = ({ settings }: Pick<TestSystem, 'settings'>): string => join(settings.data_dir, 'temporary.json');

/** What lies on disk of the writes that end by themselves. */
export const keptText = (house: Pick<TestSystem, 'settings'>): string => readFileSync(fileOf(house), 'utf8');

/** While the bridge is stopped: everything ends at this instant (epoch milliseconds) instead. */
export const endAt = (house: Pick<TestSystem, 'settings'>, untilMs: number): void =>
  writeFileSync(fileOf(house), keptText(house).replaceAll(/"untilMs":\d+/gu, `"untilMs":${untilMs}`));

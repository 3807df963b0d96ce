import { type InForce, LONGEST_RETRY_MS, type PlanCommand } from '../../schedule/plans/precedence.ts';
import { isRecord } from '../../shared/json.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import type { DeviceState } from '../state/deviceState.ts';
import type { KeptBegun } from './planNotes.ts';

/** The temporary write in force; `sentMs`: when it was sent. */
export type Standing = InForce & { readonly sentMs: number };

/** After a failure it is tried again after this time, then after twice as long, up to `LONGEST_RETRY_MS`. */
const RETRY_MS = 30 * 60_000;

export const FAILED: ReadonlySet<Answer['status']> = new Set(['rejected', 'failed']);

/** RFC 3339 in UTC. */
export const instant = (atMs: number): string => new Date(atMs).toISOString();

/** True where the feature shows what a command with these parameters has written. */
export const shows = (state: DeviceState, feature: string, { value }: PlanCommand): boolean => {
  const shown = state.shown(feature);
  return isRecord(value) && Object.entries(value).every(([name, written]) => shown?.properties.get(name)?.value === written);
};

const pauseMs = (tries: number): number => Math.min(RETRY_MS * 2 ** tries, LONGEST_RETRY_MS);

/** Its end could not be moved. */
export const endFailed = (begun: KeptBegun, nowMs: number): KeptBegun => {
  const tries = begun.ending?.tries ?? 0;
  return { ...begun, ending: { tries: tries + 1, retryMs: nowMs + pauseMs(tries) } };
};

/** A write that was not carried out. */
export const failedOf = (begun: KeptBegun, nowMs: number, waitMs?: number): KeptBegun => {
  const retryMs = nowMs + (waitMs ?? pauseMs(begun.tries));
  return { ...begun, tries: begun.tries + 1, writes: begun.writes - 1, retryMs, state: 'failed' };
};

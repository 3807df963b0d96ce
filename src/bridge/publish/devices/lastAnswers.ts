import * as z from 'zod/mini';
import { schedulePropertyOf } from '../../../topics/featureState.ts';
import type { Answer } from '../../../topics/resultPayload.ts';
import { type ShownAnswer, shownAnswer } from '../../../topics/scheduleOverview.ts';
import type { KeyedStore } from '../../ports.ts';
import { type Device, type DeviceState, deviceKey, entryNamed } from '../../state/deviceState.ts';
import { keptValues } from '../../state/keptValues.ts';

/** Several clients that save at the same moment each find their answer. */
const MOST_ANSWERS = 4;
/** The answers are in a retained topic: a longer id, which no client needs, is left out. */
const LONGEST_ID = 200;

const keyOf = (device: Device, feature: string): string => `${deviceKey(device)} ${feature}`;

/** Stored answers of an earlier run, as read from disk. */
const ANSWERS = z.object({ answers: z.array(z.looseObject({})) });

/** Each schedule's last answers, newest first, kept over restarts and renames; one per write. */
export const lastAnswers = (store: KeyedStore, states: ReadonlyMap<string, Pick<DeviceState, 'device' | 'shown'>>) => {
  const byPlace = keptValues(store, ANSWERS);

  /** Answers to checks (not writes) and answers about other features are skipped. */
  const note = ({ device, feature = '', ...answer }: Answer): void => {
    const [, state] = entryNamed(states, device) ?? [];
    const shown = state?.shown(feature);
    if (answer.topic.endsWith('/validate') || !state || !shown || schedulePropertyOf(shown) === undefined) return;
    const id = typeof answer.id === 'string' && answer.id.length > LONGEST_ID ? undefined : answer.id;
    const others = of(state.device, feature).filter((other) => other['id'] !== id);
    const answers = [shownAnswer({ ...answer, id }), ...others].slice(0, MOST_ANSWERS);
    byPlace.put(keyOf(state.device, feature), { answers });
    forgetDevices();
  };

  const of = (device: Device, feature: string): readonly ShownAnswer[] => byPlace.all.get(keyOf(device, feature))?.answers ?? [];

  /** Removes the answers of devices that no longer exist. */
  const forgetDevices = (): void => {
    const known = new Set([...states.values()].map(({ device }) => deviceKey(device)));
    for (const key of byPlace.all.keys()) if (!known.has(key.slice(0, key.lastIndexOf(' ')))) byPlace.put(key, undefined);
  };

  return { note, of };
};

export type LastAnswers = ReturnType<typeof lastAnswers>;

import type { Log } from '../../../shared/log.ts';
import type { SerialQueue } from '../../../shared/serialQueue.ts';
import type { Device, DeviceState } from '../../state/deviceState.ts';
import { isChosen } from '../../state/readTarget.ts';
import { UNKNOWN } from '../answers/results.ts';
import type { WriteEvent } from '../write/step.ts';
import { effectOf, isSent, type SentWrite } from '../write/write.ts';
import type { WriteLog } from '../write/writeLog.ts';
import type { Confirmation } from './confirmation.ts';

/** Gives unsent writes of an earlier run their missing final answers, before they can end otherwise. */
export const answerUnsent = (writes: WriteLog): void => {
  for (const write of writes.all()) if (!isSent(write) && writes.isLeft(write.key)) writes.apply([write.key], { kind: 'answerAgain' });
};

/** True where the earlier run gave the final answer and no read can tell more. */
const isFinal = ({ state, outcome, kept }: SentWrite): boolean => state === 'failed' || (outcome?.status === 'applied' && !kept);

/** True for a write over a temporary one, if no read had shown it before the stop. */
const isUnseen = ({ state, over }: SentWrite): boolean => state === 'accepted' && over === true;

/**
 * Never sends writes of an earlier run again: reads tell their outcome, and writes without a result get one.
 * Until the outcome of a lost write is known, other writes to its device wait. Without `discovery` the
 * settings name the devices. Resolves when each write has its result.
 */
export const recoverWrites = async (
  writes: WriteLog,
  states: ReadonlyMap<string, DeviceState>,
  discovery: { devices(): readonly Device[] | undefined } | undefined,
  confirmation: Confirmation,
  queue: SerialQueue,
  log: Log,
): Promise<void> => {
  /** The outcome; undefined where a stop came first, and the next run has to find out. */
  const findOut = async (write: SentWrite): Promise<WriteEvent | undefined> => {
    const state = states.get(write.device);
    const { key, feature, isPossible, change } = write;
    const unknown: WriteEvent = { kind: 'unconfirmed', result: UNKNOWN };
    if (!state) return unknown;
    const result = await confirmation.recheck(state, feature, key);
    if (result.code === 'stopping') return undefined;
    if ('adapted' in result) return { kind: 'adapted', change, shows: state.features.get(feature)?.truth, result };
    const isShown = result.status === 'applied' || (!isPossible && !effectOf(write));
    return isShown ? { kind: 'confirmed', result: { status: 'applied' } } : unknown;
  };

  /** Settles a write that no read will show: its device is unknown, or the settings leave the feature out. */
  const settleForgotten = ({ key, device, feature }: SentWrite): void => {
    const known = states.get(device)?.device;
    const isForgotten = known ? !isChosen(known, feature) : discovery === undefined || discovery.devices() !== undefined;
    if (isForgotten) writes.apply([key], { kind: 'settled' });
  };

  const resolve = async (write: SentWrite): Promise<void> => {
    const { key, device, name, feature, command } = write;
    if (write.answer !== 'delivered')
      log.warn(
        { device: name, feature, command },
        'the bridge stopped before this write had its answer; the feature is read to find out the result',
      );
    const outcome = await findOut(write);
    if (!outcome) return;
    settleForgotten(write);
    writes.apply([key], outcome);
    writes.emit('endChanged', { device, feature });
  };

  const left = writes
    .all()
    .filter(isSent)
    .filter(({ key }) => writes.isLeft(key));
  const resolved = left.map(async (write) => {
    if (write.answer === 'delivered' && !isUnseen(write)) settleForgotten(write);
    else if (isFinal(write)) {
      settleForgotten(write);
      writes.apply([write.key], { kind: 'answerAgain' });
    } else if (!write.isPossible) await resolve(write);
    else {
      const end = await queue.turn(write.device);
      await resolve(write).finally(end);
    }
  });
  await Promise.all(resolved);
};

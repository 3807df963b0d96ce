import type { Log } from '../../../shared/log.ts';
import type { SerialQueue } from '../../../shared/serialQueue.ts';
import type { Device, DeviceState } from '../../state/deviceState.ts';
import { isChosen } from '../../state/readTarget.ts';
import { UNKNOWN } from '../answers/results.ts';
import type { WriteEvent } from '../write/step.ts';
import { effectOf, isSent, type SentWrite } from '../write/write.ts';
import type { WriteLog } from '../write/writeLog.ts';
import type { Confirmation } from './confirmation.ts';

/** Gives what an earlier run has not sent the final answers that the broker does not have. To be called before any of it ends otherwise. */
export const answerUnsent = (writes: WriteLog): void => {
  for (const write of writes.all()) if (!isSent(write) && writes.isLeft(write.key)) writes.apply([write.key], { kind: 'answerAgain' });
};

/** True where the earlier run has given the final answer, and no read can tell more. */
const isFinal = ({ state, outcome, kept }: SentWrite): boolean => state === 'failed' || (outcome?.status === 'applied' && !kept);

/** True for what took the place of a temporary write, where a stop came before a read could show it. */
const isUnseen = ({ state, over }: SentWrite): boolean => state === 'accepted' && over === true;

/**
 * Writes that an earlier run had sent are never sent again: the platform is asked what it shows, and those without a result get theirs.
 * While it is not known what a write without an answer did, the device's other writes wait. Without `discovery` the settings name the
 * devices. The function resolves when each write has its result.
 */
export const recoverWrites = async (
  writes: WriteLog,
  states: ReadonlyMap<string, DeviceState>,
  discovery: { devices(): readonly Device[] | undefined } | undefined,
  confirmation: Confirmation,
  queue: SerialQueue,
  log: Log,
): Promise<void> => {
  /** What became of it; undefined where the next run has to find out, after a stop. */
  const findOut = async (write: SentWrite): Promise<WriteEvent | undefined> => {
    const state = states.get(write.device);
    const { feature, before = [], isPossible, adapted = false, change } = write;
    const unknown: WriteEvent = { kind: 'unconfirmed', result: UNKNOWN };
    if (!state) return unknown;
    const effect = effectOf(write);
    const result = await confirmation.recheck({ state, feature, effect, before, adapted, accepted: !isPossible });
    if (result.code === 'stopping') return undefined;
    if ('adapted' in result) return { kind: 'adapted', change, shows: state.features.get(feature)?.truth, result };
    const isShown = result.status === 'applied' || (!isPossible && effect === undefined);
    return isShown ? { kind: 'confirmed', result: { status: 'applied' } } : unknown;
  };

  /** No read will show the feature any more where the device is not known now, or the settings leave the feature out. */
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
        'the bridge ended before this write had its answer; the platform is asked what it shows',
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

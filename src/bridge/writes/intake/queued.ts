import type { Clock } from '../../../shared/clock.ts';
import { deviceKey } from '../../state/deviceState.ts';
import type { CommandRequest, ReplyAddress } from '../request/commandRequest.ts';
import type { WriteLog } from '../write/writeLog.ts';

/**
 * Keeps a command that was taken until it has its answer or a row as a write that is sent. The broker has its acknowledgement, so nobody sends
 * it again: what still waits in the next turn of the loop, before the acknowledgement leaves, is on disk, and answered by the next run.
 */
export const followQueued = <T extends Pick<CommandRequest, 'replyTo' | 'source' | 'id' | 'by' | 'target'>>(
  writes: Pick<WriteLog, 'add' | 'apply'>,
  clock: Clock,
  request: T,
): T => {
  const { replyTo, source: topic, id, by, target } = request;
  const { feature } = target;
  const state = 'state' in target ? target.state : undefined;
  if (!state || feature === undefined) return request;
  let key: number | undefined;
  let isOpen = true;
  const end = (): void => {
    isOpen = false;
    if (key !== undefined) writes.apply([key], { kind: 'joined' });
    key = undefined;
  };
  setImmediate(() => {
    if (!isOpen) return;
    const { device } = state;
    const row = { at: clock.now(), device: deviceKey(device), feature, state: 'queued', name: device.name, topic, id, by } as const;
    key = writes.add((next) => ({ ...row, key: next }), undefined);
  });
  const following: ReplyAddress = {
    deliver: (to, result, onDelivered) => {
      // What is accepted or waits for other values has a row of its own, and an answer at once is on its way.
      if (key === undefined || result.status === 'accepted' || result.status === 'waiting') end();
      replyTo.deliver(to, result, () => {
        end();
        onDelivered?.();
      });
    },
    stored: end,
  };
  return { ...request, replyTo: following };
};

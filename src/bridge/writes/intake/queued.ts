import type { Clock } from '../../../shared/clock.ts';
import { deviceKey } from '../../state/deviceState.ts';
import type { CommandRequest, Queued } from '../request/commandRequest.ts';
import type { NoTarget, Target } from '../request/commandTarget.ts';
import type { WriteLog } from '../write/writeLog.ts';

/**
 * Keeps a taken command until it has an answer or a row as a sent write. The broker has its acknowledgement,
 * so no client sends it again. A command that still waits in the next turn of the event loop, before the
 * acknowledgement leaves, is stored, and the next run answers it.
 */
export const keepQueued = (
  writes: Pick<WriteLog, 'add' | 'apply'>,
  clock: Clock,
  { source: topic, id, by, target }: Pick<CommandRequest, 'source' | 'id' | 'by'> & { readonly target: Target | NoTarget },
): Queued | undefined => {
  const { feature } = target;
  const state = 'state' in target ? target.state : undefined;
  if (!state || feature === undefined) return undefined;
  let key: number | undefined;
  let isOpen = true;
  setImmediate(() => {
    if (!isOpen) return;
    const { device } = state;
    const row = { at: clock.now(), device: deviceKey(device), feature, state: 'queued', name: device.name, topic, id, by } as const;
    key = writes.add(row, undefined);
  });
  return {
    answered: (result) => {
      // An immediate answer is on its way, so no row is needed.
      isOpen = false;
      if (key !== undefined) writes.apply([key], { kind: 'answered', result });
    },
    end: () => {
      isOpen = false;
      if (key !== undefined) writes.apply([key], { kind: 'joined' });
      key = undefined;
    },
  };
};

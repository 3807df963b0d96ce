import type { Clock } from '../../../shared/clock.ts';
import type { WriteStore } from '../../ports.ts';
import type { WriteLog } from '../write/writeLog.ts';
import { type Charges, surplusCharge } from './surplusCharge.ts';
import { scheduleUndo } from './undo.ts';

/** What the topics do that stand for no command of the platform. */
export const pressesOf = (writes: WriteLog, store: Pick<WriteStore, 'newest'>, clock: Pick<Clock, 'now'>, sent: Charges) => ({
  undo: scheduleUndo(writes, store, clock),
  surplus: surplusCharge(sent, clock),
});

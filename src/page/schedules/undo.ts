import { dismiss, send } from '../state/writes.ts';

/** Has the bridge take back its last change of a schedule. */
export const undoLast = (topic: string): void => {
  // The outcome of the change says nothing any more.
  dismiss(`${topic}/set`);
  void send(`${topic}/undo/set`, 'x');
};

import { dismiss, send } from '../state/writes.ts';

/** Makes the bridge undo its last change of a schedule. */
export const undoLast = (topic: string): void => {
  // The outcome of the undone change is obsolete.
  dismiss(`${topic}/set`);
  void send(`${topic}/undo/set`, 'x');
};

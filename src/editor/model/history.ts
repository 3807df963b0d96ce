/** States for undo and redo. */
export type History<T> = { readonly past: readonly T[]; readonly present: T; readonly future: readonly T[] };

const MOST_STEPS = 200;

export const historyOf = <T>(present: T): History<T> => ({ past: [], present, future: [] });

/** Adds a new state and drops the redo states. */
export const step = <T>({ past, present }: History<T>, next: T): History<T> => ({
  past: [...past, present].slice(-MOST_STEPS),
  present: next,
  future: [],
});

/** Replaces the present state within the same undo step. */
export const amend = <T>({ past }: History<T>, next: T): History<T> => ({ past, present: next, future: [] });

export const undo = <T>(history: History<T>): History<T> => {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  return { past: history.past.slice(0, -1), present: before, future: [history.present, ...history.future] };
};

export const redo = <T>(history: History<T>): History<T> => {
  const [after, ...future] = history.future;
  return after === undefined ? history : { past: [...history.past, history.present], present: after, future };
};

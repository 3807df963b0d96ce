import type { Constraints } from '../schedule/constraints.ts';
import type { Day, Week } from '../schedule/week.ts';
import type { Issue } from '../shared/issue.ts';

/** Light or dark, or what the browser prefers. */
export type Theme = 'auto' | 'light' | 'dark';

/** The present local time of the schedule, and its mode. Without `date` (`2026-11-22`) no end can be given as a day. */
export type Now = { readonly day: Day; readonly minutes: number; readonly mode?: string; readonly date?: string };

/** A named week, or some days of it. */
export type NamedWeek = { readonly name: string; readonly week: Partial<Week> };

/** Another schedule, which the week can be copied to. */
export type Target = { readonly id: string; readonly label: string; readonly constraints: Constraints };

/** What became of the last save: a result as the bridge publishes it (docs/errors.md), or `sent`. Paths of `errors` name the day (`/value/mon/1/end`). */
export type Answer = {
  readonly status: string;
  readonly message?: string;
  readonly code?: string;
  /** When it ends, in the local time of the schedule: `2026-11-28T22:00`. */
  readonly until?: string | undefined;
  readonly errors?: readonly Issue[] | undefined;
};

/** The end of a temporary save, as the bridge reads it; for ever without one. */
export type End = { readonly until?: string; readonly for?: string };

/** The events of the element, each with its detail. */
export type EditorEvents = {
  /** The days that changed. */
  save: { readonly week: Partial<Week> } & End;
  saveprofile: { readonly name: string; readonly week: Week };
  copyto: { readonly id: string; readonly week: Week };
  /** Take back the last save. */
  undo: Record<string, never>;
};

export type Emit = <K extends keyof EditorEvents>(name: K, detail: EditorEvents[K]) => void;

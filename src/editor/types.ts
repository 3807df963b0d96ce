import type { Constraints } from '../schedule/constraints.ts';
import type { Day, Week } from '../schedule/week.ts';
import type { Issue } from '../shared/issue.ts';

/** Light, dark, or the browser's preference. */
export type Theme = 'auto' | 'light' | 'dark';

/** Local time and mode of the schedule. Without `date` (`2026-11-22`) no end day can be chosen. */
export type Now = { readonly day: Day; readonly minutes: number; readonly mode?: string; readonly date?: string };

/** A named week, complete or partial. */
export type NamedWeek = { readonly name: string; readonly week: Partial<Week> };

/** Another schedule to which the week can be copied. */
export type Target = { readonly id: string; readonly label: string; readonly constraints: Constraints };

/** Result of the last save (docs/errors.md), or `sent`. `errors` paths have the day (`/value/mon/1/end`). */
export type Answer = {
  readonly status: string;
  readonly message?: string;
  readonly code?: string;
  /** The end of the save, in the schedule's local time: `2026-11-28T22:00`. */
  readonly until?: string | undefined;
  readonly errors?: readonly Issue[] | undefined;
};

/** The end of a temporary save, in the bridge's format. Without an end the save is permanent. */
export type End = { readonly until?: string; readonly for?: string };

/** The events of the element, with their details. */
export type EditorEvents = {
  /** The changed days. */
  save: { readonly week: Partial<Week> } & End;
  saveprofile: { readonly name: string; readonly week: Week };
  copyto: { readonly id: string; readonly week: Week };
  /** Undo the last save. */
  undo: Record<string, never>;
};

export type Emit = <K extends keyof EditorEvents>(name: K, detail: EditorEvents[K]) => void;

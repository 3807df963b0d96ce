import { readJsonWeek } from '../../../src/schedule/jsonWeek.ts';
import { intrinsicIssues } from '../../../src/schedule/validateWeek.ts';
import type { Day } from '../../../src/schedule/week.ts';
import type { EntryDraft, WrittenWeek } from '../../../src/schedule/writtenWeek.ts';
import { bad, type Checked, good } from '../../../src/shared/issue.ts';

/** What was understood of a written week, day by day, or what it breaks in itself. */
export const understood = (week: WrittenWeek): Checked<ReadonlyMap<Day, readonly EntryDraft[]>> => {
  const issues = intrinsicIssues(week);
  if (issues.length > 0) return bad(...issues);
  return good(new Map([...week.days].map(([day, { drafts }]) => [day, drafts.map(({ literal: _, ...draft }) => draft)])));
};

export const readWrittenWeek = (json: unknown) => understood(readJsonWeek(json));

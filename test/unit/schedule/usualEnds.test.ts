import { test } from 'vitest';
import { usualEnds } from '../../../src/schedule/usualEnds.ts';
import type { Day } from '../../../src/schedule/week.ts';
import { expectTable } from '../../support/golden.ts';

test('the usual ends of a temporary write', () =>
  expectTable('usualEnds', 8, (day: Day, date: string | null) => usualEnds({ day, date: date ?? undefined })));

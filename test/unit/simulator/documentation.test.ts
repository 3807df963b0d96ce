import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { CONTROL_WORDS } from '../../../src/simulator/control/control.ts';
import { FAULT_KINDS } from '../../../src/simulator/control/faultKinds.ts';

const page = readFileSync(fileURLToPath(new URL('../../../docs/simulator.md', import.meta.url)), 'utf8');

/** The names in the first column of the table under this heading. */
const named = (heading: string): readonly string[] => {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(?:--)?([\w-]+)[^`]*`/g)].map(([, name]) => name ?? ''));
};

test.each<[string, readonly string[]]>([
  ['The simulated platform', Object.keys(COMMANDS['simulate']?.options ?? {})],
  ['Control', CONTROL_WORDS],
  ['Faults', Object.keys(FAULT_KINDS)],
])('the page has each of “%s” once, and no other', (heading, known) => {
  expect([...named(heading)].sort()).toEqual([...known].sort());
});

import { expect, test } from 'vitest';
import type { RetainedState } from '../../../../src/cli/schedule/retainedSchedules.ts';
import { undoSchedule } from '../../../../src/cli/schedule/setSchedule.ts';
import type { RequestClient } from '../../../../src/mqtt/requestClient.ts';

test.each([
  ['unchanged', [], 'unchanged: there is nothing to undo; nothing was sent.'],
  ['applied', [], 'applied: the device shows it.'],
  ['unchanged', ['--json'], '{"id":"ID","status":"unchanged"}'],
])('an undo that is answered %s says so%s', async (status, [json], expected) => {
  const lines: string[] = [];
  const answer = (payload: string): string => JSON.stringify({ id: JSON.parse(payload).id, status });
  const client = {
    subscribe: async () => undefined,
    request: async ({ payload }: { payload: string }, find: (topic: string, text: string) => unknown) =>
      find('b/home/result', answer(payload)),
  } as unknown as RequestClient;
  const state = {
    bridge: { isOnline: true, zones: new Map() },
    schedules: [{ device: 'home', feature: 'heating.schedule' }],
  } as unknown as RetainedState;
  const request = { kind: 'undo' as const, words: [], json: json !== undefined, timeoutMs: 1000 };
  const code = await undoSchedule(client, state, request, 'b', { out: (line) => void lines.push(line), err: () => undefined });
  expect([code, lines.at(-1)?.replace(/[\da-f-]{36}/, 'ID')]).toEqual([0, expected]);
});

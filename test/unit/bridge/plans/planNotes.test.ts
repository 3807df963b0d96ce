import { expect, test } from 'vitest';
import { answeredOf, type KeptBegun } from '../../../../src/bridge/plans/planNotes.ts';

const begun = (state: KeptBegun['state']): KeptBegun => ({
  ...{ owner: 'calendar', beginMs: 0, command: { value: 'away' }, reason: 'Away', untils: [9], askedMs: 1 },
  ...{ writes: 1, tries: 3, state },
});

test.each([
  ['accepted', 'asked', { status: 'accepted', until: '' }, false, { state: 'written', writes: 1, tries: 3 }],
  ['accepted by a device that ends it', 'asked', { status: 'accepted' }, false, { state: 'deviceEnds', writes: 1, tries: 3 }],
  ['shown', 'written', { status: 'applied', until: '' }, true, { state: 'written', writes: 1, tries: 0 }],
  ['not confirmed as no call was left', 'written', { status: 'unconfirmed', code: 'no_quota' }, true, { state: 'written', writes: 1 }],
  ['ignored', 'written', { status: 'unconfirmed', code: 'not_shown' }, true, { state: 'failed', writes: 0, tries: 4 }],
  ['ignored, and is ended meanwhile', 'ended', { status: 'unconfirmed', code: 'not_shown' }, true, { state: 'ended', writes: 1 }],
  ['refused', 'asked', { status: 'failed' }, false, { state: 'failed', writes: 0, tries: 4 }],
  ['there already', 'asked', { status: 'unchanged' }, false, { state: 'unchanged', writes: 0 }],
  [
    'there by an earlier write of the same event, which shows late',
    'asked',
    { status: 'unchanged' },
    true,
    { state: 'written', writes: 0 },
  ],
] as const)('a write of a plan that is %s', (_, state, answer, isInForce, after) => {
  expect(answeredOf(begun(state), answer as Parameters<typeof answeredOf>[1], isInForce, 0)).toMatchObject(after);
});

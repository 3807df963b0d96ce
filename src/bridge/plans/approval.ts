import { EventEmitter } from 'node:events';
import * as z from 'zod/mini';
import type { Log } from '../../shared/log.ts';
import { sha1 } from '../../shared/message.ts';
import { readEnveloped } from '../../topics/commandPayload.ts';
import type { KeyedStore } from '../ports.ts';
import { rejected } from '../writes/answers/results.ts';
import type { CommandResult } from '../writes/request/commandRequest.ts';

const APPROVED = z.object({ key: z.string() });

/** What a person approves, with the texts of the answers. */
const TEXTS = {
  calendar: {
    nothing: ['no_rules', 'the setting calendar.rules has no rules'],
    on: ['calendar_on', 'the calendar is on'],
    off: ['calendar_off', 'the calendar is off; the values that it changed are restored now'],
    notOn: ['calendar_not_on', 'the calendar was not on; nothing changes'],
  },
  seasons: {
    nothing: ['no_seasons', 'the setting schedules.seasons names no schedules'],
    on: ['seasons_on', 'the seasons are on'],
    off: ['seasons_off', 'the seasons are off; no week is sent'],
    notOn: ['seasons_not_on', 'the seasons were not on; nothing changes'],
  },
} as const;

/**
 * The approval of a preview by a person, kept over restarts. `approvable`: what belongs to it; a change needs
 * a new approval. Empty: nothing can be approved.
 */
export const approvalOf = (what: keyof typeof TEXTS, approvable: readonly unknown[], store: KeyedStore, log: Pick<Log, 'warn'>) => {
  const events = new EventEmitter<{ changed: [] }>();
  const storeKey = `approved ${what}`;
  const texts = TEXTS[what];
  const isConfigured = approvable.length > 0;
  // A start need not spend time on what nothing uses.
  const key = isConfigured ? sha1(JSON.stringify(approvable), 'hex').slice(0, 8) : '';
  let approved = isConfigured ? APPROVED.safeParse(store.read().get(storeKey)).data?.key : undefined;

  const isOn = (): boolean => isConfigured && approved === key;

  if (isConfigured && approved !== undefined && !isOn())
    log.warn({ topic: `bridge/${what}` }, 'the settings differ from what was approved; nothing is sent until they are approved again');

  const set = (wanted: string | undefined): void => {
    approved = wanted;
    store.write(storeKey, wanted === undefined ? undefined : { key: wanted });
    events.emit('changed');
  };

  /** Takes the key of the preview, by which a person approves it, or `off`. */
  const approve = (text: string): CommandResult => {
    const json = readEnveloped(text);
    const value = json.ok ? json.value.value : undefined;
    // JSON reads a key such as 12345e67 as a number.
    const isWanted = (word: string): boolean => text.trim() === word || (typeof value !== 'object' && String(value) === word);
    if (!isConfigured) return rejected('forbidden', texts.nothing[1], { about: texts.nothing[0] });
    if (isWanted('off')) {
      const status = approved === undefined ? 'unchanged' : 'applied';
      const [about, message] = isOn() ? texts.off : texts.notOn;
      set(undefined);
      return { status, message, facts: { about } };
    }
    if (!isWanted(key))
      return rejected('conflict', 'this key does not belong to the current preview; read the preview again', { about: 'other_preview' });
    const status = isOn() ? 'unchanged' : 'applied';
    set(key);
    return { status, message: texts.on[1], facts: { about: texts.on[0] } };
  };

  /** The members of a report that say whether it is approved, and by which key it can be. */
  const report = () => ({ state: isOn() ? 'on' : approved === undefined ? 'off' : 'changed', key }) as const;

  return Object.assign(events, { isConfigured, isOn, approve, report });
};

export type Approval = ReturnType<typeof approvalOf>;

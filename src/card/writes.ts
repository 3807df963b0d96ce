import { LATE_MS, newId } from '../api/write.ts';
import type { Answer, End } from '../editor/types.ts';
import type { CardWords } from '../language/card/cardWords.ts';
import type { Week } from '../schedule/week.ts';
import type { Issue } from '../shared/issue.ts';
import { isRecord } from '../shared/json.ts';
import { type Hass, isForbidden } from './hass.ts';
import { type GivenAnswer, textIn } from './overview.ts';

/** A write to the week of an entity, and its status. */
export type Write = { readonly id: string; readonly answer: Answer };

const UNDER_WAY: ReadonlySet<string> = new Set(['sending', 'sent', 'accepted']);

const isIssue = (value: unknown): value is Issue =>
  isRecord(value) && typeof value['path'] === 'string' && typeof value['rule'] === 'string' && typeof value['message'] === 'string';

/** The maximum length of a Home Assistant text, in characters. */
const LONGEST = 255;
/** `part 12/34 0123456789ab: ` */
const PREFIX = 26;

/** The payload of a write (docs/topics.md). The bridge rejects it if the week is no longer at `rev`. */
export const payloadOf = (id: string, rev: string, week: Partial<Week>, end: End): string =>
  JSON.stringify({ value: week, id, if_rev: rev, ...end });

/** Splits a payload into texts that fit into Home Assistant: one, or several parts. */
export const textsOf = (payload: string, id: string): readonly string[] => {
  const characters = [...payload];
  if (characters.length <= LONGEST) return [payload];
  const size = LONGEST - PREFIX;
  const count = Math.ceil(characters.length / size);
  return Array.from(
    { length: count },
    (_, index) => `part ${index + 1}/${count} ${id}: ${characters.slice(index * size, (index + 1) * size).join('')}`,
  );
};

/** Converts an answer of the bridge for the editor. */
export const answerOf = (given: GivenAnswer, words: CardWords): Answer => {
  const status = textIn(given['status']) ?? 'failed';
  const [code = '', message, until] = [textIn(given['code']), textIn(given['message']), textIn(given['until'])];
  const errors = Array.isArray(given['errors']) ? given['errors'].filter(isIssue) : [];
  const known = Object.hasOwn(words.codes, code) ? words.codes[code] : undefined;
  const reason = code === 'conflict' ? words.conflict : (known ?? message);
  const isRefused = status === 'rejected' || status === 'failed';
  return {
    status,
    ...(code === '' ? {} : { code }),
    ...(until === undefined ? {} : { until }),
    // The editor has its own sentence for each broken rule.
    ...(errors.length > 0 ? { errors } : isRefused && reason !== undefined ? { message: reason } : {}),
  };
};

/** Why Home Assistant did not call its service. A lost connection rejects with a number: result unknown. */
const refusalOf = (cause: unknown, words: CardWords): Answer => {
  if (typeof cause === 'number') return { status: 'unconfirmed' };
  const { code, message } = isRecord(cause) ? cause : { code: undefined, message: String(cause) };
  return { status: 'rejected', message: isForbidden(cause) ? words.notAllowed : words.refusedHere(textIn(message) ?? textIn(code) ?? '?') };
};

/** The last write to each entity. Independent of the page. */
export class Writes {
  readonly #last = new Map<string, Write>();
  readonly #changed: (entity: string) => void;

  /** `changed` is called on every status change of a write to an entity. */
  constructor(changed: (entity: string) => void) {
    this.#changed = changed;
  }

  /** All entities with a write. */
  get entities(): readonly string[] {
    return [...this.#last.keys()];
  }

  of(entity: string): Write | undefined {
    return this.#last.get(entity);
  }

  /** Sends days of a week to an entity with Home Assistant's `text.set_value` service. Never rejects. */
  async send(hass: Hass, words: CardWords, entity: string, rev: string, week: Partial<Week>, end: End = {}): Promise<void> {
    const id = newId();
    this.#put(entity, { id, answer: { status: 'sending' } });
    setTimeout(() => this.#advance(entity, id, { status: 'unconfirmed' }), LATE_MS);
    try {
      // In sequence: after a refusal the remaining parts are not sent.
      for (const value of textsOf(payloadOf(id, rev, week, end), id))
        await hass.callService('text', 'set_value', { value }, { entity_id: entity }, false);
      if (this.of(entity)?.answer.status === 'sending') this.#advance(entity, id, { status: 'sent' });
    } catch (cause) {
      this.#advance(entity, id, refusalOf(cause, words));
    }
  }

  /** Reads the answer to the last write from the attributes of an entity. */
  take(entity: string, answers: readonly GivenAnswer[], words: CardWords): void {
    const write = this.of(entity);
    const given = write && UNDER_WAY.has(write.answer.status) && answers.find(({ id }) => id === write.id);
    if (!given) return;
    const answer = answerOf(given, words);
    if (answer.status !== write.answer.status) this.#put(entity, { id: write.id, answer });
  }

  #advance(entity: string, id: string, answer: Answer): void {
    const write = this.of(entity);
    if (write?.id === id && UNDER_WAY.has(write.answer.status)) this.#put(entity, { id, answer });
  }

  #put(entity: string, write: Write): void {
    this.#last.set(entity, write);
    this.#changed(entity);
  }
}

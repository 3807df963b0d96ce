import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Language } from '../../../src/language/language.ts';
import { expectGolden } from '../../support/golden.ts';
import { MINUTE_MS, SECOND_MS, type WiredSystem, wiredSystem } from '../../support/system/virtualSystem.ts';

const START_MS = Date.parse('2026-11-21T06:00:00Z');
const DEVICE = 'heating2mqtt/home';
const SCHEDULE = `${DEVICE}/heating/circuits/0/heating/schedule`;
const CURVE = `${DEVICE}/heating/circuits/0/heating/curve`;
const MODE = `${DEVICE}/heating/circuits/0/operating/modes/active`;
const WATER = `${DEVICE}/heating/dhw/temperature/main`;
const LONGEST = 160;

const day = (start: string): readonly object[] => [{ start, end: '22:00', mode: 'normal' }];
const json = (value: unknown, id: string, envelope: object = {}): string => JSON.stringify({ value, id, ...envelope });

const SENTENCE = /"(?:message|reason)":"(?:[^"\\\\]|\\\\.)*"/g;
/** A payload without its sentences and the memory in use; of a long one its beginning and a digest. */
const shown = (payload: string): string => {
  const text = payload.replace(SENTENCE, (match) => `${match.slice(0, match.indexOf(':'))}:…`).replace(/"memory":\d+/, '"memory":…');
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
};

class Recording {
  readonly lines: string[] = [];
  readonly sentences: string[] = [];
  readonly #system: WiredSystem;
  #calls = 0;

  constructor(system: WiredSystem) {
    this.#system = system;
  }

  /** Does something, lets time pass, and writes down what was published and how often the platform was called. */
  async step(name: string, act: () => void | Promise<void>, passMs: number): Promise<void> {
    this.#system.forget();
    await act();
    await this.#system.time.pass(passMs);
    const calls = this.#system.calls();
    this.lines.push('', `# ${name}`);
    for (const { method, path: called } of calls.slice(this.#calls)) this.lines.push(`${method} ${called.replace(/^\/iot\/v\d/, '')}`);
    this.#calls = calls.length;
    for (const { topic, payload, retain } of this.#system.messages) {
      this.lines.push(`${retain ? 'r' : '-'} ${topic} ${shown(payload)}`);
      for (const [sentence] of payload.matchAll(SENTENCE)) if (!this.sentences.includes(sentence)) this.sentences.push(sentence);
    }
  }

  send(topic: string, payload: string): Promise<void> {
    return this.step(`${topic} ${payload}`, () => this.#system.send(topic, payload), 10 * SECOND_MS);
  }
}

/** A day of a whole bridge in virtual time, line by line, and the sentences in it. */
const recorded = async (language: Language): Promise<Recording> => {
  const device = { name: 'home', installation: '111222', gateway: '7571381699991111', device: '0', features: ['*'], exclude: [] };
  const system = await wiredSystem({ startMs: START_MS, poll: { jitter: 0, seconds: 600 }, read: 'device', devices: [device], language });
  const record = new Recording(system);
  await record.step('start', () => system.start(), MINUTE_MS);
  await record.send(`${SCHEDULE}/set`, json({ mon: day('07:00') }, 'json day'));
  await record.send(`${SCHEDULE}/set`, 'tue: 05:00-08:00 normal');
  await record.send(`${SCHEDULE}/set`, json({ tue: [{ start: '05:00', end: '08:00', mode: 'normal' }] }, 'unchanged'));
  await record.send(`${SCHEDULE}/wed/set`, '06:00-09:00 comfort');
  await record.send(`${SCHEDULE}/set`, json({ monday: [] }, 'unknown day'));
  await record.send(`${SCHEDULE}/set`, json({ mon: [{ start: '06:05', end: '07:00', mode: 'warm' }] }, 'wrong'));
  await record.send(`${SCHEDULE}/set`, json({ mon: [] }, 'conflict', { if_rev: '00000000' }));
  await record.send(`${SCHEDULE}/validate`, json({ mon: day('09:00') }, 'valid'));
  await record.send(`${SCHEDULE}/set`, json({ thu: [] }, 'temporary', { for: '15m' }));
  await record.send(`${SCHEDULE}/until/set`, json('2026-11-21T06:30:00Z', 'moved'));
  await record.send(`${SCHEDULE}/undo/set`, json(null, 'undo'));
  await record.send(`${CURVE}/slope/set`, '1.2');
  await record.send(`${CURVE}/shift/set`, '99');
  await record.send(`${MODE}/set`, 'dhw');
  await record.send(`${WATER}/set`, json(50, 'water'));
  await record.send(`${WATER}/call/setTargetTemperature`, json({ temperature: 48 }, 'call'));
  await record.send(`${DEVICE}/climate/0/mode/set`, 'heat');
  await record.send(`${DEVICE}/climate/0/target/set`, '21.3');
  await record.send(`${DEVICE}/no/such/set`, '1');
  await record.send('heating2mqtt/nobody/heating/circuits/0/name/set', 'a');
  await record.send(`${SCHEDULE}/set`, '');
  await record.send('heating2mqtt/bridge/poll/set', 'home');
  await record.step('the end of the temporary write', () => undefined, 30 * MINUTE_MS);
  await record.send('heating2mqtt/bridge/republish/set', 'now');
  await record.step('stop', () => system.stop(), 0);
  await record.step('start again', () => system.start(), 20 * MINUTE_MS);
  return record;
};

const textOf = (lines: readonly string[]): string => `${lines.join('\n').trim()}\n`;

/**
 * `behaviour.txt`: topics, payloads, ids, codes, their order, and the calls of the platform, of a whole bridge in virtual time. A line that
 * changes is a change for users. `sentences.txt`: what answers and reports say in words, which may change in a commit of its own.
 */
test('what users build on stays as it is', async () => {
  const { lines, sentences } = await recorded('en');
  expectGolden('behaviour.txt', textOf(lines));
  expectGolden('sentences.txt', textOf(sentences));
});

test('in German the sentences are others, the names and states in the documents too, and nothing else', async () => {
  const [english, german] = [await recorded('en'), await recorded('de')];
  const besidesDocuments = ({ lines }: Recording): readonly string[] => lines.filter((line) => !line.startsWith('r homeassistant/'));
  expect(besidesDocuments(german)).toEqual(besidesDocuments(english));
  expectGolden('sentences-de.txt', textOf(german.sentences));
  expect(german.sentences.filter((sentence) => english.sentences.includes(sentence))).toEqual([]);
  expect(german.sentences.filter((sentence) => /(?<![„.])\b(?:the|is|are|not|with|has|no)\b/.test(sentence))).toEqual([]);
});

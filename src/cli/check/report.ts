import type { Facts } from '../../api/answers.ts';
import { printable } from '../../shared/log.ts';
import type { CheckCode } from '../../web/setup/services.ts';
import type { Io } from '../terminal/io.ts';
import { hasColour, paint, type Style, wrapText } from '../terminal/terminalText.ts';

/** `ok`: works. `note`: ends by itself, is not tested, or could be clearer. `FAIL`: a person must act. */
export type Mark = 'ok' | 'note' | 'FAIL';

/** The code and facts of a sentence, for translation. */
export type MessageDescriptor = { readonly code: string; readonly facts?: Facts };

export const descriptor = (code: CheckCode, facts: Facts = {}): MessageDescriptor => ({ code, facts });

/** A sentence with its code and facts. */
export type Line = readonly [sentence: string, descriptor: MessageDescriptor];

/** Receives the result of one test; returns false for a failure. */
export type Report = (mark: Mark, what: string, sentence: string, descriptor?: MessageDescriptor) => boolean;

export const markOf = (isGood: boolean): Mark => (isGood ? 'ok' : 'FAIL');

const SIGNS: Readonly<Record<Mark, readonly [style: Style, sign: string]>> = {
  ok: ['green', '✓'],
  note: ['yellow', '!'],
  FAIL: ['red', '✗'],
};

/** Prints each result as a line, which is wrapped on a terminal. */
export const printReport =
  (io: Pick<Io, 'env' | 'out' | 'isTTY'>): Report =>
  (mark, what, sentence) => {
    const [style, sign] = SIGNS[mark];
    const line = printable(`${what}: ${sentence}`);
    const onTerminal = (): string => paint(style, sign, hasColour(io)) + wrapText(line, `${sign} `).join('\n').slice(sign.length);
    io.out(io.isTTY ? onTerminal() : `${mark.padEnd(4)} ${line}`);
    return mark !== 'FAIL';
  };

import * as z from 'zod/mini';
import { type Answer, API_JSON } from '../http/answer.ts';
import type { JsonObject } from '../http/json.ts';
import { FAULT_KINDS } from './faultKinds.ts';

/**
 * Where the connection ends: before execution; after the headers; in the body; after execution, unanswered.
 * `stall` sends half of the body and keeps the connection open.
 */
const CUTS = ['before', 'headers', 'middle', 'stall', 'after_effect'] as const;

const number = (least: number, most: number = Number.MAX_SAFE_INTEGER) => {
  const wanted = `must be a number from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}`;
  return z.number(wanted).check(z.minimum(least, wanted), z.maximum(most, wanted));
};
const isRegExp = (text: string): boolean => {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
};
const SWITCH = z._default(z.boolean('must be true or false'), false);
const VALUE = z.string('must be a text').check(z.regex(/^[\t\x20-\x7e]*$/, 'is not allowed'));
const FIELDS = {
  ...{ command: z.unknown(), kind: z.optional(z.unknown()), limitReset: z.optional(z.unknown()) },
  match: z._default(
    z.object({
      method: z.optional(z.string('must be a text')),
      path: z.optional(z.string('must be a text').check(z.refine(isRegExp, 'must be a regular expression'))),
    }),
    {},
  ),
  times: z._default(number(1), Number.MAX_SAFE_INTEGER),
  // The answer itself.
  status: z.optional(number(200, 599)),
  body: z.optional(z.unknown()),
  headers: z.optional(z.record(z.string().check(z.regex(/^[\w-]+$/, 'is not allowed')), VALUE)),
  contentType: z.optional(VALUE),
  // The delivery of the answer: times in ms; `padBytes`: the minimum body size, filled with spaces.
  ...{ delayMs: z._default(number(0), 0), hang: SWITCH, cut: z.optional(z.enum(CUTS, `must be one of ${CUTS.join(', ')}`)) },
  ...{ slowMsPerByte: z._default(number(0), 0), padBytes: z._default(number(0, 64 * 1024 * 1024), 0), execute: SWITCH },
};
const COMMAND = z.object(FIELDS);

type Fields = z.infer<typeof COMMAND>;

/** The delivery of an answer. */
export type Delivery = Pick<Fields, 'delayMs' | 'hang' | 'cut' | 'slowMsPerByte' | 'padBytes'>;

/** One active fault. Without `answer`, the platform's answer is delivered with the fault's delivery. */
export type Fault = Delivery & Pick<Fields, 'execute' | 'match'> & { readonly id: number; readonly answer: Answer | undefined };

const answerOf = ({ status, body, headers, contentType = API_JSON }: Fields): Answer | undefined => {
  if (status === undefined && body === undefined) return undefined;
  const all = Object.entries({ 'content-type': contentType, ...headers });
  return {
    status: status ?? 200,
    headers: Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), value])),
    body: typeof body === 'string' ? body : JSON.stringify(body ?? {}),
  };
};

const expand = (command: JsonObject, now: number): JsonObject => {
  const stranger = Object.keys(command).find((name) => !Object.hasOwn(FIELDS, name));
  if (stranger !== undefined) throw new Error(`A fault has no ${stranger}; it has ${Object.keys(FIELDS).join(', ')}.`);
  const { kind } = command;
  if (kind === undefined) return command;
  const known = typeof kind === 'string' && Object.hasOwn(FAULT_KINDS, kind) ? FAULT_KINDS[kind] : undefined;
  if (!known) throw new Error(`kind must be one of ${Object.keys(FAULT_KINDS).join(', ')}.`);
  return { ...known(command, now), ...command };
};

/** Parses a `fault` command; throws an Error for an invalid one. */
const readFault = (command: JsonObject, now: number): Fields => {
  const { data, error } = COMMAND.safeParse(expand(command, now));
  const [issue] = error?.issues ?? [];
  if (!data) throw new Error(`${issue?.path.join('.')} ${issue?.message}.`);
  return data;
};

/** The active faults, oldest first; each request gets at most one. */
export class Faults {
  #faults: { readonly fault: Fault; left: number }[] = [];
  #lastId = 0;

  /** Activates a fault and returns its id. Throws an Error for an invalid command. */
  add(command: JsonObject, now: number): number {
    const fields = readFault(command, now);
    this.#lastId++;
    const execute = fields.execute || fields.cut === 'after_effect';
    this.#faults.push({ fault: { ...fields, id: this.#lastId, answer: answerOf(fields), execute }, left: fields.times });
    return this.#lastId;
  }

  /** The fault for this request; counts one use of it. `path` with its query. */
  take(method: string, path: string): Fault | undefined {
    const fits = ({ match }: Fault): boolean =>
      (match.method ?? method).toUpperCase() === method && (match.path === undefined || new RegExp(match.path).test(path));
    const met = this.#faults.find(({ fault }) => fits(fault));
    if (!met) return undefined;
    met.left--;
    if (met.left <= 0) this.#faults = this.#faults.filter((other) => other !== met);
    return met.fault;
  }

  /** Removes one fault, or all; returns the number removed. */
  clear(id?: number): number {
    const before = this.#faults.length;
    this.#faults = id === undefined ? [] : this.#faults.filter(({ fault }) => fault.id !== id);
    return before - this.#faults.length;
  }
}

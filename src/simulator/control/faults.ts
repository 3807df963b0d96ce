import { type Answer, API_JSON } from '../http/answer.ts';
import { isObject, type Json, type JsonObject } from '../http/json.ts';
import { FAULT_KINDS } from './faultKinds.ts';

const CUTS = ['before', 'headers', 'middle', 'stall', 'after_effect'] as const;

/** Where the connection is destroyed: before the request is executed; after the headers; in the middle of the body; after the effect, without an answer. `stall` sends half of the body and leaves the connection open. */
type Cut = (typeof CUTS)[number];

/** How an answer is delivered. Times in milliseconds; `padBytes` is the least size of the body, filled with spaces. */
export type Delivery = {
  readonly delayMs: number;
  readonly hang: boolean;
  readonly cut: Cut | undefined;
  readonly slowMsPerByte: number;
  readonly padBytes: number;
};

/** One active fault. Without an `answer` the answer of the platform is delivered as the fault describes. */
export type Fault = Delivery & {
  readonly id: number;
  readonly method: string | undefined;
  readonly path: RegExp | undefined;
  readonly answer: Answer | undefined;
  readonly execute: boolean;
};

const OF_ANSWER = ['status', 'body', 'headers', 'contentType'];
const OF_DELIVERY = ['delayMs', 'hang', 'cut', 'slowMsPerByte', 'padBytes', 'execute'];
const FIELDS: readonly string[] = ['command', 'kind', 'match', 'times', ...OF_ANSWER, ...OF_DELIVERY, 'limitReset'];

const numberOf = (value: Json | undefined, name: string, least: number): number | undefined => {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || value < least) throw new Error(`${name} must be a number from ${least}.`);
  return value;
};

const LARGEST_PADDING = 64 * 1024 * 1024;

const padding = (value: Json | undefined): number => {
  const bytes = numberOf(value, 'padBytes', 0) ?? 0;
  if (bytes > LARGEST_PADDING) throw new Error(`padBytes must be at most ${LARGEST_PADDING}.`);
  return bytes;
};

const readAnswer = (fields: JsonObject): Answer | undefined => {
  const { body, contentType, headers } = fields;
  const status = numberOf(fields.status, 'status', 200);
  if (status === undefined && body === undefined) {
    if (headers !== undefined || contentType !== undefined) throw new Error('headers and contentType need a status or a body.');
    return undefined;
  }
  if (status !== undefined && (!Number.isInteger(status) || status > 599))
    throw new Error('status must be a whole number from 200 to 599.');
  const all = Object.entries({ 'content-type': contentType ?? API_JSON, ...(isObject(headers) ? headers : {}) });
  const impossible = all.find(([name, value]) => !/^[\w-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(String(value)));
  if (impossible) throw new Error(`headers holds an impossible one: ${impossible[0]}.`);
  return {
    status: status ?? 200,
    headers: Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), String(value)])),
    body: typeof body === 'string' ? body : JSON.stringify(body ?? {}),
  };
};

const readPath = (path: Json | undefined): RegExp | undefined => {
  if (path === undefined) return undefined;
  try {
    return new RegExp(String(path));
  } catch (cause) {
    throw new Error('match.path must be a regular expression.', { cause });
  }
};

const expand = (command: JsonObject, now: number): JsonObject => {
  const stranger = Object.keys(command).find((name) => !FIELDS.includes(name));
  if (stranger !== undefined) throw new Error(`A fault has no ${stranger}; it has ${FIELDS.join(', ')}.`);
  const { kind } = command;
  if (kind === undefined) return command;
  const known = typeof kind === 'string' && Object.hasOwn(FAULT_KINDS, kind) ? FAULT_KINDS[kind] : undefined;
  if (!known) throw new Error(`kind must be one of ${Object.keys(FAULT_KINDS).join(', ')}.`);
  return { ...known(command, now), ...command };
};

/** Reads a `fault` command; throws an Error that says what is wrong with it. */
const readFault = (command: JsonObject, id: number, now: number): Fault => {
  const fields = expand(command, now);
  const match = isObject(fields.match) ? fields.match : {};
  const cut = CUTS.find((known) => known === fields.cut);
  if (fields.cut !== undefined && cut === undefined) throw new Error(`cut must be one of ${CUTS.join(', ')}.`);
  return {
    id,
    method: typeof match.method === 'string' ? match.method.toUpperCase() : undefined,
    path: readPath(match.path),
    answer: readAnswer(fields),
    execute: fields.execute === true || cut === 'after_effect',
    delayMs: numberOf(fields.delayMs, 'delayMs', 0) ?? 0,
    hang: fields.hang === true,
    cut,
    slowMsPerByte: numberOf(fields.slowMsPerByte, 'slowMsPerByte', 0) ?? 0,
    padBytes: padding(fields.padBytes),
  };
};

/** The active faults, the oldest first; each request gets at most one. */
export class Faults {
  #faults: { readonly fault: Fault; left: number }[] = [];
  #lastId = 0;

  /** Activates a fault and returns its id. Throws an Error that says what is wrong with the command. */
  add(command: JsonObject, now: number): number {
    const left = numberOf(command.times, 'times', 1) ?? Number.POSITIVE_INFINITY;
    this.#lastId++;
    this.#faults.push({ fault: readFault(command, this.#lastId, now), left });
    return this.#lastId;
  }

  /** The fault of this request, which is then counted as used once; `path` with its query. */
  take(method: string, path: string): Fault | undefined {
    const met = this.#faults.find(({ fault }) => (fault.method ?? method) === method && (fault.path?.test(path) ?? true));
    if (!met) return undefined;
    met.left--;
    if (met.left <= 0) this.#faults = this.#faults.filter((other) => other !== met);
    return met.fault;
  }

  /** Removes one fault, or all; returns how many. */
  clear(id?: number): number {
    const before = this.#faults.length;
    this.#faults = id === undefined ? [] : this.#faults.filter(({ fault }) => fault.id !== id);
    return before - this.#faults.length;
  }
}

import { isUtf8 } from 'node:buffer';
import type { Command, Json, Parameter } from '../features/feature.ts';
import type { WrittenEnd } from '../schedule/ending.ts';
import { nearestWords } from '../shared/closestMatch.ts';
import { bad, broken, type Checked, good, type Issue, lineColumns, listed, pointer, shown } from '../shared/issue.ts';
import { isRecord, parseJson } from '../shared/json.ts';

/** The envelope of a write (docs/topics.md); `end` comes from `until` or `for`. */
export type Envelope = { readonly id?: string | number | undefined; readonly ifRev?: string; readonly end?: WrittenEnd };
/** `at` is the JSON pointer of the value in the payload. */
export type Enveloped<T> = { readonly envelope: Envelope; readonly value: T; readonly at: string };

const ENVELOPE_KEYS: ReadonlySet<string> = new Set(['value', 'id', 'if_rev', 'until', 'for']);

const DECODER = new TextDecoder();

/** The text of a payload of at most `most` bytes, or an issue: `size`, or `utf8` with the first place. */
export const readText = (payload: Uint8Array, most: number): Checked<string> => {
  if (payload.length > most) {
    const message = `${payload.length} bytes are more than the ${most} that mqtt.max_payload allows`;
    return bad(broken('size', '', message, { got: payload.length, allowed: most }));
  }
  const text = DECODER.decode(payload);
  if (isUtf8(payload)) return good(text);
  const path = lineColumns(text)(Math.max(0, text.indexOf('�')));
  return bad(broken('utf8', path, `this is not UTF-8 text from ${path} on`));
};

/** The envelope of a command without a value (undo); `value` is optional. Other payloads have none. */
export const readPress = (text: string): Checked<Envelope> => {
  const json = parseJson(text);
  if (!json.ok || !isRecord(json.value)) return good({});
  // Some automations (flows) send null without an id.
  const { id, ...others } = json.value;
  const read = openEnvelope({ value: null, ...others, ...(id === undefined || id === null ? {} : { id }) });
  return read.ok ? good(read.value.envelope) : read;
};

/** Reads JSON with or without an envelope. */
export const readEnveloped = (text: string): Checked<Enveloped<Json>> => {
  const json = parseJson(text);
  return json.ok ? openEnvelope(json.value) : json;
};

/** An object with `value` and only envelope keys is an envelope; anything else is the value itself. */
const openEnvelope = (json: Json): Checked<Enveloped<Json>> => {
  if (!isRecord(json) || !Object.hasOwn(json, 'value') || Object.keys(json).some((key) => !ENVELOPE_KEYS.has(key))) {
    return good({ envelope: {}, value: json, at: '' });
  }
  const { id, if_rev: ifRev, value = null } = json;
  const issues: Issue[] = [];
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') {
    issues.push(broken('type', '/id', `id must be a text or a number, not ${shown(id)}`, { got: id, allowed: ['string', 'number'] }));
  }
  if (ifRev !== undefined && typeof ifRev !== 'string') {
    issues.push(broken('type', '/if_rev', `if_rev must be the rev of the record, not ${shown(ifRev)}`, { got: ifRev, allowed: 'string' }));
  }
  const end = writtenEnd(json, issues);
  if (issues.length > 0) return bad(...issues);
  return good({
    envelope: {
      ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
      ...(typeof ifRev === 'string' ? { ifRev } : {}),
      ...(end ? { end } : {}),
    },
    value,
    at: '/value',
  });
};

/** Like above, for a value that cannot have the key `value`: an issue for each mistyped envelope key. */
export const withRightKeys = (read: Checked<Enveloped<Json>>): Checked<Enveloped<Json>> => {
  if (!read.ok || read.value.at !== '' || !isRecord(read.value.value) || !Object.hasOwn(read.value.value, 'value')) return read;
  const allowed = [...ENVELOPE_KEYS].filter((key) => key !== 'value');
  const strays = Object.keys(read.value.value).filter((key) => !ENVELOPE_KEYS.has(key));
  const issues = strays.map((key) =>
    broken('unknown_key', pointer(key), `${shown(key)} is not allowed beside value; allowed are ${allowed.join(', ')}`, {
      ...{ got: key, allowed },
      nearest: nearestWords(key, allowed),
    }),
  );
  return issues.length > 0 ? bad(...listed(issues)) : read;
};

// The default of mqtt.max_payload.
const LONGEST_PARSED = 65_536;

/** The `id` of an envelope, even an invalid one. `isPress`: for a command without a value. */
export const readId = (payload: Uint8Array, isPress = false): Envelope['id'] => {
  if (payload.length > LONGEST_PARSED) return undefined;
  const text = DECODER.decode(payload);
  const json = text.includes('"id"') ? parseJson(text) : undefined;
  if (!json?.ok || !isRecord(json.value)) return undefined;
  const { id, value } = json.value;
  if (value === undefined && !isPress) return undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
};

const EXAMPLES = { until: '"2027-01-03 12:00"', for: '"2h"' } as const;

const writtenEnd = (json: Readonly<Record<string, Json>>, issues: Issue[]): WrittenEnd | undefined => {
  const [kind, other] = (['until', 'for'] as const).filter((key) => Object.hasOwn(json, key));
  if (kind === undefined) return undefined;
  const path = pointer(kind);
  const text = json[kind];
  if (other !== undefined) {
    issues.push(broken('two_ends', pointer(other), `a write has only one end; give until or for, not both`));
  } else if (typeof text !== 'string') {
    const nearest = typeof text === 'number' && kind === 'for' ? [`${text}m`, `${text}h`] : [];
    issues.push(
      broken('type', path, `${kind} must be a text such as ${EXAMPLES[kind]}, not ${shown(text)}`, {
        got: text,
        allowed: 'string',
        nearest,
      }),
    );
  } else return { kind, text, path };
  return undefined;
};

/** Reads a bare value or an envelope. Invalid JSON is text; `verbatim`: all but an envelope is text. */
export const readBare = (text: string, verbatim: boolean): Checked<Enveloped<Json>> => {
  const json = parseJson(text);
  const alone: Enveloped<Json> = { envelope: {}, value: text, at: '' };
  if (!json.ok) return !verbatim && /^\s*[{[]/u.test(text) ? json : good(alone);
  const opened = openEnvelope(json.value);
  return verbatim && opened.ok && opened.value.at === '' ? good(alone) : opened;
};

type Arguments = Readonly<Record<string, Json>>;

/** The parameters of a call. `bare`: the payload was the value of the only parameter. */
export type Called = Enveloped<Arguments> & { readonly bare: boolean };

/**
 * Reads the parameters of a call: a JSON object, or the bare value of a single parameter. A command without
 * parameters accepts any payload. A text parameter needs no quotes.
 */
export const readArguments = (command: Command, text: string): Checked<Called> => {
  const [single, ...others] = [...command.params];
  const json = parseJson(text);
  if (!json.ok) return notJson(command, text, json);
  const opened = openEnvelope(json.value);
  if (!opened.ok) return opened;
  const { envelope, value, at } = opened.value;
  if (isRecord(value) && !isBareWeek(single, value)) return good({ envelope, value, at, bare: false });
  if (!single) return good({ envelope, value: {}, at, bare: false });
  const [name, { type }] = single;
  // A text without an envelope may look like a number.
  const verbatim = type === 'string' && typeof value !== 'string' && at === '';
  if (others.length === 0) return good({ envelope, value: { [name]: verbatim ? text : value }, at, bare: true });
  return bad(broken('type', at, needsObject(command), { got: value, allowed: 'object' }));
};

const notJson = (command: Command, text: string, json: Checked<never>): Checked<Called> => {
  const [single, ...others] = [...command.params];
  if (!single) return good({ envelope: {}, value: {}, at: '', bare: false });
  const isText = others.length === 0 && single[1].type === 'string' && !text.trimStart().startsWith('{');
  return isText ? good({ envelope: {}, value: { [single[0]]: text }, at: '', bare: true }) : json;
};

const isBareWeek = (single: readonly [string, Parameter] | undefined, value: object): boolean =>
  single?.[1].type === 'Schedule' && !Object.hasOwn(value, single[0]);

const needsObject = (command: Command): string =>
  `${command.name} needs a JSON object: {${[...command.params].map(([name, { required }]) => `"${name}": …${required ? '' : ' (optional)'}`).join(', ')}}`;

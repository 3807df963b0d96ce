import { isUtf8 } from 'node:buffer';
import type { Command, Json, Parameter } from '../features/feature.ts';
import type { WrittenEnd } from '../schedule/ending.ts';
import { nearestWords } from '../shared/closestMatch.ts';
import { bad, broken, type Checked, good, type Issue, lineColumns, pointer, shown } from '../shared/issue.ts';
import { parseJson } from '../shared/json.ts';

/**
 * What surrounds a write (CONTRACT §3.3): `id` comes back in the answer, `if_rev` refuses the write when the record has another `rev`,
 * with `end` (`until` or `for`) it ends by itself.
 */
export type Envelope = { readonly id?: string | number; readonly ifRev?: string; readonly end?: WrittenEnd };
/** `at` is the JSON pointer of the value in what was sent. */
export type Enveloped<T> = { readonly envelope: Envelope; readonly value: T; readonly at: string };

const ENVELOPE_KEYS: ReadonlySet<string> = new Set(['value', 'id', 'if_rev', 'until', 'for']);

/** The text of a payload of at most `most` bytes, or what is wrong with it: too large, or where it stops being UTF-8. */
export const readText = (payload: Uint8Array, most: number): Checked<string> => {
  if (payload.length > most) {
    const message = `${payload.length} bytes are more than the ${most} that mqtt.max_payload allows`;
    return bad(broken('size', '', message, { got: payload.length, allowed: most }));
  }
  const text = new TextDecoder().decode(payload);
  if (isUtf8(payload)) return good(text);
  const path = lineColumns(text)(Math.max(0, text.indexOf('�')));
  return bad(broken('utf8', path, `this is not UTF-8 text from ${path} on`));
};

/** JSON with or without an envelope round it. */
export const readEnveloped = (text: string): Checked<Enveloped<Json>> => {
  const json = parseJson(text);
  return json.ok ? openEnvelope(json.value) : json;
};

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with `value` and otherwise no keys but the envelope's is an envelope; anything else is the value itself. */
const openEnvelope = (json: Json): Checked<Enveloped<Json>> => {
  if (!isObject(json) || !Object.hasOwn(json, 'value') || Object.keys(json).some((key) => !ENVELOPE_KEYS.has(key))) {
    return good({ envelope: {}, value: json, at: '' });
  }
  const { id, if_rev: ifRev, value = null } = json;
  const issues: Issue[] = [];
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') {
    issues.push(broken('type', '/id', `id is a text or a number, not ${shown(id)}`, { got: id }));
  }
  if (ifRev !== undefined && typeof ifRev !== 'string') {
    issues.push(broken('type', '/if_rev', `if_rev is the text that the record shows as rev, not ${shown(ifRev)}`, { got: ifRev }));
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

/**
 * What stands beside `value` and is nothing of an envelope, where no value of its own can look so: a key that was mistyped. `at` is where
 * the value begins that was found.
 */
export const besideValue = ({ value: json, at }: Pick<Enveloped<Json>, 'value' | 'at'>): readonly Issue[] => {
  if (at !== '' || !isObject(json) || !Object.hasOwn(json, 'value')) return [];
  const allowed = [...ENVELOPE_KEYS].filter((key) => key !== 'value');
  const strays = Object.keys(json).filter((key) => !ENVELOPE_KEYS.has(key));
  return strays.map((key) =>
    broken('unknown_key', pointer(key), `beside value stand ${allowed.join(', ')} only, not ${shown(key)}`, {
      ...{ got: key, allowed },
      nearest: nearestWords(key, allowed),
    }),
  );
};

// As long as a payload may be by default.
const LONGEST_LOOKED_AT = 65_536;

/** The `id` of an envelope, also of one in which something else is wrong; undefined where there is none. */
export const readId = (payload: Uint8Array): Envelope['id'] => {
  if (payload.length > LONGEST_LOOKED_AT) return undefined;
  const text = new TextDecoder().decode(payload);
  const json = text.includes('"id"') ? parseJson(text) : undefined;
  if (!json?.ok || !isObject(json.value) || !Object.hasOwn(json.value, 'value')) return undefined;
  const { id } = json.value;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
};

const EXAMPLES = { until: '"2027-01-03 12:00"', for: '"2h"' } as const;

const writtenEnd = (json: Readonly<Record<string, Json>>, issues: Issue[]): WrittenEnd | undefined => {
  const [kind, other] = (['until', 'for'] as const).filter((key) => Object.hasOwn(json, key));
  if (kind === undefined) return undefined;
  const path = pointer(kind);
  const text = json[kind];
  if (other !== undefined) {
    issues.push(broken('two_ends', pointer(other), `a write has one end: give until or for, not both`));
  } else if (typeof text !== 'string') {
    const nearest = typeof text === 'number' && kind === 'for' ? [`${text}m`, `${text}h`] : [];
    issues.push(broken('type', path, `${kind} is a text such as ${EXAMPLES[kind]}, not ${shown(text)}`, { got: text, nearest }));
  } else return { kind, text, path };
  return undefined;
};

/** A bare value with or without an envelope round it; what is no JSON is a text, and where `verbatim` what stands alone always is. */
export const readBare = (text: string, verbatim: boolean): Checked<Enveloped<Json>> => {
  const json = parseJson(text);
  const alone: Enveloped<Json> = { envelope: {}, value: text, at: '' };
  if (!json.ok) return !verbatim && /^\s*[{[]/u.test(text) ? json : good(alone);
  const opened = openEnvelope(json.value);
  return verbatim && opened.ok && opened.value.at === '' ? good(alone) : opened;
};

type Arguments = Readonly<Record<string, Json>>;

/** The parameters of a call; `bare`: what was sent is the value of the only one. */
export type Called = Enveloped<Arguments> & { readonly bare: boolean };

/**
 * The parameters of a call (CONTRACT §2.4): a JSON object of them, or the bare value of a single parameter; a command without
 * parameters takes anything. Text for a text parameter needs no quotes.
 */
export const readArguments = (command: Command, text: string): Checked<Called> => {
  const [single, ...others] = [...command.params];
  const json = parseJson(text);
  if (!json.ok) return notJson(command, text, json);
  const opened = openEnvelope(json.value);
  if (!opened.ok) return opened;
  const { envelope, value, at } = opened.value;
  if (isObject(value) && !isBareWeek(single, value)) return good({ envelope, value, at, bare: false });
  if (!single) return good({ envelope, value: {}, at, bare: false });
  const [name, { type }] = single;
  // Without an envelope round it a text may look like a number.
  const verbatim = type === 'string' && typeof value !== 'string' && at === '';
  if (others.length === 0) return good({ envelope, value: { [name]: verbatim ? text : value }, at, bare: true });
  return bad(broken('type', at, needsObject(command), { got: value }));
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
  `${command.name} takes a JSON object: {${[...command.params].map(([name, { required }]) => `"${name}": …${required ? '' : ' (optional)'}`).join(', ')}}`;

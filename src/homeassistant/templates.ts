import { EMPTY_FIELD } from '../topics/topicNames.ts';

/**
 * The Jinja templates of the documents. A cleared topic has an empty payload, which hubs ignore on many
 * components, so every template turns it into `None` (unknown). `value_json` is undefined then and is used
 * only after a check of `value`.
 */

/** A bare value that can be missing. */
export const VALUE = "{{ value if value else 'None' }}";

/** Removes floating-point noise of sums: 5.8999999999999995, as the platform sends, becomes 5.9. */
const withoutNoise = (number: string): string => `${number} if (${number} ~ '') | length < 14 else ${number} | round(6)`;

/** An amount that can be missing. */
export const AMOUNT = `{{ (${withoutNoise('value')}) if value else 'None' }}`;

/** A text. Home Assistant drops states over 255 characters, so a longer one is cut and ends with `…`. */
export const TEXT = "{{ (value if value | length < 256 else value[:254] ~ '…') if value else 'None' }}";

/** A writable text; empty without a value, because it cannot be unknown. A cut text is rejected if sent. */
export const CUT = "{{ value if value | length < 256 else value[:254] ~ '…' }}";

/** Like `CUT`, for a pending field; empty if the field is. */
export const FIELD = `{{ '' if value == '${EMPTY_FIELD}' else (value if value | length < 256 else value[:254] ~ '…') }}`;

/** A value of a list. Values over 255 characters become `None`. */
export const CHOICE = "{{ value if value and value | length < 256 else 'None' }}";

/** A text in a template. Characters that could end the text or the template are escaped. */
const quoted = (text: string): string =>
  `'${text.replace(/[^\p{L}\p{N} .,()/_-]/gu, (char) => `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`)}'`;

const mapOf = (texts: readonly (readonly [from: string, to: string])[]): string =>
  `{${texts.map(([from, to]) => `${quoted(from)}: ${quoted(to)}`).join(', ')}}`;

/** `TEXT` or `CHOICE` with another text for some values; the others pass as they are. */
export const translated = (template: typeof TEXT | typeof CHOICE, shown: ReadonlyMap<string, string>): string => {
  const other = [...shown].filter(([word, text]) => word !== text);
  if (other.length === 0) return template;
  const map = mapOf(other);
  return template === CHOICE
    ? `{{ ${map}.get(value, value) if value and value | length < 256 else 'None' }}`
    : `{{ ${map}.get(value, value if value | length < 256 else value[:254] ~ '…') if value else 'None' }}`;
};

/** The texts of a schedule without a mode: it is inactive, or has no mode now or next. */
export type NoMode = { readonly inactive: string; readonly nothing: string };

/** The mode `now` or `next` of an overview. Home Assistant warns if an undefined member is tested. */
export const scheduleMode = (member: 'now' | 'next', shown: ReadonlyMap<string, string>, { inactive, nothing }: NoMode): string => {
  const mode = `value_json.${member}`;
  const word = `${mapOf([...shown].filter(([one, text]) => one !== text))}.get(${mode}, ${mode})`;
  const known = `${word} if ${mode} is string else ${quoted(nothing)} if ${mode} is defined else 'None'`;
  return `{{ (${quoted(inactive)} if not value_json.active else ${known}) if value and value_json.active is defined else 'None' }}`;
};

/** The inverse of `translated`, for commands; undefined if nothing is translated. Other texts pass. */
export const translatedBack = (shown: ReadonlyMap<string, string>): string | undefined => {
  const other = [...shown].filter(([word, text]) => word !== text);
  return other.length === 0 ? undefined : `{{ ${mapOf(other.map(([word, text]) => [text, word]))}.get(value, value) }}`;
};

/** Running or not; any other word is unknown. */
export const ON_OFF = "{{ value if value in ['on', 'off'] else 'None' }}";

/** The only mode of a climate with a target but without a mode. */
export const ALWAYS_AUTO = "{{ 'auto' if value else 'None' }}";

/** An instant with its offset; Home Assistant logs an error for one without. */
export const INSTANT = "{{ value if value[10:11] == 'T' and (value[-1:] == 'Z' or value[-6:-5] in ['+', '-']) else 'None' }}";

/** A date, `2026-07-01`; the platform also sends an empty text. */
export const DAY = "{{ value if value | length == 10 and value[4:5] == '-' and value[7:8] == '-' else 'None' }}";

/** The number of members of an array or object. */
export const COUNT = "{{ value_json | length if value else 'None' }}";

/** The first number of an array; consumption arrays start with the current period. */
export const NEWEST = `{{ (${withoutNoise('value_json[0]')}) if value and value_json and value_json[0] is number else 'None' }}`;

/** `set` or `empty`: whether a week has an entry. Each entry has a `start`. */
export const WEEK = "{{ 'None' if not value else 'set' if '\"start\"' in value else 'empty' }}";

/** An array as attributes. These must be a JSON object, so the array becomes its member `values`. */
export const LIST_ATTRIBUTES = "{{ {'values': value_json} | tojson if value else '{}' }}";

/** A JSON object as attributes. */
export const OBJECT_ATTRIBUTES = "{{ value if value else '{}' }}";

/** The last refusal until a newer write is accepted. The end of an earlier write (`applied`) keeps it. */
const REFUSED =
  "value_json if value_json.status in ['rejected', 'failed'] else this.attributes.refused if this is defined" +
  ' and this.attributes.refused is defined and this.attributes.refused is mapping' +
  " and not (value_json.status in ['accepted', 'waiting', 'unchanged'] and this.attributes.refused.feature == value_json.feature) else none";

/** An answer as an event with its status as type. Anything else becomes `{}`, which is not an event. */
export const ANSWER =
  `{{ dict(value_json, event_type=value_json.status, refused=(${REFUSED})) | tojson` +
  " if value_json is defined and value_json.status is defined else '{}' }}";

/** `true` while a JSON object has this member, else `false`. */
export const hasMember = (name: string): string => `{{ ('true' if value_json.${name} is defined else 'false') if value else 'None' }}`;

/** A member of a JSON object, itself an object, as attributes. */
export const memberAttributes = (name: string): string =>
  `{{ value_json.${name} | tojson if value and value_json.${name} is defined else '{}' }}`;

/** A member of a JSON object by its path; `None` if it or one of its parents is missing. */
export const member = (...path: readonly string[]): string => {
  const steps = path.map((_, i) => `value_json.${path.slice(0, i + 1).join('.')}`);
  return `{{ ${steps.at(-1) ?? 'value_json'} if value and ${steps.map((step) => `${step} is defined`).join(' and ')} else 'None' }}`;
};

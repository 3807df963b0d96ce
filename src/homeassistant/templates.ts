/**
 * The Jinja texts of the documents. A topic whose value is gone has an empty payload, which hubs ignore on many components, so every
 * template turns it into `None` (unknown). `value_json` doesn't exist then: it is touched only behind a look at `value`.
 */

/** For a bare value that may be gone. */
export const VALUE = "{{ value if value else 'None' }}";

/** A text: Home Assistant drops states of over 255 characters, so a longer one is cut and shows that it was. */
export const TEXT = "{{ (value if value | length < 256 else value[:254] ~ '…') if value else 'None' }}";

/** A text that is written as well: without a value it is empty, since a text cannot be unknown. A cut one is refused when it comes back. */
export const CUT = "{{ value if value | length < 256 else value[:254] ~ '…' }}";

/** One of a list: a state of over 255 characters is none. */
export const CHOICE = "{{ value if value and value | length < 256 else 'None' }}";

/** The only mode of what has a target but no mode of its own. */
export const ALWAYS_AUTO = "{{ 'auto' if value else 'None' }}";

/** An instant with its offset; Home Assistant logs an error for one without. */
export const INSTANT = "{{ value if value[10:11] == 'T' and (value[-1:] == 'Z' or value[-6:-5] in ['+', '-']) else 'None' }}";

/** A calendar day, `2026-07-01`; the platform also has an empty text there. */
export const DAY = "{{ value if value | length == 10 and value[4:5] == '-' and value[7:8] == '-' else 'None' }}";

/** How many members an array or object has. */
export const COUNT = "{{ value_json | length if value else 'None' }}";

/** The first number of an array: consumption arrays begin with the period that runs now. */
export const NEWEST = "{{ value_json[0] if value and value_json and value_json[0] is number else 'None' }}";

/** Whether a week has any entry: short, as a state must be; each entry has a start. */
export const WEEK = "{{ 'None' if not value else 'set' if '\"start\"' in value else 'empty' }}";

/** Attributes must be a JSON object: an array goes below `values`. */
export const LIST_ATTRIBUTES = "{{ {'values': value_json} | tojson if value else '{}' }}";

/** Attributes of a topic that holds a JSON object itself. */
export const OBJECT_ATTRIBUTES = "{{ value if value else '{}' }}";

/** An answer as an event: its status is the type. What is no answer gives `{}`, which is no event. */
export const ANSWER =
  "{{ dict(value_json, event_type=value_json.status) | tojson if value_json is defined and value_json.status is defined else '{}' }}";

/** One member of a JSON object, by its path; `None` where the object or a member on the way is missing. */
export const member = (...path: readonly string[]): string => {
  const steps = path.map((_, i) => `value_json.${path.slice(0, i + 1).join('.')}`);
  return `{{ ${steps.at(-1) ?? 'value_json'} if value and ${steps.map((step) => `${step} is defined`).join(' and ')} else 'None' }}`;
};

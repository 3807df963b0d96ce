import { readYaml } from '../yaml/readYaml.ts';
import { type Check, checkEach, type Limits } from './checks.ts';

export type JsonSchema = { readonly [key: string]: unknown };

type Format<Right> = {
  readonly check: Check;
  /** Converts the written value, where every scalar is text, if possible. Idempotent. */
  readonly coerce: (written: unknown) => unknown;
  /** The JSON Schema. It accepts all that `check` accepts, so editors never mark a valid setting. */
  readonly shape: (limits: Limits) => JsonSchema;
  /** True if the value is written as keys with values. */
  readonly takesKeys?: true;
  /** Never set; it only carries the type of a valid value. */
  readonly right?: Right;
};

/** A row of the schema: a setting with its format, parameters and documentation. */
export type Setting = Format<unknown> & Row & { /** The meaning, with the unit. */ readonly doc: string };

type Row = Limits & {
  /** The empty text means required; null means optional and not set. */
  readonly default: unknown;
  /** The documentation's text for a default that is determined at the start. */
  readonly defaultText?: string;
};

/** A section of the schema, or the whole schema. */
export type Section = { readonly [key: string]: Section | Setting };

export const isSetting = (node: Section | Setting): node is Setting => 'default' in node;

/** The type of a setting's value. */
export type Value<One extends Setting> =
  | (One extends { readonly choices: readonly (infer Choice)[] } ? Choice : NonNullable<One['right']>)
  | (One['default'] extends null ? null : never);

const asIs = (written: unknown): unknown => written;

/** The list or object in a text that begins with a bracket; undefined if there is none. */
export const inBrackets = (written: unknown): unknown => {
  if (typeof written !== 'string' || !/^\s*[[{]/.test(written)) return undefined;
  const { tree, faults } = readYaml(written);
  return faults.length === 0 ? tree : undefined;
};

/** A list, or the list in a JSON text. */
export const asJsonList = (written: unknown): unknown => {
  const held = inBrackets(written);
  return Array.isArray(held) ? held : written;
};

/** Converts the text of a list, with this separator between its items. */
export const listBy =
  (separator: string | RegExp) =>
  (written: unknown): unknown => {
    const list = asJsonList(written);
    return typeof list === 'string' ? list.split(separator).map((part) => part.trim()) : list;
  };

/** `a, b`, or JSON if an item contains a comma. */
export const asList = listBy(',');

/** Converts the items of a list. */
export const eachOf =
  (asItems: (written: unknown) => unknown, asItem: (written: unknown) => unknown) =>
  (written: unknown): unknown => {
    const list = asItems(written);
    return Array.isArray(list) ? list.map(asItem) : list;
  };

/** The bridge treats every scalar as text: also `007` and `true`, which YAML reads as number and boolean. */
export const SCALAR = ['string', 'number', 'boolean'];

export const textShape: JsonSchema = { type: [...SCALAR, 'null'], minLength: 1 };

export const listShape = (items: JsonSchema): JsonSchema => ({ type: ['array', ...SCALAR, 'null'], items });
export const objectShape = (properties: JsonSchema): JsonSchema => ({ type: ['object', 'null'], additionalProperties: false, properties });

/** Builds the rows of one format. */
export const rowsOf =
  <Right>(check: Check, shape: Format<Right>['shape'], format: Partial<Format<Right>> = {}) =>
  <const One extends Row>(row: One, doc: string): Format<Right> & One & { readonly doc: string } => ({
    ...{ coerce: asIs, ...format, check, shape },
    ...row,
    doc,
  });

/** Builds the rows of text lists that pass the check. */
export const textsOf = (check: Check, coerce = asList) =>
  rowsOf<readonly string[]>(checkEach(check), () => listShape({ type: SCALAR }), { coerce });

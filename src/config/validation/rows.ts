import { readYaml } from '../yaml/readYaml.ts';
import { type Check, checkEach, type Limits } from './checks.ts';

export type JsonSchema = { readonly [key: string]: unknown };

type Format<Right> = {
  readonly check: Check;
  /** Converts what was written, where every scalar is text; what cannot be converted stays as it is. Idempotent. */
  readonly coerce: (written: unknown) => unknown;
  /** The JSON Schema. It accepts everything that `check` accepts, so that editors never mark a right setting. */
  readonly shape: (limits: Limits) => JsonSchema;
  /** True where the value is written as keys with values. */
  readonly takesKeys?: true;
  /** Never set; it only carries the type of a valid value. */
  readonly right?: Right;
};

/** A row of the schema: a setting with its format, the parameters of the format, and the texts for the documentation. */
export type Setting = Format<unknown> & Row & { /** The meaning, with the unit. */ readonly doc: string };

type Row = Limits & {
  /** The empty text = required, null = optional and not set. */
  readonly default: unknown;
  /** How the documentation shows a default that is made at the start. */
  readonly defaultText?: string;
};

/** A section of the schema, or all of it. */
export type Section = { readonly [key: string]: Section | Setting };

export const isSetting = (node: Section | Setting): node is Setting => 'default' in node;

/** The type of a setting's value. */
export type Value<One extends Setting> =
  | (One extends { readonly choices: readonly (infer Choice)[] } ? Choice : NonNullable<One['right']>)
  | (One['default'] extends null ? null : never);

const asIs = (written: unknown): unknown => written;

/** The list or object in a text that begins with a bracket; undefined where there is none. */
export const inBrackets = (written: unknown): unknown => {
  if (typeof written !== 'string' || !/^\s*[[{]/.test(written)) return undefined;
  const { tree, faults } = readYaml(written);
  return faults.length === 0 ? tree : undefined;
};

/** A list, or the list in a text that holds one as JSON. */
export const asJsonList = (written: unknown): unknown => {
  const held = inBrackets(written);
  return Array.isArray(held) ? held : written;
};

/** `a, b`, or JSON where a comma is part of an item. */
export const asList = (written: unknown): unknown => {
  const list = asJsonList(written);
  return typeof list === 'string' ? list.split(',').map((part) => part.trim()) : list;
};

/** Converts the items of a list. */
export const eachOf =
  (asItems: (written: unknown) => unknown, asItem: (written: unknown) => unknown) =>
  (written: unknown): unknown => {
    const list = asItems(written);
    return Array.isArray(list) ? list.map(asItem) : list;
  };

/** Every scalar is text to the bridge: `007` and `true` too, which YAML reads as a number and a boolean. */
export const SCALAR = ['string', 'number', 'boolean'];

export const textShape: JsonSchema = { type: [...SCALAR, 'null'], minLength: 1 };

export const listShape = (items: JsonSchema): JsonSchema => ({ type: ['array', ...SCALAR, 'null'], items });
export const objectShape = (properties: JsonSchema): JsonSchema => ({ type: ['object', 'null'], additionalProperties: false, properties });

/** Makes the rows of one format. */
export const rowsOf =
  <Right>(check: Check, shape: Format<Right>['shape'], format: Partial<Format<Right>> = {}) =>
  <const One extends Row>(row: One, doc: string): Format<Right> & One & { readonly doc: string } => ({
    ...{ coerce: asIs, ...format, check, shape },
    ...row,
    doc,
  });

/** Makes the rows of lists of texts that pass the check. */
export const textsOf = (check: Check) => rowsOf<readonly string[]>(checkEach(check), () => listShape({ type: SCALAR }), { coerce: asList });

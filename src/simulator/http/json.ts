/** Any JSON value; members omitted by a home may be undefined. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json | undefined };

/** True for a JSON object, but not for arrays and null. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for a JSON array. */
export const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The JSON value of a text; undefined for any other text. */
export const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Decodes percent encoding. Invalid encoding stays, such as a single `%` in a password. */
export const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

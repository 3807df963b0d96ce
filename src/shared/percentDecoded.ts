/** The text without its percent encoding; as it is where that is broken, as in a password with a single `%`. */
export const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

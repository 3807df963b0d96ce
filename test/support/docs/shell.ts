/** Words, signs between commands, files that take an output, and comments. */
const TOKEN = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"|&;<>#\\])(?:'[^']*'|"[^"]*"|\\.|[^\s'"|&;<>\\])*|&&|[|;]|>\s*\S+|#.*/g;

const unquoted = (word: string): string =>
  word.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, (_all, single, double, escaped) => single ?? double ?? escaped);

/** Reads one line. Throws an Error for what this small shell does not know: variables, loops, other redirections. */
const readLine = (line: string): readonly (readonly (readonly string[])[])[] => {
  const unknown = line.replaceAll(TOKEN, '').trim();
  if (unknown !== '') throw new Error(`${unknown} is not understood: ${line}`);
  const pipelines: string[][][] = [[[]]];
  for (const [token] of line.matchAll(TOKEN)) {
    if (token === '&&' || token === ';') pipelines.push([[]]);
    else if (token === '|') pipelines.at(-1)?.push([]);
    else if (!/^[>#]/.test(token)) pipelines.at(-1)?.at(-1)?.push(unquoted(token));
  }
  return pipelines.filter((commands) => commands.flat().length > 0);
};

/** The words of each command, by pipelines, line by line; a backslash at its end joins a line to the next. */
export const readShell = (text: string): ReturnType<typeof readLine> =>
  text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap(readLine);

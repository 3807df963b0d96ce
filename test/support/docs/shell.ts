/** A command as a shell reads it: its words, and the file that takes its output. */
export type ShellCommand = { readonly words: readonly string[]; readonly into?: string };

/** Commands that pass their output on, one to the next. */
export type Pipeline = readonly ShellCommand[];

const TOKEN =
  /\s*(?:(?<word>(?:'[^']*'|"[^"]*"|\\.|[^\s'"|&;<>#\\])(?:'[^']*'|"[^"]*"|\\.|[^\s'"|&;<>\\])*)|(?<sign>&&|\||>|;)|(?<rest>#.*|$))/y;

const unquoted = (word: string): string =>
  word.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, (_all, single, double, escaped) => single ?? double ?? escaped);

/** Reads one line. Throws an Error for what this small shell does not know: variables, loops, other redirections. */
const readLine = (line: string): readonly Pipeline[] => {
  const pipelines: Pipeline[] = [];
  let pipeline: ShellCommand[] = [];
  let words: string[] = [];
  let into: string | undefined;
  let isFile = false;
  const endCommand = (): void => {
    if (words.length > 0) pipeline.push(into === undefined ? { words } : { words, into });
    words = [];
    into = undefined;
  };
  const endPipeline = (): void => {
    endCommand();
    if (pipeline.length > 0) pipelines.push(pipeline);
    pipeline = [];
  };
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < line.length) {
    const at = TOKEN.lastIndex;
    const { word, sign, rest } = TOKEN.exec(line)?.groups ?? {};
    if (word !== undefined) {
      if (isFile) into = unquoted(word);
      else words.push(unquoted(word));
      isFile = false;
    } else if (sign === '>') isFile = true;
    else if (sign === '|') endCommand();
    else if (sign !== undefined) endPipeline();
    else if (rest !== undefined) break;
    else throw new Error(`not understood from column ${at + 1}: ${line}`);
  }
  endPipeline();
  return pipelines;
};

/** The commands of a block, line by line; a backslash at its end joins a line to the next. */
export const readShell = (text: string): readonly Pipeline[] =>
  text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap(readLine);

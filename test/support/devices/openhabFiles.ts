/** A channel of a Thing file: `Type number : outside "Outside" [ stateTopic="…", unit="°C" ]`. */
export type Channel = {
  readonly type: string;
  readonly id: string;
  readonly stateTopic: string;
  readonly commandTopic?: string;
  /** Further parameters, by name. */
  readonly options: Readonly<Record<string, string>>;
};

/** An item of an items file, with the ids of the Thing and channel it is linked to. */
export type Item = { readonly type: string; readonly name: string; readonly channel?: string; readonly autoupdate: boolean };

const optionsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(?:"([^"]*)"|([\w.-]+))/g)].map(([, key = '', quoted, bare]) => [key, quoted ?? bare ?? '']));

/** The Thing's id with its broker's (`mqtt:topic:home:heating`), its own options and its channels. */
export const readThings = (
  text: string,
): { readonly thing: string; readonly options: Readonly<Record<string, string>>; readonly channels: readonly Channel[] } => {
  const broker = /Bridge mqtt:broker:(\w+)/.exec(text)?.[1];
  const [, id, options = ''] = /Thing topic (\w+) "[^"]*" \[([^\]]*)\]/.exec(text) ?? [];
  const channels = [...text.matchAll(/Type (\w+)\s*: (\w+)\s+"[^"]*"\s*\[([^\]]*)\]/g)].map(
    ([, type = '', channel = '', given = '']): Channel => {
      const { stateTopic = '', commandTopic, ...rest } = optionsOf(given);
      return { type, id: channel, stateTopic, ...(commandTopic === undefined ? {} : { commandTopic }), options: rest };
    },
  );
  return { thing: `mqtt:topic:${broker}:${id}`, options: optionsOf(options), channels };
};

/** The items of an items file. */
export const readItems = (text: string): readonly Item[] =>
  [...text.matchAll(/^(Group|Contact|Switch|String|DateTime|Number(?::\w+)?)\s+(\w+)\s+(.*)$/gm)].map(
    ([, type = '', name = '', rest = '']) => {
      const channel = /channel="([^"]+)"/.exec(rest)?.[1];
      return { type, name, ...(channel === undefined ? {} : { channel }), autoupdate: !rest.includes('autoupdate="false"') };
    },
  );

import { HINTS } from '../../language/hints/hintWords.ts';
import type { RequestClient } from '../../mqtt/requestClient.ts';
import { weekFacts } from '../../schedule/hints/facts.ts';
import { type Hint, hintsOf } from '../../schedule/hints/hints.ts';
import { printInstant } from '../../schedule/zone.ts';
import { type Json, parseJson } from '../../shared/json.ts';
import { printable } from '../../shared/log.ts';
import { propertyTopic } from '../../topics/topicNames.ts';
import { wrapText } from '../terminal/terminalText.ts';
import type { BridgeInfo, RetainedSchedule } from './retainedSchedules.ts';

/** The hints to each of the schedules at an instant, from what the bridge retains of their devices. Throws RequestClientError. */
export const readHints = async (
  client: RequestClient,
  base: string,
  schedules: readonly RetainedSchedule[],
  { zones }: Pick<BridgeInfo, 'zones'>,
  atMs: number,
): Promise<readonly (readonly Hint[])[]> => {
  const factsOf = ({ device, feature, entries, constraints }: RetainedSchedule, at: (topic: string) => Json | undefined) => {
    const zone = zones.get(device);
    const today = zone === undefined ? undefined : printInstant(atMs, zone).slice(0, 10);
    const { defaultMode } = constraints;
    return weekFacts({ feature, week: entries, defaultMode, today }, (name, property) => at(propertyTopic(base, device, name, property)));
  };
  const topics = new Set<string>();
  for (const schedule of schedules)
    factsOf(schedule, (topic) => {
      topics.add(topic);
      return undefined;
    });
  await client.readRetained([...topics], []);
  return schedules.map((schedule) =>
    hintsOf(
      factsOf(schedule, (topic) => payloadValue(client.payloads.get(topic))),
      HINTS.en,
    ),
  );
};

/** A payload as the value of a property: texts are published without quotes. */
const payloadValue = (payload: string | undefined): Json | undefined => {
  const json = payload === undefined ? undefined : parseJson(payload);
  return json?.ok ? json.value : payload;
};

/** The hints as lines of at most 80 columns. */
export const hintLines = (hints: readonly Hint[]): readonly string[] =>
  hints.flatMap(({ level, text }) => wrapText(printable(text), `     ${level}: `));

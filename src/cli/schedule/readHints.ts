import { featureOwner } from '../../bridge/publish/broker/topicOwnership.ts';
import { seriesName } from '../../bridge/state/valueSeries.ts';
import type { Settings } from '../../config/settings.ts';
import { HINTS } from '../../language/hints/hintWords.ts';
import type { RequestClient } from '../../mqtt/requestClient.ts';
import { type Hint, hintsOf } from '../../schedule/hints/checks.ts';
import { type Measured, type MeasuredPlace, measuredPlaces, type Points, weekFacts } from '../../schedule/hints/facts.ts';
import { dateAt } from '../../schedule/zone.ts';
import { type Json, parseJson } from '../../shared/json.ts';
import { printable } from '../../shared/log.ts';
import { pointsBeside } from '../../storage/seriesRepository.ts';
import { propertyTopic } from '../../topics/topicNames.ts';
import { wrapText } from '../terminal/terminalText.ts';
import type { BridgeInfo, RetainedSchedule } from './retainedSchedules.ts';

type HintSettings = Pick<Settings, 'data_dir'> & { readonly mqtt: Pick<Settings['mqtt'], 'base'> };

/** The same as on the page. */
const MEASURED_DAYS = 28;

/**
 * The hints for each schedule at an instant, from the retained device topics and, if the bridge stores its
 * values on this machine (`dataDir`), from measurements. Throws RequestClientError.
 */
export const readHints = async (
  client: RequestClient,
  { mqtt: { base }, data_dir: dataDir }: HintSettings,
  schedules: readonly RetainedSchedule[],
  { zones, ids }: Pick<BridgeInfo, 'zones' | 'ids'>,
  atMs: number,
): Promise<readonly (readonly Hint[])[]> => {
  const factsOf = ({ device, feature, entries, constraints }: RetainedSchedule, at: (topic: string) => Json | undefined) => {
    const zone = zones.get(device);
    const today = zone === undefined ? undefined : dateAt(atMs, zone);
    const { defaultMode, resolution } = constraints;
    const valueAt = (name: string, property: string) => at(propertyTopic(base, device, name, property));
    const since = atMs - MEASURED_DAYS * 86_400_000;
    const measured = (): Measured | undefined => {
      const places = Object.entries(measuredPlaces(feature, valueAt));
      const id = ids.get(device);
      const pointsOf = ({ feature: name, property }: MeasuredPlace): Points => {
        if (!id) return [];
        const series = seriesName(featureOwner(id, name), propertyTopic(base, device, name, property));
        return pointsBeside(dataDir, series, since).map((point) => [point.at, point.value]);
      };
      try {
        return { zone, now: atMs, points: Object.fromEntries(places.map(([key, place]) => [key, pointsOf(place)])) };
      } catch {
        // Other hints need no history.
        return undefined;
      }
    };
    return weekFacts({ feature, week: entries, defaultMode, resolution, today, measured: measured() }, valueAt);
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

/** A payload as a property value: texts are published without quotes. */
const payloadValue = (payload: string | undefined): Json | undefined => {
  const json = payload === undefined ? undefined : parseJson(payload);
  return json?.ok ? json.value : payload;
};

/** The hints as lines of at most 80 columns. */
export const hintLines = (hints: readonly Hint[]): readonly string[] =>
  hints.flatMap(({ level, text }) => wrapText(printable(text), `     ${level}: `));

import { mdiUndo } from '@mdi/js';
import { useState } from 'preact/hooks';
import type { BroughtBack, ChangeEntry, GetAnswers } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { nameOf, namePieces } from '../../language/names/name.ts';
import { HISTORY_WORDS } from '../../language/pages/history.ts';
import { runsOfDays } from '../../schedule/text/dayWords.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import { isRecord } from '../../shared/json.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import { logWords } from '../log/words.ts';
import { differencesOf } from '../model/changes.ts';
import { reasonOf } from '../model/outcome.ts';
import type { Place } from '../model/schedules.ts';
import { Outcome } from '../overview/outcome.tsx';
import { RefusedHere } from '../overview/refusedHere.tsx';
import { scheduleName } from '../schedules/names.ts';
import { undoLast } from '../schedules/undo.ts';
import { breakable } from '../shell/breakable.tsx';
import { capital, dayName, localMoment, localTimes, mode, quantity, short } from '../shell/format.ts';
import { Icon } from '../shell/icon.tsx';
import { latePart } from '../shell/late.tsx';
import { rule, words } from '../shell/words.ts';
import { getJson } from '../state/api.ts';
import { useLoaded } from '../state/loaded.ts';
import { inLanguage, language } from '../state/preferences.ts';
import { answers, base, devices, topics } from '../state/store.ts';
import { send } from '../state/writes.ts';

/** The texts of the changes in their language. */
export const historyWords = inLanguage(HISTORY_WORDS);
const versions = latePart(async () => (await import('../versions/versions.tsx')).Versions);
const prices = latePart(async () => (await import('../prices/pricePlan.tsx')).PricePlanCard);
const HOT_WATER = 'heating.dhw.schedule';

type Which = { readonly device?: string; readonly feature?: string };
type Loaded = GetAnswers['api/change-history'];

const load = (which: Which, before?: number): Promise<Loaded> =>
  getJson('api/change-history', `?${new URLSearchParams({ ...which, ...(before === undefined ? {} : { before: String(before) }) })}`);

/** The loaded changes, and a loader for older ones. Reloads on each answer and on a new `shown`. */
const useChanges = (which: Which, shown?: string) => {
  const [loaded, setLoaded] = useLoaded(() => load(which), [which.device, which.feature, answers.value.at(-1)?.at, shown]);
  const older = ({ changes }: Loaded): void =>
    void load(which, changes.at(-1)?.key).then(
      (next) => setLoaded({ ...next, changes: [...changes, ...next.changes] }),
      () => setLoaded('failed'),
    );
  return { loaded, older };
};

/** All changes, each with an undo where possible. */
export const ChangeList = () => <Changes {...useChanges({})} isNamed />;

/** Below the week editor, loaded after it: the hot water price plan, the undo with the values that it restores, and the changes. */
export const ScheduleChanges = ({ place }: { readonly place: Place }) => {
  const { device, schedule } = place;
  const w = words.value;
  const h = historyWords.value;
  const { topic, feature, isWritable } = schedule;
  const found = useChanges({ device: device.name, feature }, topics.value.get(`${topic}/entries`));
  const { loaded } = found;
  const undo = typeof loaded === 'object' ? loaded.undo : undefined;
  const isForeign = undo?.some((one) => one.isForeign);
  return (
    <>
      {feature === HOT_WATER && topics.value.has(bridgeTopic(base.value, 'price_plan')) && <prices.Part device={device.name} />}
      <RefusedHere device={device.name} scope={feature} />
      {isWritable && (
        <div class="buttons">
          <Button
            text={w.undoBridge}
            icon={<Icon path={mdiUndo} />}
            disabled={undo && (isForeign || undo.length === 0)}
            aria-describedby="brought-back"
            onClick={() => undoLast(topic)}
          />
          {undo && (
            <span id="brought-back" class="quiet">
              {isForeign ? w.noUndoForeign : undo.length > 0 ? w.undoHint(broughtBack(undo)) : w.noUndo}
            </span>
          )}
        </div>
      )}
      <Outcome topic={`${topic}/undo/set`} name={scheduleName(schedule, device)} />
      <section class="card stack" aria-labelledby="changes">
        <h2 id="changes">{h.history}</h2>
        <Changes {...found} isNamed={false} />
      </section>
      {typeof loaded === 'object' && (
        <versions.Part
          place={place}
          changes={loaded.changes}
          older={loaded.more ? () => found.older(loaded) : undefined}
          authorOf={authorText}
        />
      )}
    </>
  );
};

type ChangesProps = ReturnType<typeof useChanges> & { readonly isNamed: boolean };

const Changes = ({ loaded, older, isNamed }: ChangesProps) => {
  const w = words.value;
  const h = historyWords.value;
  const [taken, setTaken] = useState<number | undefined>();
  if (loaded === undefined) return <p class="quiet">{w.loading}</p>;
  if (loaded === 'failed') return <p class="quiet">{h.changesNotLoaded}</p>;
  const { changes, more } = loaded;
  const takeBack = ({ key, undo }: ChangeEntry): void => {
    if (!('topic' in undo)) return;
    setTaken(key);
    void send(undo.topic, undo.payload);
  };
  if (changes.length === 0) return <p class="quiet">{h.noChanges}</p>;
  return (
    <>
      <ol class="log changes">
        {changes.map((change) => (
          <ChangeLine key={change.key} change={change} isNamed={isNamed} isTaken={taken === change.key} takeBack={() => takeBack(change)} />
        ))}
      </ol>
      {more && <Button text={h.olderChanges} class="start" onClick={() => older(loaded)} />}
    </>
  );
};

type LineProps = { readonly change: ChangeEntry; readonly isNamed: boolean; readonly isTaken: boolean; readonly takeBack: () => void };

const ChangeLine = ({ change, isNamed, isTaken, takeBack }: LineProps) => {
  const w = words.value;
  const h = historyWords.value;
  const { at, status, device, feature, command, undo } = change;
  const texts = differenceTexts(change);
  const isProblem = status === 'rejected' || status === 'failed';
  const what = `${device} · ${short(feature)}`;
  return (
    <li class={isProblem ? 'error' : status}>
      <time dateTime={at}>{localMoment(at)}</time>
      <span class="pill">{logWords.value.statuses[status]}</span>
      <div>
        {isNamed && (
          <span class="block" dir="auto">
            {ownName(device, feature)} <code>{breakable(what)}</code>
          </span>
        )}
        {texts.length === 0 && <code class="block">{command}</code>}
        {texts.map((one) => (
          <span key={one} class="block">
            {one}
          </span>
        ))}
        <span class="block quiet" dir="auto">
          {authorText(change)}
        </span>
        {isProblem && <span class="block">{localTimes(reasonOf(change, w, rule.value))}</span>}
        {'topic' in undo ? (
          <Button
            text={h.takeBack}
            icon={<Icon path={mdiUndo} />}
            class="plain"
            aria-label={h.takeBackWhat(what, localMoment(at))}
            onClick={takeBack}
          />
        ) : (
          <span class="block quiet">{h.noTakeBack[undo.why] ?? undo.why}</span>
        )}
        {isTaken && 'topic' in undo && <Outcome topic={undo.topic} name={h.takeBack} />}
      </div>
    </li>
  );
};

/** The display name of a schedule; for other features, the name used by hubs. */
const ownName = (device: string, feature: string): string => {
  const found = devices.value.find(({ name }) => name === device);
  return found && feature.endsWith('.schedule') ? scheduleName({ feature }, found) : nameOf(feature, undefined, language.value);
};

/** The author of a change, and the end of the change. */
const authorText = (change: ChangeEntry): string =>
  byText(change) + (change.until === undefined ? '' : `, ${historyWords.value.changeUntil(localMoment(change.until))}`);

const byText = ({ by: { kind, user }, topic }: ChangeEntry): string => {
  const h = historyWords.value;
  const who = user === undefined ? (h.by[kind] ?? kind) : h.byUser(short(user));
  return topic.endsWith('/undo/set') ? h.undoneBy(who) : who;
};

/** The differences, one line each. Days with the same difference share a line. */
const differenceTexts = (change: ChangeEntry): readonly string[] => {
  const { device, feature } = change;
  const properties = devices.value.find(({ name }) => name === device)?.features.get(feature)?.properties;
  const lines = new Map<string, Day[]>();
  for (const { property, day, before, after } of differencesOf(change)) {
    const unit = properties?.get(property)?.unit ?? '';
    const said = words.value.change(valueText(before, unit), valueText(after, unit));
    const line = day !== undefined || property === 'value' ? said : `${propertyName(feature, property)}: ${said}`;
    lines.set(line, [...(lines.get(line) ?? []), ...DAYS.filter((one) => one === day)]);
  }
  return [...lines].map(([line, days]) => (days.length === 0 ? line : `${daysText(days)}: ${line}`));
};

const propertyName = (feature: string, property: string): string =>
  short(capital(namePieces(feature, property, language.value).rest || property));

/** The values, one text each. Days with the same value share a text. */
const broughtBack = (values: readonly BroughtBack[]): string => {
  const days = Map.groupBy(values, ({ value }) => valueText(value, ''));
  return [...days].map(([text, parts]) => `${daysText(DAYS.filter((day) => parts.some((part) => part.day === day)))}: ${text}`).join('; ');
};

/** Day names; a run is shown by its first and last day. */
export const daysText = (days: readonly Day[]): string =>
  runsOfDays(days)
    .map((run) => run.map(dayName))
    .map((names) => (names.length > 2 ? `${names[0]}–${names.at(-1)}` : names.join(', ')))
    .join(', ');

const valueText = (value: unknown, unit: string): string => {
  const w = words.value;
  const h = historyWords.value;
  if (value === undefined || value === null) return h.notKnown;
  if (typeof value === 'number') return quantity(value, unit);
  if (typeof value === 'boolean') return h.switched[`${value}`];
  if (typeof value === 'string') return mode(value);
  if (Array.isArray(value) && value.length === 0) return w.noEntries;
  if (Array.isArray(value) && value.every(isEntry)) return value.map((one) => `${one.start}–${one.end} ${mode(one.mode)}`).join(', ');
  return short(JSON.stringify(value));
};

const isEntry = (value: unknown): value is { readonly start: string; readonly end: string; readonly mode: string } =>
  isRecord(value) && ['start', 'end', 'mode'].every((name) => typeof value[name] === 'string');

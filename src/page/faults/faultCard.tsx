import { useSignal } from '@preact/signals';
import type { DeviceFaultLog, FaultEntry } from '../../api/answers.ts';
import { Button } from '../../editor/view/Button.tsx';
import { FAULT_WORDS } from '../../language/faults/faultWords.ts';
import { jsonObject } from '../../shared/json.ts';
import { commandTopic, deviceTopic } from '../../topics/topicNames.ts';
import { deviceTitle } from '../overview/names.ts';
import { Outcome } from '../overview/outcome.tsx';
import { Facts } from '../shell/facts.tsx';
import { dayText, localMoment, localTimes } from '../shell/format.ts';
import { Fold } from '../shell/late.tsx';
import { getJson } from '../state/api.ts';
import { useLoaded } from '../state/loaded.ts';
import { inLanguage, locale } from '../state/preferences.ts';
import { base, devices, homeZone, topics } from '../state/store.ts';
import { now } from '../state/time.ts';
import { send, writes } from '../state/writes.ts';
import { type ActiveFault, type DeviceFaults, faultsOf, sheetFaults, spanOf, staleOf } from './model.ts';
import { printSheet } from './printSheet.ts';
import { staleSentence } from './sentences.ts';

const words = inLanguage(FAULT_WORDS);
const WEEK_MS = 7 * 86_400_000;
/** Kinds that the log hides at first: normal operation. */
const HIDDEN: ReadonlySet<string> = new Set(['status']);

type Written = (atMs: number) => string;

/** With the date, because paper is read on another day. */
const onPaper: Written = (atMs) =>
  new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeStyle: 'short', timeZone: homeZone.value }).format(atMs);

/** The time of the heating's own clock, without the zone, which the heating does not know. */
const clockOf = (clock: string): string => {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(clock) ?? [];
  return date === undefined ? clock : `${dayText(date)}, ${time}`;
};

const Active = ({ fault }: { readonly fault: ActiveFault }) => {
  const w = words.value;
  return (
    <div role="alert">
      <p>
        <strong class="code">{fault.code}</strong> {w.kinds[fault.kind] ?? fault.kind}, {w.since(localMoment(fault.since))}
      </p>
      {fault.text !== undefined && <p lang="en">{w.said(localTimes(fault.text))}</p>}
      <p>{w.todo[fault.kind]}</p>
      <p class="quiet">
        {w.meaning}
        {fault.clock === undefined ? '' : ` (${w.clock(clockOf(fault.clock))})`}
      </p>
    </div>
  );
};

const Told = ({ told, isNamed }: { readonly told: DeviceFaults; readonly isNamed: boolean }) => {
  const w = words.value;
  const why = told.isRefused ? w.refused : w.inLog;
  return (
    <>
      {isNamed && <h3>{deviceTitle(told.device)}</h3>}
      {told.active.map((fault) => (
        <Active key={fault.code} fault={fault} />
      ))}
      {told.runs !== undefined && <p>{told.runs ? w.runs : w.rests}</p>}
      {told.active.length === 0 && <p class="quiet">{told.tells ? (told.isNow ? w.none : w.old) : w.tellsNone}</p>}
      {told.readAt !== undefined && <p class="quiet">{w.unread(told.readAt === null ? '–' : localMoment(told.readAt), why)}</p>}
    </>
  );
};

const Row = ({ fault, written }: { readonly fault: FaultEntry; readonly written: Written }) => {
  const w = words.value;
  const { kind } = fault;
  // For statuses and information it is unknown whether they last.
  const open = w.todo[kind] === undefined ? '…' : w.lasts;
  return (
    <li>
      <strong>{fault.code}</strong> {w.kinds[kind] ?? kind}, {spanOf(fault, written, open)}
      {fault.text !== undefined && <span lang="en"> {w.quoted(localTimes(fault.text))}</span>}
      {fault.clock !== undefined && <span> ({w.clock(clockOf(fault.clock))})</span>}
    </li>
  );
};

const Rows = ({ faults, written = localMoment }: { readonly faults: readonly FaultEntry[]; readonly written?: Written }) => (
  <>
    {faults.length === 0 && <p class="quiet">{words.value.empty}</p>}
    <ul>
      {faults.map((fault) => (
        <Row key={`${fault.code} ${fault.since} ${fault.until}`} fault={fault} written={written} />
      ))}
    </ul>
  </>
);

/** A one-page report for the installer. */
const Sheet = ({ log }: { readonly log: DeviceFaultLog }) => {
  const w = words.value;
  const info = jsonObject(topics.value.get(deviceTopic(base.value, log.device, 'info')) ?? '');
  const software = topics.value.get(`${deviceTopic(base.value, log.device, 'device/parameterIdentification/version')}/value`);
  const facts: Readonly<Record<string, unknown>> = { ...info, software, printed: onPaper(now.value) };
  const known = Object.entries(w.facts).flatMap(([name, label]) => {
    const value = facts[name];
    return typeof value === 'string' ? [[label, value] as const] : [];
  });
  return (
    <section class="printSheet">
      <h1>{w.sheet}</h1>
      <Facts rows={known} />
      <h2>{w.week}</h2>
      <Rows faults={sheetFaults(log.faults, now.value - WEEK_MS)} written={onPaper} />
    </section>
  );
};

const DeviceLog = ({ log, hidden }: { readonly log: DeviceFaultLog; readonly hidden: ReadonlySet<string> }) => {
  const isPrinted = useSignal(false);
  return (
    <>
      <h3>{deviceTitle(log.device)}</h3>
      <Rows faults={log.faults.filter(({ kind }) => !hidden.has(kind))} />
      <Button text={words.value.print} onClick={() => printSheet(isPrinted)} />
      {isPrinted.value && <Sheet log={log} />}
    </>
  );
};

const loadLogs = async (): Promise<readonly DeviceFaultLog[]> =>
  (await getJson('api/faults')).faults.filter((log) => log.faults.length > 0);

const Logs = () => {
  const w = words.value;
  const hidden = useSignal(HIDDEN);
  const [logs] = useLoaded(loadLogs, [JSON.stringify(faultsOf(topics.value, base.value, devices.value))]);
  if (logs === undefined) return null;
  if (logs === 'failed') return <p role="alert">{w.failed}</p>;
  if (logs.length === 0) return <p class="quiet">{w.empty}</p>;
  const kinds = Object.keys(w.kinds).filter((kind) => logs.some((log) => log.faults.some((fault) => fault.kind === kind)));
  const toggle = (kind: string): void => {
    const next = new Set(hidden.value);
    if (!next.delete(kind)) next.add(kind);
    hidden.value = next;
  };
  return (
    <>
      {kinds.length > 1 && (
        <fieldset>
          <legend>{w.show}</legend>
          {kinds.map((kind) => (
            <label key={kind} class="check">
              <input type="checkbox" checked={!hidden.value.has(kind)} onChange={() => toggle(kind)} />
              <span>{w.kinds[kind]}</span>
            </label>
          ))}
        </fieldset>
      )}
      {logs.map((log) => (
        <DeviceLog key={log.device} log={log} hidden={hidden.value} />
      ))}
    </>
  );
};

/** Frozen data, and a gateway restart if one was ever accepted. */
const Stale = ({ isNamed }: { readonly isNamed: boolean }) => {
  const topic = commandTopic(base.value, { kind: 'bridge', what: 'restart_gateway' });
  const all = staleOf(topics.value, base.value, devices.value);
  const asked = writes.value.get(topic);
  return (
    <>
      {all.map((stale) => (
        <div key={stale.device} role="status">
          <p>{isNamed ? `${deviceTitle(stale.device)}: ${staleSentence(stale)}` : staleSentence(stale)}</p>
          {stale.canRestart && <Button text={words.value.restart} onClick={() => void send(topic, stale.device)} />}
        </div>
      ))}
      {asked?.phase === 'done' ? <p role="status">{words.value.restarts}</p> : <Outcome topic={topic} name={words.value.restart} />}
    </>
  );
};

/** Active faults, what to do, and the log of a year. A single note if no device reports its faults. */
export const FaultCard = () => {
  const w = words.value;
  const all = faultsOf(topics.value, base.value, devices.value);
  if (all.length === 0) return null;
  const telling = all.filter(({ tells }) => tells);
  const shown = telling.length > 0 ? telling : all.slice(0, 1);
  return (
    <section class="card stack faults">
      <header>
        <h2>{w.title}</h2>
      </header>
      <Stale isNamed={all.length > 1} />
      {shown.map((told) => (
        <Told key={told.device} told={told} isNamed={all.length > 1} />
      ))}
      {telling.length > 0 && <Fold title={w.log} content={() => <Logs />} />}
    </section>
  );
};

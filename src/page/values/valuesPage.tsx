import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { searchValues, type Value, valuesOf } from '../model/values.ts';
import { NoData } from '../overview/refusals.tsx';
import { Field } from '../setup/field.tsx';
import { loadRows } from '../setup/setupState.ts';
import { setTo } from '../shell/form.tsx';
import { Heading } from '../shell/heading.tsx';
import { getJson, isLetIn } from '../state/api.ts';
import { useKept } from '../state/loaded.ts';
import { base, devices } from '../state/store.ts';
import { now } from '../state/time.ts';
import { ValueRow } from './valueRow.tsx';
import { words } from './words.ts';

/** Rows drawn at once; thousands would make the page slow. */
const SLICE = 60;

const search = signal('');
const most = signal(SLICE);
/** Which rows are open, by topic and property. */
const open = signal<ReadonlySet<string>>(new Set());

const all = computed(() => valuesOf(devices.value, base.value));
const found = computed(() => searchValues(all.value, search.value));

const keyOf = ({ topic, property }: Value): string => `${topic} ${property}`;

const toggle = (key: string, isOpen: boolean): void => {
  const others = [...open.value].filter((one) => one !== key);
  open.value = new Set(isOpen ? [...others, key] : others);
};

/** Every property of every device, with a search. Each row opens to its actions. */
export const ValuesPage = () => {
  const w = words.value;
  const mayLoad = isLetIn.value;
  const changes = useKept(() => getJson('api/changes'), [now.value]);
  useEffect(() => {
    // For the broker's address; without it the shell lines lack the address.
    if (mayLoad) void loadRows().catch(() => undefined);
  }, [mayLoad]);
  const shown = found.value.slice(0, most.value);
  const hidden = found.value.length - shown.length;
  return (
    <>
      <Heading text={w.title} />
      <section class="card stack" aria-label={w.title}>
        <Field
          label={w.search}
          type="search"
          value={search.value}
          onInput={(value) => {
            search.value = value;
            most.value = SLICE;
          }}
          hint={w.searchHint}
        />
        {all.value.length === 0 ? (
          <NoData text={w.none} />
        ) : (
          <p class="quiet" role="status">
            {found.value.length === 0 ? w.none : w.count(found.value.length, all.value.length)}
          </p>
        )}
        <ul class="all-values">
          {shown.map((value) => {
            const key = keyOf(value);
            const changedAt = changes?.changed_at[value.topic];
            const isOpen = open.value.has(key);
            return <ValueRow key={key} value={value} changedAt={changedAt} isOpen={isOpen} onToggle={(shown) => toggle(key, shown)} />;
          })}
        </ul>
        {hidden > 0 && <Button text={w.more(Math.min(SLICE, hidden))} onClick={setTo(most, most.value + SLICE)} />}
      </section>
    </>
  );
};

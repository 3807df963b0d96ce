import { signal, useSignal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { isRecord } from '../../shared/json.ts';
import { postJson } from '../state/api.ts';
import { session } from '../state/session.ts';
import { type Choice, choicesOf, type Entry, entriesOf, type Found, placeOf } from './deviceNames.ts';
import { Field, Problem } from './field.tsx';
import { type Changes, type Problems, problemsOf, rows, words } from './setupState.ts';

/** Kept while the page is open: each search costs a call. */
const found = signal<readonly Found[] | undefined>(undefined);

const PATH = 'devices';

const entries = (): readonly Entry[] => {
  const value = rows.value.get(PATH)?.value;
  return Array.isArray(value) ? value.filter(isRecord) : [];
};

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const readFound = (value: unknown): readonly Found[] =>
  (Array.isArray(value) ? value.filter(isRecord) : []).map((one) => ({
    installation: textOf(one['installation']),
    gateway: textOf(one['gateway']),
    device: textOf(one['device']),
    ...(typeof one['model'] === 'string' ? { model: one['model'] } : {}),
    roles: Array.isArray(one['roles']) ? one['roles'].filter((role) => typeof role === 'string') : [],
  }));

/** The devices of the account, with a tick and a name each. */
export const DevicesForm = ({
  button,
  onChosen,
}: {
  readonly button: string;
  readonly onChosen: (changes: Changes) => Promise<Problems>;
}) => {
  const choices = useSignal<readonly Choice[]>([]);
  const problems = useSignal<Problems>({});
  const isBusy = useSignal(false);
  const w = words.value;

  const search = async (): Promise<void> => {
    isBusy.value = true;
    problems.value = {};
    try {
      // With v1 the platform has no list: those of the settings are all that there is.
      if (rows.value.get('platform.profile')?.value === 'v1') found.value = readFound(entries());
      found.value ??= readFound((await postJson('api/devices/find'))['devices']);
      choices.value = choicesOf(found.value, entries());
    } catch (error) {
      problems.value = problemsOf(error);
    }
    isBusy.value = false;
  };
  useEffect(() => {
    void search();
  }, []);

  const change = (at: number, part: Partial<Choice>): void => {
    choices.value = choices.value.map((choice, i) => (i === at ? { ...choice, ...part } : choice));
  };
  const submit = async (event: TargetedEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (!choices.value.some(({ isChosen }) => isChosen)) {
      problems.value = { '': words.value.noneChosen };
      return;
    }
    isBusy.value = true;
    problems.value = await onChosen({ [PATH]: entriesOf(choices.value, entries()) }).catch(problemsOf);
    isBusy.value = false;
  };
  const problemAt = (at: number): string | undefined => {
    if (!choices.value[at]?.isChosen) return undefined;
    const prefix = `${PATH}[${placeOf(choices.value, at)}]`;
    return problems.value[`${prefix}.name`] ?? problems.value[prefix];
  };
  const others = Object.entries(problems.value).flatMap(([path, text]) => (/^devices\[\d+\](?:\.name)?$/.test(path) ? [] : [text]));
  const isFixed = rows.value.get(PATH)?.fixed === true;
  return (
    <form class="stack" onSubmit={submit} noValidate>
      {isFixed && <p class="banner">{w.fixedBy(rows.value.get(PATH)?.origin.where ?? '')}</p>}
      {isBusy.value && choices.value.length === 0 && <p role="status">{w.searching}</p>}
      {found.value?.length === 0 && <p class="banner">{w.noDevices}</p>}
      <ul class="plain-list stack">
        {choices.value.map(({ found: device, isChosen, name }, at) => {
          const model = device.model ?? (name || w.unknownModel);
          return (
            <li key={`${device.gateway} ${device.device}`} class="device">
              <label class="check">
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={isFixed}
                  aria-label={w.useDevice(model)}
                  onChange={({ currentTarget: { checked } }) => change(at, { isChosen: checked })}
                />
                <span>
                  <strong>
                    <bdi>{model}</bdi>
                  </strong>
                  <span class="quiet block">{w.deviceIds(device.gateway, device.device)}</span>
                </span>
              </label>
              {isChosen && (
                <Field
                  label={w.deviceName}
                  of={model}
                  path={PATH}
                  value={name}
                  onInput={(value) => change(at, { name: value })}
                  problem={problemAt(at)}
                  required
                />
              )}
            </li>
          );
        })}
      </ul>
      <Problem text={others.join(' ')} />
      <div class="buttons">
        <button class="primary" type="submit" disabled={isBusy.value || choices.value.length === 0}>
          {button}
        </button>
        {session.value?.mode === 'setup' && (
          <button
            type="button"
            disabled={isBusy.value}
            onClick={() => {
              found.value = undefined;
              void search();
            }}
          >
            {w.searchAgain}
          </button>
        )}
      </div>
    </form>
  );
};

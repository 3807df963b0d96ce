import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { isRecord } from '../../shared/json.ts';
import { Form } from '../shell/form.tsx';
import { postJson, session } from '../state/api.ts';
import { type Choice, choicesOf, type Entry, entriesOf, type Found, placeOf } from './deviceNames.ts';
import { Field, Problem, TextField } from './field.tsx';
import { fixedText, type Problems, rows, type Save, settingText, words } from './setupState.ts';
import { useWork } from './work.tsx';

/** Cached while the page is open, because each search costs a call. */
const found = signal<readonly Found[] | undefined>(undefined);

const PATH = 'devices';

const entries = (): readonly Entry[] => {
  const value = rows.value.get(PATH)?.value;
  return Array.isArray(value) ? value.filter(isRecord) : [];
};

/** True if the platform has no device list. Profile auto is v1 if an address is set. */
const isWithoutList = (): boolean => {
  const [profile, address, list] = ['platform.profile', 'platform.base_url', 'platform.paths.installations'].map(settingText);
  return (profile === 'v1' || (profile === 'auto' && address !== '')) && list === '';
};

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** The devices in the settings. */
const named = (): readonly Found[] =>
  entries().map((one) => ({
    ...{ installation: textOf(one['installation']), gateway: textOf(one['gateway']), device: textOf(one['device']), roles: [] },
  }));

/** The ids of a device, for platforms without a device list. All features of the device are read. */
const DeviceByHand = ({ onAdd }: { readonly onAdd: (device: Found) => void }) => {
  const installation = useSignal('');
  const gateway = useSignal('');
  const device = useSignal('0');
  const w = words.value;
  const fields = [
    [w.installation, installation],
    [w.gateway, gateway],
    [w.deviceId, device],
  ] as const;
  const isWhole = fields.every(([, field]) => field.value.trim() !== '');
  const add = (): void => {
    if (!isWhole) return;
    const ids = { installation: installation.value.trim(), gateway: gateway.value.trim(), device: device.value.trim() };
    onAdd({ ...ids, roles: [], features: ['*'] });
    device.value = '';
  };
  return (
    <Form class="stack" onSend={add} noValidate>
      <p>{w.byHandText}</p>
      {fields.map(([label, field]) => (
        <TextField key={label} label={label} path="devices" text={field} required mono />
      ))}
      <Button text={w.addDevice} class="start" type="submit" disabled={!isWhole} />
    </Form>
  );
};

type DevicesProps = { readonly button: string; readonly onChosen: Save; readonly onSkip?: () => void };

/** The devices of the account, each with a checkbox and a name. `onSkip` is offered where they cannot be listed. */
export const DevicesForm = ({ button, onChosen, onSkip }: DevicesProps) => {
  const choices = useSignal<readonly Choice[]>([]);
  const { problems, isBusy, run } = useWork();
  const w = words.value;

  const search = async (): Promise<undefined> => {
    // The devices in the settings are then the only ones, until the user adds others.
    if (isWithoutList()) found.value = named();
    found.value ??= (await postJson('api/devices/find')).devices;
    choices.value = choicesOf(found.value, entries());
  };
  useEffect(() => {
    void run(search);
  }, []);

  const change = (at: number, part: Partial<Choice>): void => {
    choices.value = choices.value.map((choice, i) => (i === at ? { ...choice, ...part } : choice));
  };
  const choose = async (): Promise<Problems> => {
    const isAny = choices.value.some(({ isChosen }) => isChosen);
    return isAny ? onChosen({ [PATH]: entriesOf(choices.value, entries()) }) : { '': words.value.noneChosen };
  };
  const problemAt = (at: number): string | undefined => {
    if (!choices.value[at]?.isChosen) return undefined;
    const prefix = `${PATH}[${placeOf(choices.value, at)}]`;
    return problems.value[`${prefix}.name`] ?? problems.value[prefix];
  };
  const others = Object.entries(problems.value).flatMap(([path, text]) => (/^devices\[\d+\](?:\.name)?$/.test(path) ? [] : [text]));
  const isFixed = rows.value.get(PATH)?.fixed === true;
  const add = (device: Found): void => {
    if (found.value?.some((one) => one.gateway === device.gateway && one.device === device.device)) return;
    found.value = [...(found.value ?? []), device];
    const [choice] = choicesOf([device], []);
    if (choice) choices.value = [...choices.value, choice];
  };
  const isByHand = isWithoutList();
  return (
    <div class="stack">
      {isByHand && !isFixed && <DeviceByHand onAdd={add} />}
      <Form class="stack" onSend={() => run(choose)} noValidate>
        {isFixed && <p class="banner">{fixedText(PATH)}</p>}
        {isBusy.value && choices.value.length === 0 && <p role="status">{w.searching}</p>}
        {!isByHand && found.value?.length === 0 && <p class="banner">{w.noDevices}</p>}
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
          <Button text={button} class="primary" type="submit" disabled={isFixed || isBusy.value || choices.value.length === 0} />
          {session.value?.mode === 'setup' && !isByHand && (
            <Button
              text={w.searchAgain}
              disabled={isBusy.value}
              onClick={() => {
                found.value = undefined;
                void run(search);
              }}
            />
          )}
          {onSkip && found.value === undefined && !isBusy.value && <Button text={w.skipDevices} onClick={onSkip} />}
        </div>
      </Form>
    </div>
  );
};

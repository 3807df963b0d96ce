import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { profileNameOf } from '../../schedule/profileName.ts';
import { isRecord } from '../../shared/json.ts';
import { Field, Problem } from '../setup/field.tsx';
import { elsewhere, isRight, type Problems, rows, words } from '../setup/setupState.ts';
import { Form } from '../shell/form.tsx';
import { focusHeading } from '../shell/heading.tsx';
import { isSaving, saveSettings } from './saveSettings.ts';

const PATH = 'schedules.profiles';

type Profile = { readonly key: number; readonly name: string; readonly week: string };

let lastKey = 0;
const profile = (name: string, week: unknown): Profile => {
  lastKey += 1;
  return { key: lastKey, name, week: typeof week === 'string' ? week : JSON.stringify(week) };
};

const held = (): readonly Profile[] => {
  const value = rows.value.get(PATH)?.value;
  return isRecord(value) ? Object.entries(value).map(([name, week]) => profile(name, week)) : [];
};

/** A week in JSON stays JSON. */
const weekOf = (text: string): unknown => {
  if (!/^\s*[[{]/.test(text)) return text.trim();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** The profiles: named weeks. */
export const ProfilesForm = () => {
  const opened = useRef(held());
  const profiles = useSignal(opened.current);
  const problems = useSignal<Problems>({});
  const w = words.value;
  const wasSent = useSignal(false);
  const isFixed = rows.value.get(PATH)?.fixed === true;
  const change = (key: number, part: Partial<Profile>): void => {
    profiles.value = profiles.value.map((one) => (one.key === key ? { ...one, ...part } : one));
  };
  const isFilled = ({ name, week }: Profile): boolean => name.trim() !== '' || week.trim() !== '';
  /** Checks the name of a profile before sending. */
  const nameProblem = (one: Profile): string | undefined => {
    const name = profileNameOf(one.name);
    if (name === undefined) return words.value.profileNameWrong;
    return profiles.value.some((other) => other.key !== one.key && profileNameOf(other.name) === name)
      ? words.value.profileTwice
      : undefined;
  };
  const send = async (): Promise<void> => {
    wasSent.value = true;
    const filled = profiles.value.filter(isFilled);
    if (filled.some((one) => nameProblem(one) !== undefined)) return;
    const named = filled.map((one) => ({ ...one, name: profileNameOf(one.name) ?? one.name }));
    profiles.value = named;
    const before = new Map(opened.current.map(({ name, week }) => [name, week]));
    const after = new Map(named.map(({ name, week }) => [name, week]));
    // Only local changes: another tab may have changed other profiles.
    const changes = Object.fromEntries([
      ...[...before.keys()].flatMap((name) => (after.has(name) ? [] : [[`${PATH}.${name}`, null] as const])),
      ...[...after].flatMap(([name, week]) => (before.get(name) === week ? [] : [[`${PATH}.${name}`, weekOf(week)] as const])),
    ]);
    problems.value = await saveSettings(changes);
    if (isRight(problems.value)) opened.current = profiles.value = held();
  };
  const nameHint = (one: Profile): string | undefined => {
    const name = profileNameOf(one.name);
    return name === undefined || name === one.name ? undefined : words.value.profileAs(name);
  };
  const pathOf = ({ name }: Profile): string => `${PATH}.${name.trim()}`;
  return (
    <Form class="card stack" onSend={send} noValidate>
      <p>{w.profilesText}</p>
      <ul class="plain-list stack">
        {profiles.value.map((one) => (
          <li key={one.key} class="device stack">
            <Field
              label={w.profileName}
              path={PATH}
              value={one.name}
              onInput={(name) => change(one.key, { name })}
              hint={nameHint(one)}
              problem={isFilled(one) && (wasSent.value || one.name !== '') ? nameProblem(one) : undefined}
              mono
            />
            <Field
              label={w.profileWeek}
              {...(one.name === '' ? {} : { of: one.name })}
              path={PATH}
              value={one.week}
              onInput={(week) => change(one.key, { week })}
              hint={w.profileHint}
              problem={problems.value[pathOf(one)]}
              mono
            />
            {!isFixed && (
              <Button
                class="start"
                text={w.remove}
                aria-label={w.removeNamed(one.name)}
                onClick={() => {
                  profiles.value = profiles.value.filter(({ key }) => key !== one.key);
                  focusHeading();
                }}
              />
            )}
          </li>
        ))}
      </ul>
      <div class="buttons">
        <Button
          text={w.addProfile}
          disabled={isFixed}
          onClick={() => {
            profiles.value = [...profiles.value, profile('', '')];
          }}
        />
      </div>
      <Problem text={elsewhere(problems.value, (path) => profiles.value.some((one) => pathOf(one) === path))} />
      <div class="buttons">
        <Button text={w.save} class="primary" type="submit" disabled={isFixed || isSaving.value} />
      </div>
    </Form>
  );
};
